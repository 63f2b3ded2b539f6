"""rr, rr@k: how high the first relevant passage stands. Its mean over questions is MRR.

    rr = 1 ÷ rank of the first relevant passage, 0 if there is none (in the first k)

Source: Voorhees, The TREC-8 Question Answering Track Report, 1999.
"""

from collections.abc import Iterable

import numpy as np

from whichhalf.retrieval.family import Family, Options
from whichhalf.retrieval.judged_rankings import Floats, JudgedRankings, ratio
from whichhalf.retrieval.plain_lists import score_plain


def reciprocal_rank(retrieved: Iterable[object], relevant: Iterable[object], k: int | None = None) -> float | None:
    """In [0, 1]; None when nothing is relevant."""
    return score_plain(RECIPROCAL_RANK, retrieved, relevant, k)


def inverse_first_rank(rankings: JudgedRankings, k: int | None, _: Options) -> Floats:
    """(n,) 1 ÷ rank of the first hit within k, else 0."""
    first = rankings.first_hit_rank
    return ratio(np.ones(len(rankings)), first if k is None else np.where(first <= k, first, 0))


RECIPROCAL_RANK = Family(
    "rr",
    "1 ÷ rank of the first relevant{in_k}, 0 if none (its mean is MRR)",
    "Voorhees 1999",
    inverse_first_rank,
    cut="optional",
    trec="recip_rank",
)
