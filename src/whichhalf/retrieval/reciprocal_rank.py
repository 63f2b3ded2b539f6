"""rr, rr@k: how high the first relevant passage stands. Its mean over questions is MRR.

    rr = 1 ÷ rank of the first relevant passage, 0 if there is none (in the first k)

Source: Voorhees, The TREC-8 Question Answering Track Report, 1999.
"""

from collections.abc import Iterable, Mapping, Sequence

from whichhalf.retrieval.family import Family
from whichhalf.retrieval.labelled_ranking import LabelledRanking, checked_k, label_plain


def reciprocal_rank(retrieved: Sequence[object], relevant: Iterable[object], k: int | None = None) -> float | None:
    """In [0, 1]; None when nothing is relevant."""
    ranking = label_plain(retrieved, relevant)
    cut = None if k is None else checked_k(k)
    return inverse_first_rank(ranking, cut) if ranking.relevant_count else None


def inverse_first_rank(ranking: LabelledRanking, k: int | None, _: Mapping[str, str] | None = None) -> float:
    """1 ÷ rank of the first hit within k, else 0."""
    if not ranking.hits or (k is not None and ranking.hits[0] > k):
        return 0.0
    return 1.0 / ranking.hits[0]


RECIPROCAL_RANK = Family(
    "rr",
    "1 ÷ rank of the first relevant in the first {k}, 0 if none (its mean is MRR)",
    "Voorhees 1999",
    inverse_first_rank,
    cut="optional",
)
