"""The watch over the canary: promises kept in simulated streams, values by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from whichhalf.errors import InputError
from whichhalf.statistics.sequential import CanaryPlan, estimate_natural_rate, plan_canary, watch_canary

PLAN = plan_canary(100, 0.01, rate_to_find=0.05)


def first_alarms(plan: CanaryPlan, flips: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> list[int | None]:
    """Of each stream (row) the night of its first alarm, counted from 1."""
    found = []
    for stream in flips.tolist():
        nights = watch_canary(plan, [(one, plan.anchors) for one in stream])
        found.append(next((number for number, night in enumerate(nights, 1) if night.alarm), None))
    return found


def test_the_plan_promises_what_is_asked_of_it() -> None:
    assert PLAN.false_alarm <= 0.02
    assert PLAN.found_by_night[1] >= 0.5
    assert PLAN.allowance == 2.5  # 100 · ln(0.99 ÷ 0.95) ÷ ln(0.05 · 0.99 ÷ (0.01 · 0.95)) = 2.4985
    assert PLAN.nights == 180


def test_quiet_nights_raise_as_few_alarms_as_promised() -> None:
    streams = np.random.default_rng(11).binomial(100, 0.01, (1500, 180))
    alarms = sum(one is not None for one in first_alarms(PLAN, streams))
    assert alarms / 1500 == pytest.approx(PLAN.false_alarm, abs=4 * 0.0026)
    assert alarms / 1500 <= 0.02


def test_a_shift_is_found_as_soon_as_promised() -> None:
    random = np.random.default_rng(12)
    streams = random.binomial(100, 0.05, (4000, 7))
    found = np.array([one or 99 for one in first_alarms(PLAN, streams)])
    assert np.median(found) <= 2
    for night, promised in enumerate(PLAN.found_by_night, 1):
        assert np.mean(found <= night) == pytest.approx(promised, abs=0.032)


def test_a_shift_after_quiet_nights_is_found_no_later() -> None:
    random = np.random.default_rng(13)
    streams = np.hstack([random.binomial(100, 0.01, (2000, 30)), random.binomial(100, 0.05, (2000, 20))])
    found = [one - 30 for one in first_alarms(PLAN, streams) if one is not None and one > 30]
    assert np.median(found) <= 2


def test_anchors_of_unlike_stability_raise_fewer_alarms() -> None:
    """Ten anchors that flip every tenth night, ninety that never do: the same 1 %."""
    streams = np.random.default_rng(14).binomial(10, 0.1, (1000, 180))
    alarms = sum(one is not None for one in first_alarms(PLAN, streams))
    assert alarms / 1000 <= PLAN.false_alarm


def test_the_sum_by_hand() -> None:
    nights = watch_canary(PLAN, [(1, 100), (5, 100), (4, 80), (6, 100), (0, 100)])
    # 0 + 1 − 2.5 → 0; 2.5; + 4 − 2 = 4.5; + 6 − 2.5 is held at the limit 4.75; 2.25
    assert [night.sum for night in nights] == [0.0, 2.5, 4.5, 4.75, 2.25]
    assert [night.alarm for night in nights] == [False, False, False, True, False]


def test_one_bad_night_is_enough() -> None:
    assert [night.alarm for night in watch_canary(PLAN, [(8, 100)])] == [True]
    assert watch_canary(PLAN, []) == []


def test_the_false_alarm_of_one_night_by_hand() -> None:
    """One night, one anchor in four quarters: the alarm is the chance of that flip itself."""
    plan = plan_canary(1, 0.1, rate_to_find=0.5, nights=1, false_alarm=0.11)
    assert plan.false_alarm == pytest.approx(0.1)
    assert plan.limit == 0.25
    assert plan.found_by_night[0] == pytest.approx(0.5)


@pytest.mark.parametrize(("anchors", "natural"), [(20, 0.01), (100, 0.0004), (100, 0.03), (400, 0.02), (2000, 0.01)])
def test_the_limit_is_the_lowest_that_keeps_the_promise(anchors: int, natural: float) -> None:
    plan = plan_canary(anchors, natural)
    assert plan.rate_to_find == pytest.approx(natural + 0.04)
    assert 0 < plan.false_alarm <= 0.02
    looser = plan_canary(anchors, natural, false_alarm=plan.false_alarm * (1 + 1e-9))
    assert looser.limit == plan.limit
    assert plan_canary(anchors, natural, false_alarm=plan.false_alarm * 0.999).limit > plan.limit


@given(st.integers(0, 300), st.integers(1, 3000))
def test_the_calibrated_rate_is_the_exact_upper_bound(flips: int, more: int) -> None:
    judged = flips + more
    rate = estimate_natural_rate(flips, judged)
    assert rate > flips / judged
    assert stats.binom.cdf(flips, judged, rate) == pytest.approx(0.2, abs=1e-6)


@pytest.mark.parametrize(
    "settings",
    [
        {"natural_rate": 0.0},
        {"natural_rate": 0.05, "rate_to_find": 0.05},
        {"natural_rate": 0.98},
        {"natural_rate": float("nan")},
        {"anchors": 0},
        {"nights": 0},
        {"false_alarm": 1.0},
    ],
)
def test_plans_that_cannot_work_are_refused(settings: dict[str, float]) -> None:
    with pytest.raises(InputError):
        plan_canary(**{"anchors": 100, "natural_rate": 0.01, **settings})  # type: ignore[arg-type]


def test_impossible_counts_are_refused() -> None:
    for night in ((3, 2), (-1, 5), (0, 101)):
        with pytest.raises(InputError):
            watch_canary(PLAN, [night])
    for counts in ((1, 0), (5, 5), (-1, 9)):
        with pytest.raises(InputError):
            estimate_natural_rate(*counts)
