"""When calls may begin. Time only passes when someone waits for it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.errors import JudgeUnreachable, RunStopped
from whichhalf.judging.pacing import LONGEST_WAIT_SECONDS, Pace


class Hours:
    """A clock for one thread: waiting moves it on."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def wait(self, _: threading.Condition, seconds: float | None) -> None:
        assert seconds is not None, "nobody else could end this wait"
        self.now += seconds


def paced(
    concurrency: int = 16, requests_per_minute: float | None = None, tokens_per_minute: float | None = None
) -> tuple[Pace, Hours]:
    clock = Hours()
    return Pace(concurrency, requests_per_minute, tokens_per_minute, clock=clock, wait=clock.wait), clock


def busy(retry_after_seconds: float | None = None) -> JudgeUnreachable:
    return JudgeUnreachable("busy", status=429, retry_after_seconds=retry_after_seconds)


def decline(pace: Pace, error: Exception) -> None:
    with suppress(type(error)), pace.turn():
        raise error


def starts(pace: Pace, clock: Hours, calls: int, tokens: int = 0) -> list[float]:
    """When each of these calls began, in seconds from now."""
    begun, zero = [], clock.now
    for _ in range(calls):
        with pace.turn(tokens):
            begun.append(clock.now - zero)
    return begun


def test_without_limits_nobody_waits() -> None:
    assert starts(*paced(), calls=5) == [0.0] * 5


def test_bug_158_requests_are_spread_over_the_minute() -> None:
    """120 calls at 60 a minute take two minutes, and no minute holds more than 60."""
    begun = starts(*paced(requests_per_minute=60), calls=120)
    assert begun == [float(second) for second in range(120)]


@given(st.integers(1, 300), st.lists(st.floats(0, 30), max_size=40))
def test_no_minute_holds_more_requests_than_allowed(per_minute: int, idle: list[float]) -> None:
    pace, clock = paced(requests_per_minute=per_minute)
    begun = []
    for seconds in idle:
        clock.now += seconds
        with pace.turn():
            begun.append(clock.now)
    for first, later in zip(begun, begun[per_minute:], strict=False):
        assert later - first >= 60.0 - 1e-6
    for one, following in pairwise(begun):
        assert following - one >= 60.0 / per_minute - 1e-9


def test_tokens_are_spread_over_the_minute() -> None:
    assert starts(*paced(tokens_per_minute=600), calls=4, tokens=100) == [0.0, 10.0, 20.0, 30.0]


def test_the_estimate_is_corrected_by_what_the_server_counted() -> None:
    pace, clock = paced(tokens_per_minute=600)
    with pace.turn(100) as turn:
        turn.tokens = 300
    assert starts(pace, clock, 2, tokens=100) == [30.0, 40.0]
    with pace.turn(100) as turn:
        turn.tokens = 40
    assert starts(pace, clock, 1) == [4.0]


def test_the_stricter_limit_counts() -> None:
    assert starts(*paced(requests_per_minute=6, tokens_per_minute=6000), calls=3, tokens=100) == [0.0, 10.0, 20.0]


@pytest.mark.parametrize(("asked", "waited"), [(7.0, 7.0), (None, 0.0), (86400.0, LONGEST_WAIT_SECONDS)])
def test_all_wait_as_long_as_the_server_asks_one(asked: float | None, waited: float) -> None:
    pace, clock = paced()
    decline(pace, busy(asked))
    assert starts(pace, clock, 2) == [waited, waited]


def test_a_busy_server_halves_the_places_and_replies_give_them_back() -> None:
    pace, clock = paced(16)
    for left in (8, 4, 2, 1, 1):
        decline(pace, busy())
        assert pace.places == left
    starts(pace, clock, 5)
    assert pace.places == 6
    starts(pace, clock, 20)
    assert pace.places == 16


def test_calls_that_were_under_way_together_slow_it_down_once() -> None:
    """Also their replies give nothing back: they tell of the time before."""
    pace, _ = paced(8)
    with pace.turn():
        with suppress(JudgeUnreachable), pace.turn():
            with suppress(JudgeUnreachable), pace.turn():
                raise busy()
            raise busy()
        assert pace.places == 4
    assert pace.places == 4


@pytest.mark.parametrize("error", [JudgeUnreachable("down", status=500), JudgeUnreachable("lost"), ValueError("bug")])
def test_other_faults_slow_nothing_down(error: Exception) -> None:
    pace, clock = paced(8)
    decline(pace, error)
    assert (pace.places, starts(pace, clock, 1)) == (8, [0.0])


def test_bug_157_no_more_calls_under_way_than_places() -> None:
    pace = Pace(4)
    peak, now, guard = 0, 0, threading.Lock()
    full = threading.Barrier(4)

    def call(number: int) -> None:
        nonlocal peak, now
        with pace.turn():
            with guard:
                now += 1
                peak = max(peak, now)
            if number < 4:
                full.wait(10)  # proves that four are let in at once
            with guard:
                now -= 1

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(call, range(64)))
    assert peak == 4


def test_who_waits_to_try_again_holds_no_place() -> None:
    pace, asleep, done = Pace(1), threading.Event(), threading.Event()

    def patient() -> None:
        decline(pace, JudgeUnreachable("down", status=500))
        asleep.set()
        with pytest.raises(RunStopped):
            pace.sleep(3600)
        done.set()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(patient)
        assert asleep.wait(10)
        with pace.turn():
            pass
        assert not done.is_set()
        pace.stop(RunStopped("enough"))
        assert done.wait(10), "stopping wakes it at once"


def test_after_a_stop_calls_under_way_end_and_none_begins() -> None:
    pace, queued = Pace(1), threading.Event()
    reasons: list[str] = []

    def wait_for_a_turn() -> None:
        queued.set()
        try:
            with pace.turn():
                reasons.append("began")
        except RunStopped as stopped:
            reasons.append(str(stopped))

    with ThreadPoolExecutor(3) as pool, pace.turn():
        for _ in range(3):
            pool.submit(wait_for_a_turn)
        assert queued.wait(10)
        pace.stop(RunStopped("first"))
        pace.stop(RunStopped("second"))
    assert reasons == ["first"] * 3


def test_a_stopped_pace_does_not_sleep() -> None:
    pace, clock = paced()
    pace.stop(RunStopped("enough"))
    with pytest.raises(RunStopped):
        pace.sleep(60)
    assert clock.now == 1000.0


def test_sleep_takes_its_time() -> None:
    pace, clock = paced()
    pace.sleep(12.5)
    assert clock.now == 1012.5
