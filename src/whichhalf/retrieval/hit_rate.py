"""hit_rate@k: whether any relevant passage stands in the first k (also called success@k).

hit_rate@k = 1 if relevant ∩ first k ≠ ∅, else 0
"""

from collections.abc import Iterable, Mapping, Sequence

from whichhalf.retrieval.family import Family
from whichhalf.retrieval.labelled_ranking import LabelledRanking, checked_k, label_plain
from whichhalf.retrieval.recall import hits_within


def hit_rate_at_k(retrieved: Sequence[object], relevant: Iterable[object], k: int) -> float | None:
    """0 or 1; None when nothing is relevant."""
    ranking = label_plain(retrieved, relevant)
    return hit_rate(ranking, checked_k(k)) if ranking.relevant_count else None


def hit_rate(ranking: LabelledRanking, k: int | None, _: Mapping[str, str] | None = None) -> float:
    return float(hits_within(ranking, k) > 0)


HIT_RATE = Family("hit_rate", "1 if any relevant in the first {k}, else 0", "trec_eval, measure success", hit_rate)
