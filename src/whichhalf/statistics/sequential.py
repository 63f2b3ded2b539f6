"""Has the judge moved? Fixed answers are judged again every night, and their flips are watched over many nights.

A flip is an anchor whose verdict differs from the frozen one. Some flips are natural. One test a night would raise a
false alarm within weeks, so one test watches all nights: a cumulative sum (CUSUM) of the flips above what lies between
the natural rate and the rate to be found. It is the sequential test that finds a lasting shift soonest for a given
rate of false alarms. Its limit is computed exactly, from the chain of all values the sum can take.

Assumed: on a quiet night each anchor flips independently of the other nights, and of the other anchors. Anchors may
differ in their rates: that makes the counts more even. Shocks that hit a whole night, or flips that stay, make false
alarms more frequent than planned; docs/statistics.md says by how much.

Sources: Page, Continuous inspection schemes, 1954; Moustakides, Optimal stopping times for detecting changes in
distributions, 1986; Brook and Evans, An approach to the probability distribution of CUSUM run length, 1972.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import count
from math import exp, lgamma, log

import numpy as np

from whichhalf.core.record import Record
from whichhalf.errors import InputError
from whichhalf.statistics.distributions import beta_quantile
from whichhalf.statistics.units import Floats

_STEPS = 4
"""The sum moves in quarters of a flip, so that the chain of its values is finite and exact."""


class CanaryPlan(Record):
    """What is watched, and how often it errs."""

    anchors: int
    natural_rate: float
    """Share of anchors that flip on a quiet night."""
    rate_to_find: float
    nights: int
    """The number of quiet nights over which `false_alarm` is promised."""
    false_alarm: float
    """Chance of any alarm within so many quiet nights."""
    allowance: float
    """Flips that a night may have without raising the sum."""
    limit: float
    """An alarm is a sum at or above it."""
    found_by_night: tuple[float, ...]
    """Chance that a shift to `rate_to_find` has been found by its first night, its second, … its seventh."""


class CanaryNight(Record):
    """One night of the watch."""

    flips: int
    judged: int
    """Anchors with a verdict; the allowance shrinks with those lost."""
    sum: float
    alarm: bool


def estimate_natural_rate(flips: int, judged: int, *, confidence: float = 0.8) -> float:
    """The natural flip rate after a calibration period, on the safe side: the exact upper bound of this confidence.

    `judged` counts every verdict of every calibration night. A rate taken too low would raise false alarms for as
    long as it is used, so the plain share flips ÷ judged will not do. Raises InputError for impossible counts.
    """
    if not 0 <= flips < judged or not 0 < confidence < 1:
        raise InputError(f"{flips} flips of {judged} verdicts, confidence {confidence}")
    return beta_quantile(confidence, flips + 1, judged - flips)


def plan_canary(
    anchors: int,
    natural_rate: float,
    *,
    rate_to_find: float | None = None,
    nights: int = 180,
    false_alarm: float = 0.02,
) -> CanaryPlan:
    """The watch with the lowest limit that raises a false alarm within `nights` in at most `false_alarm` of streams.

    `rate_to_find` is by default 4 points above the natural rate. Raises InputError for settings out of range.
    """
    rate = natural_rate + 0.04 if rate_to_find is None else rate_to_find
    if not (0 < natural_rate < rate < 1 and anchors >= 1 and nights >= 1 and 0 < false_alarm < 1):
        raise InputError(
            f"{anchors} anchors, natural rate {natural_rate}, rate to find {rate}, {nights} nights, false alarm "
            f"{false_alarm}: 0 < natural rate < rate to find < 1 is needed, and a false alarm between 0 and 1"
        )
    allowance = _allowance(anchors, natural_rate, rate)
    quiet = _flip_chances(anchors, natural_rate)

    def alarm(limit: int) -> float:
        return _alarm_by_night(quiet, allowance, limit, nights)[-1]

    high = next(limit for limit in (2**power for power in count()) if alarm(limit) <= false_alarm)
    limit = bisect_left(range(high), True, lo=high // 2 + 1, key=lambda one: alarm(one) <= false_alarm)
    return CanaryPlan(
        anchors=anchors,
        natural_rate=natural_rate,
        rate_to_find=rate,
        nights=nights,
        false_alarm=alarm(limit),
        allowance=allowance / _STEPS,
        limit=limit / _STEPS,
        found_by_night=tuple(_alarm_by_night(_flip_chances(anchors, rate), allowance, limit, 7)),
    )


def watch_canary(plan: CanaryPlan, nights: Sequence[tuple[int, int]]) -> list[CanaryNight]:
    """Every night as (flips, anchors judged), oldest first, with its sum and whether it raises an alarm.

    The sum is held at the limit, so that an alarm lasts while flips stay frequent and ends with a quiet night. Raises
    InputError for impossible counts.
    """
    watched: list[CanaryNight] = []
    total = 0.0
    for flips, judged in nights:
        if not 0 <= flips <= judged <= plan.anchors:
            raise InputError(f"{flips} flips of {judged} judged, with {plan.anchors} anchors")
        total = min(max(total + flips - plan.allowance * judged / plan.anchors, 0.0), plan.limit)
        watched.append(CanaryNight(flips=flips, judged=judged, sum=total, alarm=total >= plan.limit - 1e-9))
    return watched


def _allowance(anchors: int, quiet: float, moved: float) -> int:
    """In quarters of a flip: the count at which both rates are equally likely (the likelihood-ratio CUSUM)."""
    per_anchor = log((1 - quiet) / (1 - moved)) / log(moved * (1 - quiet) / (quiet * (1 - moved)))
    return max(round(_STEPS * anchors * per_anchor), 1)


def _flip_chances(anchors: int, rate: float) -> Floats:
    """The chance of 0, 1, … flips in a night; binomial."""
    ways = [lgamma(anchors + 1) - lgamma(flips + 1) - lgamma(anchors - flips + 1) for flips in range(anchors + 1)]
    logs = [way + flips * log(rate) + (anchors - flips) * log(1 - rate) for flips, way in enumerate(ways)]
    return np.array([exp(one) for one in logs])


def _alarm_by_night(chances: Floats, allowance: int, limit: int, nights: int) -> list[float]:
    """The chance of an alarm by each night, the sum starting at 0; all in quarters of a flip."""
    moves = np.arange(limit)[:, None] + _STEPS * np.arange(len(chances)) - allowance
    below = np.zeros((limit, limit))
    for start in range(limit):
        kept = moves[start] < limit
        np.add.at(below[start], np.maximum(moves[start][kept], 0), chances[kept])
    state = np.eye(limit)[0]
    alarms = []
    for _ in range(nights):
        state = state @ below
        alarms.append(max(0.0, 1.0 - float(state.sum())))
    return alarms
