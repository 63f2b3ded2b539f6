"""ndcg, ndcg@k: gain of the first k, discounted by rank, against the best order of all labelled passages.

    DCG@k = Σ gain(grade at rank i) ÷ log2(i + 1), i = 1 … k        nDCG@k = DCG@k ÷ ideal DCG@k
    gain(grade) = 2^grade − 1 (exponential, the default) or grade (linear); a grade of 0 or less gains 0

The ideal order holds all labelled passages, found or not. Without k both sums run over everything.
Source: Järvelin, Kekäläinen, Cumulated Gain-based Evaluation of IR Techniques, TOIS 2002 (linear gain);
Burges et al., Learning to Rank using Gradient Descent, ICML 2005 (exponential gain).
"""

from collections.abc import Iterable, Mapping

import numpy as np

from whichhalf.core.case import LARGEST_GRADE
from whichhalf.core.metric import Option
from whichhalf.core.options import GAINS, Gain
from whichhalf.errors import InputError
from whichhalf.retrieval.family import Family, Options
from whichhalf.retrieval.judged_rankings import Floats, Ints, JudgedRankings, number_within, ratio
from whichhalf.retrieval.plain_lists import score_plain


def ndcg_at_k(
    retrieved: Iterable[object],
    grades: Mapping[object, int] | Iterable[object],
    k: int,
    gain: Gain = "exponential",
) -> float | None:
    """In [0, 1]; None when no passage has a positive grade. A set or list of ids means grade 1 each."""
    if gain not in GAINS:
        raise InputError(f"gain is one of {', '.join(GAINS)}, not {gain!r}")
    return score_plain(NDCG, retrieved, grades, k, {"gain": gain})


def ndcg(rankings: JudgedRankings, k: int | None, options: Options) -> Floats:
    """(n,) DCG of the ranking ÷ DCG of the ideal order."""
    linear = options["gain"] == "linear"
    highest = rankings.label_grade.max(initial=0)
    if not linear and highest > LARGEST_GRADE:
        raise InputError(f"grade {highest} is too large for exponential gain; ask for ndcg(gain=linear)")
    ideal_rank = number_within(rankings.label_question, len(rankings))
    actual = _dcg(rankings, rankings.question, rankings.rank, rankings.grade, k, linear)
    ideal = _dcg(rankings, rankings.label_question, ideal_rank, rankings.label_grade, k, linear)
    return np.minimum(ratio(actual, ideal), 1.0)  # the last bit may round up


def _dcg(rankings: JudgedRankings, question: Ints, rank: Ints, grade: Ints, k: int | None, linear: bool) -> Floats:
    counts = grade > 0 if k is None else (grade > 0) & (rank <= k)
    gain = grade[counts].astype(float) if linear else np.exp2(grade[counts].astype(float)) - 1.0
    return rankings.total(question[counts], gain / np.log2(rank[counts] + 1.0))


NDCG = Family(
    "ndcg",
    "DCG{in_k} ÷ ideal DCG, gain {gain}, discount log2(rank + 1)",
    "Järvelin, Kekäläinen 2002; Burges et al. 2005",
    ndcg,
    cut="optional",
    options={"gain": Option("exponential", words=GAINS)},
    graded=True,
    trec="ndcg",
    trec_cut="ndcg_cut_{k}",
)
