"""ap, ap@k: precision averaged over the ranks of the relevant passages. Its mean over questions is MAP.

    ap@k = Σ precision@i over every rank i ≤ k that holds a relevant passage ÷ |relevant|

The divisor counts every relevant passage, also those never returned and those beyond k.
Source: Buckley, Voorhees, Evaluating Evaluation Measure Stability, SIGIR 2000.
"""

from collections.abc import Iterable, Mapping, Sequence

from whichhalf.retrieval.family import Family
from whichhalf.retrieval.labelled_ranking import LabelledRanking, checked_k, label_plain


def average_precision(retrieved: Sequence[object], relevant: Iterable[object], k: int | None = None) -> float | None:
    """In [0, 1]; None when nothing is relevant."""
    ranking = label_plain(retrieved, relevant)
    cut = None if k is None else checked_k(k)
    return mean_precision_at_hits(ranking, cut) if ranking.relevant_count else None


def mean_precision_at_hits(ranking: LabelledRanking, k: int | None, _: Mapping[str, str] | None = None) -> float:
    found = (n / rank for n, rank in enumerate(ranking.hits, start=1) if k is None or rank <= k)
    return sum(found) / ranking.relevant_count


AVERAGE_PRECISION = Family(
    "ap",
    "Σ precision at each relevant rank in the first {k} ÷ all relevant (its mean is MAP)",
    "Buckley, Voorhees 2000",
    mean_precision_at_hits,
    cut="optional",
)
