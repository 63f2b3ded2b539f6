"""How far the mean over all questions of a kind may lie from the mean over the questions asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from whichhalf.errors import InputError
from whichhalf.statistics.distributions import beta_quantile, student_quantile
from whichhalf.statistics.units import Floats, Units, as_units, finite

EXACT = "exact (Clopper–Pearson)"
BETA = "beta with effective number"
CLUSTERED = "exact with effective number"
CONSTANT = "exact, all equal"

_ALIKE = 1e-12
"""Scores closer than this differ by rounding only."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Covers the true value in a share `level` of samples."""

    low: float
    high: float
    level: float
    method: str


def mean_interval(
    values: Sequence[float] | Floats, *, level: float = 0.95, clusters: Sequence[str] | None = None
) -> Interval | None:
    """An interval for the mean of scores in [0, 1]; None when there is nothing to estimate it from.

    Passes and failures (only 0 and 1): exact, from one value on. Other scores: a beta interval with the effective
    number of questions, from two values on. With `clusters`, one name a value, clusters count as independent and the
    values within one do not: an exact interval with the effective number; None below two clusters, or where one of
    them holds nearly everything. Nothing is drawn, and the order does not matter.

    Raises InputError for a value outside [0, 1], NaN, or lengths that differ.
    """
    scores = finite(values, "scores")
    if clusters is None:
        scores = np.sort(scores)  # so that sums do not depend on the order
    if len(scores) and not (scores.min() >= 0 and scores.max() <= 1):
        raise InputError(f"scores lie in [0, 1]; there is {scores.min():g} to {scores.max():g}")
    units = as_units(scores, clusters)
    pass_fail = bool(np.isin(scores, (0.0, 1.0)).all())
    if pass_fail and clusters is None and len(scores):
        return share_interval(int(scores.sum()), len(scores), level=level)
    if not units.are_enough:
        return None
    if np.ptp(scores) < _ALIKE:
        return _all_equal(units.mean, len(units.sizes), level)
    return _score_interval(units, level, by_cluster=clusters is not None)


def share_interval(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """The exact interval of a share; n = 0 says nothing, so [0, 1].

    Source: Clopper and Pearson, The use of confidence or fiducial limits, 1934.
    """
    check_level(level)
    if not 0 <= successes <= n:
        raise InputError(f"{successes} successes of {n}")
    tail = (1 - level) / 2
    low = beta_quantile(tail, successes, n - successes + 1) if successes else 0.0
    high = beta_quantile(1 - tail, successes + 1, n - successes) if successes < n else 1.0
    return Interval(low, high, level, EXACT)


def beta_interval(
    mean: float, variance: float, freedom: float, level: float, *, cautious: bool = False
) -> tuple[float, float]:
    """An interval for a mean in (0, 1) with this estimated variance of the mean, on so many degrees of freedom.

    The data count as so many passes and failures as have the same mean and variance, n = mean (1 − mean) ÷ variance,
    corrected for the variance being estimated; their Jeffreys interval is Beta(n mean + ½, n (1 − mean) + ½). With
    `cautious` their Clopper–Pearson interval, which is wider by about half a case at each end.
    Sources: Korn and Graubard, Confidence intervals for proportions with small expected number of positive counts
    estimated from survey data, 1998 (effective number); Brown, Cai and DasGupta, Interval estimation for a binomial
    proportion, 2001 (Jeffreys interval).
    """
    check_level(level)
    tail = (1 - level) / 2
    number = mean * (1 - mean) / variance * _narrowing(tail, freedom)
    passed, failed = number * mean, number * (1 - mean)
    here, there = (0.0, 1.0) if cautious else (0.5, 0.5)
    low, high = (
        beta_quantile(tail, passed + here, failed + there),
        beta_quantile(1 - tail, passed + there, failed + here),
    )
    return min(low, mean), max(high, mean)


def check_level(level: float) -> None:
    """Raises InputError unless 0 < level < 1."""
    if not 0 < level < 1:
        raise InputError(f"the level of an interval lies between 0 and 1, not {level}")


def _narrowing(tail: float, freedom: float) -> float:
    """How many times fewer questions there seem to be because the variance is itself an estimate."""
    return float((NormalDist().inv_cdf(tail) / student_quantile(tail, freedom)) ** 2)


def _score_interval(units: Units, level: float, by_cluster: bool) -> Interval:
    low, high = beta_interval(units.mean, units.variance_of_mean, units.freedom, level, cautious=by_cluster)
    return Interval(low, high, level, f"{CLUSTERED}, {len(units.sizes)} clusters" if by_cluster else BETA)


def _all_equal(value: float, units: int, level: float) -> Interval:
    """Other values may exist, but a share of them that would have shown up by now is ruled out; they lie in [0, 1]."""
    check_level(level)
    share = ((1 - level) / 2) ** (1 / units)
    return Interval(share * value, share * value + 1 - share, level, CONSTANT)
