"""recall@k: the share of all relevant passages that stand in the first k.

    recall@k = |relevant ∩ first k| ÷ |relevant|

Source: Manning, Raghavan, Schütze, Introduction to Information Retrieval, 2008, §8.3.
"""

from collections.abc import Iterable, Mapping, Sequence

from whichhalf.retrieval.family import Family
from whichhalf.retrieval.labelled_ranking import LabelledRanking, checked_k, label_plain


def recall_at_k(retrieved: Sequence[object], relevant: Iterable[object], k: int) -> float | None:
    """In [0, 1]; None when nothing is relevant. `relevant` is a set or list of ids, or a map id → grade."""
    ranking = label_plain(retrieved, relevant)
    return recall(ranking, checked_k(k)) if ranking.relevant_count else None


def recall(ranking: LabelledRanking, k: int | None, _: Mapping[str, str] | None = None) -> float:
    return hits_within(ranking, k) / ranking.relevant_count


def hits_within(ranking: LabelledRanking, k: int | None) -> int:
    """How many relevant passages stand in the first k (anywhere when k is None)."""
    return len(ranking.hits) if k is None else sum(rank <= k for rank in ranking.hits)


RECALL = Family("recall", "relevant in the first {k} ÷ all relevant", "Manning, Raghavan, Schütze 2008, §8.3", recall)
