"""ndcg@k: gain of the first k, discounted by rank, against the best order of all labelled passages.

    DCG@k = Σ gain(grade at rank i) ÷ log2(i + 1), i = 1 … k        nDCG@k = DCG@k ÷ ideal DCG@k
    gain(grade) = 2^grade − 1 (exponential, the default) or grade (linear); a grade of 0 or less gains 0

The ideal order holds all labelled passages, found or not.
Source: Järvelin, Kekäläinen, Cumulated Gain-based Evaluation of IR Techniques, TOIS 2002 (linear gain);
Burges et al., Learning to Rank using Gradient Descent, ICML 2005 (exponential gain).
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log2

from whichhalf.core.options import GAINS, Gain
from whichhalf.errors import InputError
from whichhalf.retrieval.family import Family
from whichhalf.retrieval.labelled_ranking import LabelledRanking, checked_k, label_plain

_LARGEST_GRADE = 900
"""2^900 leaves room for the sum over a long list; 2^1024 is beyond a float."""


def ndcg_at_k(
    retrieved: Sequence[object],
    grades: Mapping[object, int] | Iterable[object],
    k: int,
    gain: Gain = "exponential",
) -> float | None:
    """In [0, 1]; None when no passage has a positive grade. A set or list of ids means grade 1 each."""
    if gain not in GAINS:
        raise InputError(f"gain is one of {', '.join(GAINS)}, not {gain!r}")
    ranking = label_plain(retrieved, grades)
    return ndcg(ranking, checked_k(k), {"gain": gain}) if ranking.grades else None


def ndcg(ranking: LabelledRanking, k: int | None, options: Mapping[str, str]) -> float:
    linear = options.get("gain") == "linear"
    if not linear and ranking.grades[0] > _LARGEST_GRADE:
        raise InputError(f"grade {ranking.grades[0]} is too large for exponential gain; ask for ndcg(gain=linear)")
    return _dcg(ranking.judged, k, linear) / _ideal_dcg(ranking.grades[:k], linear)


def _dcg(ranked: Iterable[tuple[int, int]], k: int | None, linear: bool) -> float:
    return sum(
        (grade if linear else 2**grade - 1) / log2(rank + 1)
        for rank, grade in ranked
        if grade > 0 and (k is None or rank <= k)
    )


@lru_cache(maxsize=4096)
def _ideal_dcg(grades: tuple[int, ...], linear: bool) -> float:
    return _dcg(enumerate(grades, start=1), None, linear)


NDCG = Family(
    "ndcg",
    "DCG in the first {k} ÷ ideal DCG, gain {gain}, discount log2(rank + 1)",
    "Järvelin, Kekäläinen 2002; Burges et al. 2005",
    ndcg,
    options={"gain": GAINS},
    graded=True,
)
