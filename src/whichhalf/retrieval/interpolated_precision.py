"""iprec(recall=x): the best precision at any rank where recall has reached x.

    iprec(x) = max precision@i over ranks i with recall@i ≥ x, 0 if recall never reaches x

Source: Manning, Raghavan, Schütze, Introduction to Information Retrieval, 2008, §8.4.
"""

import numpy as np

from whichhalf.core.metric import Option
from whichhalf.retrieval.family import Family, Options
from whichhalf.retrieval.judged_rankings import Floats, JudgedRankings

_ROUNDING = 1e-9  # 0.3 × 10 is a little more than 3


def interpolated_precision(rankings: JudgedRankings, _: int | None, options: Options) -> Floats:
    """(n,) only ranks of hits can be the best ones."""
    needed = np.ceil(float(options["recall"]) * rankings.relevant_count - _ROUNDING)
    reached = rankings.hit_number >= needed[rankings.hit_question]
    best = np.zeros(len(rankings))
    precision = rankings.hit_number / rankings.hit_rank
    np.maximum.at(best, rankings.hit_question[reached], precision[reached])
    return best


INTERPOLATED_PRECISION = Family(
    "iprec",
    "best precision at any rank with recall ≥ {recall}, 0 if it is never reached",
    "Manning, Raghavan, Schütze 2008, §8.4",
    interpolated_precision,
    cut="none",
    trec="iprec_at_recall_{recall:.2f}",
    options={"recall": Option(None, low=0.0, high=1.0)},
)
