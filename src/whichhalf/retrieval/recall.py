"""recall@k and set_recall: the share of all relevant passages that came back.

    recall@k = |relevant ∩ first k| ÷ |relevant|        set_recall = |relevant ∩ all returned| ÷ |relevant|

Source: Manning, Raghavan, Schütze, Introduction to Information Retrieval, 2008, §8.3.
"""

from collections.abc import Iterable

from whichhalf.retrieval.family import Family, Options
from whichhalf.retrieval.judged_rankings import Floats, JudgedRankings, ratio
from whichhalf.retrieval.plain_lists import score_plain

SOURCE = "Manning, Raghavan, Schütze 2008, §8.3"


def recall_at_k(retrieved: Iterable[object], relevant: Iterable[object], k: int) -> float | None:
    """In [0, 1]; None when nothing is relevant. `relevant` is a set or list of ids, or a map id → grade."""
    return score_plain(RECALL, retrieved, relevant, k)


def found_of_relevant(rankings: JudgedRankings, k: int | None) -> tuple[Floats, Floats]:
    """(relevant in the first k, all relevant)."""
    return rankings.hits_within(k).astype(float), rankings.relevant_count.astype(float)


def recall(rankings: JudgedRankings, k: int | None, _: Options) -> Floats:
    """(n,) recall of the first k; of everything returned when k is None."""
    return ratio(*found_of_relevant(rankings, k))


RECALL = Family(
    "recall", "relevant{in_k} ÷ all relevant", SOURCE, recall, ratio=found_of_relevant, trec_cut="recall_{k}"
)
SET_RECALL = Family(
    "set_recall",
    "relevant among all returned ÷ all relevant",
    SOURCE,
    recall,
    cut="none",
    ratio=found_of_relevant,
    trec="set_recall",
)
