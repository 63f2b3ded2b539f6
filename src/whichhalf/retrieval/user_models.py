"""rbp and err: how much a user who reads from the top gets, who may stop after each passage.

    rbp(p) = (1 − p) · Σ over relevant ranks i of p^(i − 1)

The user goes on to the next passage with persistence p.

    err(max_grade=g) = Σ over ranks i of (1 ÷ i) · R_i · Π over j < i of (1 − R_j),   R = (2^grade − 1) ÷ 2^g

The user stops at a passage with probability R; grades of 0 or less never satisfy.

Sources: Moffat, Zobel, Rank-Biased Precision for Measurement of Retrieval Effectiveness, TOIS 2008; Chapelle, Metzler,
Zhang, Grinspan, Expected Reciprocal Rank for Graded Relevance, CIKM 2009.
"""

import numpy as np

from whichhalf.core.metric import Option
from whichhalf.errors import InputError
from whichhalf.retrieval.family import Family, Options
from whichhalf.retrieval.judged_rankings import Floats, JudgedRankings, number_within


def rbp(rankings: JudgedRankings, k: int | None, options: Options) -> Floats:
    """(n,)"""
    persistence = float(options["p"])
    weights = (1.0 - persistence) * np.power(persistence, rankings.hit_rank - 1.0)
    if k is not None:
        weights[rankings.hit_rank > k] = 0.0
    return np.minimum(rankings.total(rankings.hit_question, weights), 1.0)  # the last bit may round up


def err(rankings: JudgedRankings, k: int | None, options: Options) -> Floats:
    """(n,) Raises InputError for a grade above max_grade."""
    highest = int(options["max_grade"])
    if (above := rankings.label_grade.max(initial=0)) > highest:
        raise InputError(f"err(max_grade={highest}): there is a grade of {above}")
    gains = rankings.grade > 0 if k is None else (rankings.grade > 0) & (rankings.rank <= k)
    question, rank = rankings.question[gains], rankings.rank[gains]
    stops = (np.exp2(rankings.grade[gains].astype(float)) - 1.0) / 2.0**highest
    place = number_within(question, len(rankings))
    values, goes_on = np.zeros(len(rankings)), np.ones(len(rankings))
    for turn in range(1, int(place.max(initial=0)) + 1):
        now = place == turn
        asking = question[now]
        values[asking] += goes_on[asking] * stops[now] / rank[now]
        goes_on[asking] *= 1.0 - stops[now]
    return values


RBP = Family(
    "rbp",
    "(1 − {p}) · Σ {p}^(rank − 1) over relevant ranks{in_k}",
    "Moffat, Zobel 2008",
    rbp,
    cut="optional",
    options={"p": Option("0.8", low=0.0, high=1.0)},
)
ERR = Family(
    "err",
    "expected 1 ÷ rank at which a reader{in_k} is satisfied, by (2^grade − 1) ÷ 2^{max_grade} at each passage",
    "Chapelle et al. 2009",
    err,
    cut="optional",
    options={"max_grade": Option(None, low=1, high=20, whole=True)},
    graded=True,
)
