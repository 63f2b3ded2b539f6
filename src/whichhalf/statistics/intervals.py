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
    number of questions, from two values on, and never wider than exact intervals that count every score between as 0
    (lower end) or as 1 (upper end). With `clusters`, one name a value, clusters count as independent and the
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
    if units.scatter < _ALIKE**2 * len(units.sizes):
        return Interval(*all_equal(units, level), level, CONSTANT)
    return _score_interval(units, level, by_cluster=clusters is not None)


def share_interval(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """The exact interval of a share; n = 0 says nothing, so [0, 1].

    Source: Clopper and Pearson, The use of confidence or fiducial limits, 1934.
    """
    check_level(level)
    if not 0 <= successes <= n:
        raise InputError(f"{successes} successes of {n}")
    tail = (1 - level) / 2
    return Interval(_exact_low(successes, n, tail), 1 - _exact_low(n - successes, n, tail), level, EXACT)


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


def all_equal(units: Units, level: float, lowest: float = 0.0) -> tuple[float, float]:
    """Where the mean may lie when all that was seen is one value, and others from `lowest` to 1 are possible.

    Others may exist, but a share of them that would have shown up by now is ruled out: that is the interval of
    Clopper and Pearson where none of n is a failure.
    """
    check_level(level)
    share = ((1 - level) / 2) ** (1 / units.effective)
    return share * units.mean + (1 - share) * lowest, share * units.mean + 1 - share


def _score_interval(units: Units, level: float, by_cluster: bool) -> Interval:
    low, high = beta_interval(units.mean, units.variance_of_mean, units.freedom_of_variance, level, cautious=by_cluster)
    least, most = _whatever_lies_between(units, level)
    method = f"{CLUSTERED}, {len(units.sizes)} clusters" if by_cluster else BETA
    return Interval(max(low, least), min(high, most), level, method)


def _whatever_lies_between(units: Units, level: float) -> tuple[float, float]:
    """Exact ends that hold whatever the scores between 0 and 1 are: below they all count as 0, above as 1."""
    tail, n, sizes = (1 - level) / 2, units.effective, units.sizes
    ones, zeros = (float(sizes[units.totals == one * sizes].sum() / sizes.sum()) for one in (1, 0))
    return _exact_low(n * ones, n, tail), 1 - _exact_low(n * zeros, n, tail)


def _exact_low(successes: float, n: float, tail: float) -> float:
    """The lower end of Clopper and Pearson, leaving out so much."""
    return beta_quantile(tail, successes, n - successes + 1) if successes else 0.0
