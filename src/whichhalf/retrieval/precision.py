"""precision@k: the share of the first k positions that hold a relevant passage.

    precision@k = |relevant ∩ first k| ÷ k, also when fewer than k came back

Source: Manning, Raghavan, Schütze, Introduction to Information Retrieval, 2008, §8.4.
"""

from collections.abc import Iterable, Mapping, Sequence

from whichhalf.retrieval.family import Family
from whichhalf.retrieval.labelled_ranking import LabelledRanking, checked_k, label_plain
from whichhalf.retrieval.recall import hits_within


def precision_at_k(retrieved: Sequence[object], relevant: Iterable[object], k: int) -> float | None:
    """In [0, 1]; None when nothing is relevant."""
    ranking = label_plain(retrieved, relevant)
    return precision(ranking, checked_k(k)) if ranking.relevant_count else None


def precision(ranking: LabelledRanking, k: int | None, _: Mapping[str, str] | None = None) -> float:
    assert k is not None
    return hits_within(ranking, k) / k


PRECISION = Family(
    "precision",
    "relevant in the first {k} ÷ {k}, also when fewer came back",
    "Manning, Raghavan, Schütze 2008, §8.4",
    precision,
)
