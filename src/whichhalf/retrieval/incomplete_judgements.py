"""bpref and infap: average precision when not everything was judged.

    bpref = 1 ÷ R · Σ over returned relevant r of (1 − min(n(r), R) ÷ min(N, R))

R relevant, N judged not relevant, n(r) of those above r; a term is 1 where n(r) is 0.

    infap = 1 ÷ R · Σ over returned relevant r of 1 ÷ i · (1 + d(r) · (s(r) + ε) ÷ (s(r) + n(r) + 2ε))

i is the rank of r, s(r) the relevant above it, d(r) all pooled passages above it, ε = 0.00001.
A label of 0 is judged not relevant; a negative one is in the pool but unjudged. Passages without a label are outside
the pool: bpref passes over both, infap counts those in the pool as a sample.

Sources: Buckley, Voorhees, Retrieval Evaluation with Incomplete Information, SIGIR 2004; Yilmaz, Aslam, Estimating
Average Precision with Incomplete and Imperfect Judgments, CIKM 2006; both with the details of trec_eval.
"""

import numpy as np

from whichhalf.retrieval.family import Family, Options
from whichhalf.retrieval.judged_rankings import Bools, Floats, Ints, JudgedRankings, ratio, total_within

_EPSILON = 1e-5


def bpref(rankings: JudgedRankings, _: int | None, __: Options) -> Floats:
    """(n,)"""
    above = _above_hits(rankings, _not_relevant(rankings, rankings.grade)).astype(float)
    judged = rankings.label_question[_not_relevant(rankings, rankings.label_grade)]
    relevant = rankings.relevant_count
    bound = np.minimum(rankings.count(judged), relevant)[rankings.hit_question]
    terms = 1.0 - ratio(np.minimum(above, relevant[rankings.hit_question]), bound)
    return ratio(rankings.total(rankings.hit_question, terms), relevant)


def infap(rankings: JudgedRankings, _: int | None, __: Options) -> Floats:
    """(n,)"""
    not_relevant = _above_hits(rankings, _not_relevant(rankings, rankings.grade))
    pooled = _above_hits(rankings, rankings.grade < rankings.relevance_threshold) + rankings.hit_number - 1
    relevant = rankings.hit_number - 1
    share = (relevant + _EPSILON) / (relevant + not_relevant + 2 * _EPSILON)
    terms = (1.0 + pooled * share) / rankings.hit_rank
    return ratio(rankings.total(rankings.hit_question, terms), rankings.relevant_count)


def _not_relevant(rankings: JudgedRankings, grade: Ints) -> Bools:
    return (grade >= 0) & (grade < rankings.relevance_threshold)


def _above_hits(rankings: JudgedRankings, counted: Bools) -> Ints:
    """For each hit, how many of the counted labelled passages stand above it."""
    return total_within(rankings.question, counted.astype(np.int64), len(rankings))[rankings.is_hit]


BPREF = Family(
    "bpref",
    "mean over relevant of 1 − judged not relevant above it, at most R, ÷ the most there could be",
    "Buckley, Voorhees 2004; details of trec_eval",
    bpref,
    cut="none",
    own_unjudged="unjudged passages play no part",
    trec="bpref",
)
INFAP = Family(
    "infap",
    "average precision estimated from the judged part of the pool",
    "Yilmaz, Aslam 2006; details of trec_eval",
    infap,
    cut="none",
    own_unjudged="a negative grade = in the pool but unjudged",
    trec="infAP",
)
