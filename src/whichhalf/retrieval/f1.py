"""f1@k and set_f1: the harmonic mean of precision and recall.

    f1@k = 2 · precision@k · recall@k ÷ (precision@k + recall@k) = 2 · |relevant ∩ first k| ÷ (k + |relevant|)

Source: van Rijsbergen, Information Retrieval, 1979, chapter 7 (E measure with equal weights).
"""

from whichhalf.retrieval.family import Family, Options
from whichhalf.retrieval.judged_rankings import Floats, JudgedRankings, ratio
from whichhalf.retrieval.precision import relevant_of_returned

SOURCE = "van Rijsbergen 1979, chapter 7"


def f1(rankings: JudgedRankings, k: int | None, _: Options) -> Floats:
    """(n,) of the first k; of everything returned when k is None."""
    hits, positions = relevant_of_returned(rankings, k)
    return ratio(2 * hits, positions + rankings.relevant_count)


F1 = Family("f1", "harmonic mean of precision@{k} and recall@{k}", SOURCE, f1)
SET_F1 = Family("set_f1", "harmonic mean of set_precision and set_recall", SOURCE, f1, cut="none", trec="set_F")
