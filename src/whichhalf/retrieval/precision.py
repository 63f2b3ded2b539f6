"""precision@k, set_precision and r_precision: the share of what came back that is relevant.

    precision@k   = |relevant ∩ first k| ÷ k, also when fewer than k came back
    set_precision = |relevant ∩ all returned| ÷ |all returned|, 0 when nothing came back
    r_precision   = |relevant ∩ first R| ÷ R, with R = |relevant|

Source: Manning, Raghavan, Schütze, Introduction to Information Retrieval, 2008, §8.3 and §8.4.
"""

from collections.abc import Iterable

import numpy as np

from whichhalf.retrieval.family import Family, Options
from whichhalf.retrieval.judged_rankings import Floats, JudgedRankings, ratio
from whichhalf.retrieval.plain_lists import score_plain

SOURCE = "Manning, Raghavan, Schütze 2008, §8.4"


def precision_at_k(retrieved: Iterable[object], relevant: Iterable[object], k: int) -> float | None:
    """In [0, 1]; None when nothing is relevant."""
    return score_plain(PRECISION, retrieved, relevant, k)


def relevant_of_returned(rankings: JudgedRankings, k: int | None) -> tuple[Floats, Floats]:
    """(relevant in the first k, k); without k, (relevant, all returned)."""
    positions = rankings.lengths.astype(float) if k is None else np.full(len(rankings), float(k))
    return rankings.hits_within(k).astype(float), positions


def precision(rankings: JudgedRankings, k: int | None, _: Options) -> Floats:
    """(n,) precision of the first k; of everything returned when k is None."""
    return ratio(*relevant_of_returned(rankings, k))


def r_precision(rankings: JudgedRankings, _: int | None, __: Options) -> Floats:
    """(n,) precision, which is also recall, at the number of relevant passages."""
    within = rankings.hit_rank <= rankings.relevant_count[rankings.hit_question]
    return ratio(rankings.count(rankings.hit_question[within]), rankings.relevant_count)


PRECISION = Family(
    "precision",
    "relevant{in_k} ÷ {k}, also when fewer came back",
    SOURCE,
    precision,
    ratio=relevant_of_returned,
    trec_cut="P_{k}",
)
SET_PRECISION = Family(
    "set_precision",
    "relevant among all returned ÷ all returned, 0 when nothing came back",
    "Manning, Raghavan, Schütze 2008, §8.3",
    precision,
    cut="none",
    ratio=relevant_of_returned,
    trec="set_P",
)
R_PRECISION = Family(
    "r_precision", "relevant in the first R ÷ R, with R = all relevant", SOURCE, r_precision, cut="none", trec="Rprec"
)
