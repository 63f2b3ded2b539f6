"""hit_rate@k: whether any relevant passage stands in the first k (also called success@k).

    hit_rate@k = 1 if relevant ∩ first k ≠ ∅, else 0

Source: trec_eval, measure success.
"""

from collections.abc import Iterable

import numpy as np

from whichhalf.retrieval.family import Family, Options
from whichhalf.retrieval.judged_rankings import Floats, JudgedRankings
from whichhalf.retrieval.plain_lists import score_plain


def hit_rate_at_k(retrieved: Iterable[object], relevant: Iterable[object], k: int) -> float | None:
    """0 or 1; None when nothing is relevant."""
    return score_plain(HIT_RATE, retrieved, relevant, k)


def hit_rate(rankings: JudgedRankings, k: int | None, _: Options) -> Floats:
    """(n,) zeros and ones."""
    return (rankings.hits_within(k) > 0).astype(float)


def hit_of_questions(rankings: JudgedRankings, k: int | None) -> tuple[Floats, Floats]:
    """(1 for a hit, 1): the micro mean equals the macro mean."""
    return hit_rate(rankings, k, {}), np.ones(len(rankings))


HIT_RATE = Family(
    "hit_rate",
    "1 if any relevant{in_k}, else 0",
    "trec_eval, measure success",
    hit_rate,
    ratio=hit_of_questions,
    trec_cut="success_{k}",
)
