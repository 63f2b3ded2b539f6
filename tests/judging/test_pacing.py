"""When calls may begin. Time only passes when someone waits for it."""

import threading
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.errors import (
    DeadlinePassed,
    JudgeError,
    JudgeRefused,
    JudgeUnreachable,
    ReplyCut,
    ReplyUnreadable,
    RunStopped,
)
from whichhalf.judging.pacing import ANSWERS_A_PLACE, LONGEST_WAIT_SECONDS, Pace


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
    concurrency: int = 16,
    requests_per_minute: float | None = None,
    tokens_per_minute: float | None = None,
    *,
    lasts: float | None = None,
) -> tuple[Pace, Hours]:
    clock = Hours()
    ends_at = None if lasts is None else clock.now + lasts
    pace = Pace(concurrency, requests_per_minute, tokens_per_minute, ends_at=ends_at, clock=clock, wait=clock.wait)
    return pace, clock


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


@pytest.mark.parametrize(
    ("asked", "waited"), [(7.0, 7.0), (0.0, 0.125), (None, 0.125), (86400.0, LONGEST_WAIT_SECONDS)]
)
def test_when_nothing_is_taken_all_wait_as_long_as_the_server_asks(asked: float | None, waited: float) -> None:
    pace, clock = paced()
    decline(pace, busy(asked))
    assert starts(pace, clock, 2) == [waited, waited]


def test_while_others_are_under_way_only_the_refused_call_waits() -> None:
    pace, clock = paced(8)
    with pace.turn():
        decline(pace, busy(60.0))
        assert starts(pace, clock, 3) == [0.0] * 3


def test_without_a_word_of_how_long_the_pauses_double_up_to_the_longest() -> None:
    pace, clock = paced()
    waited = []
    for _ in range(8):
        before = clock.now
        decline(pace, busy())
        waited.append(clock.now - before)  # of the call: it had to wait out the pause before
    assert waited == [0.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 4.0]
    starts(pace, clock, 8)  # four answers halve it
    decline(pace, busy())
    assert starts(pace, clock, 1) == pytest.approx([1.0])


def test_a_refusal_takes_its_place_and_four_answers_give_it_back() -> None:
    pace, clock = paced(16)
    for left in (15, 14, 13):
        decline(pace, busy(0.0))
        assert pace.places == left
    starts(pace, clock, 4)
    assert pace.places == 14
    starts(pace, clock, 100)
    assert pace.places == 16
    for _ in range(40):
        decline(pace, busy(0.0))
    assert pace.places == 1, "one call always tries"


@given(st.integers(1, 64), st.integers(1, 64), st.randoms())
def test_a_burst_leaves_as_many_places_as_calls_were_taken(concurrency: int, limit: int, rnd: Random) -> None:
    """Whatever the order in which the answers and refusals of one burst arrive; never more than there were."""
    pace, _ = paced(concurrency)
    turns = [pace.turn() for _ in range(concurrency)]
    for one in turns:
        one.__enter__()
    refused = turns[limit:]
    rnd.shuffle(refused)
    for one in refused:
        with suppress(JudgeUnreachable):
            one.__exit__(JudgeUnreachable, busy(5.0), None)
    assert pace.places == min(concurrency, limit)


def refusals_of(pace: Pace, limit: int, answers: int) -> tuple[int, int]:
    """A server that takes so many calls at once and answers the oldest whenever no more may begin.

    Refusals, and the most calls it held, until so many were answered.
    """
    held: deque[Any] = deque()
    refused = done = most = 0
    while done < answers:
        if len(held) >= pace.places:
            held.popleft().__exit__(None, None, None)
            done += 1
            continue
        turn = pace.turn()
        turn.__enter__()
        if len(held) < limit:
            held.append(turn)
            most = max(most, len(held))
            continue
        refused += 1
        with suppress(JudgeUnreachable):
            turn.__exit__(JudgeUnreachable, busy(0.0), None)
    return refused, most


@given(st.integers(1, 64), st.integers(1, 64), st.integers(1, 400))
def test_a_server_at_its_limit_refuses_at_most_one_call_in_five(concurrency: int, limit: int, answers: int) -> None:
    """Apart from those it takes to find the limit; and it is kept as busy as it can be."""
    pace, _ = paced(concurrency)
    refused, most = refusals_of(pace, limit, answers)
    assert refused <= max(0, concurrency - limit) + answers / ANSWERS_A_PLACE
    assert most == min(concurrency, limit)


def test_one_refusal_in_ten_takes_no_places_in_the_long_run() -> None:
    pace, clock = paced(16)
    for _ in range(100):
        starts(pace, clock, 9)
        assert pace.places == 16
        decline(pace, busy(0.0))
        assert pace.places == 15


def test_a_part_of_a_place_is_none() -> None:
    pace, clock = paced(2)
    decline(pace, busy(0.0))
    starts(pace, clock, 3)
    with pace.turn(), pytest.raises(AssertionError, match="nobody else could end this wait"), pace.turn():
        pytest.fail("two began where one and three quarters may")


def test_from_one_place_it_is_back_at_sixteen_after_sixty_answers() -> None:
    pace, clock = paced(16)
    for _ in range(16):
        decline(pace, busy(0.0))
    assert pace.places == 1
    starts(pace, clock, 60)
    assert pace.places == 16


@pytest.mark.parametrize("lost", [ReplyUnreadable("no JSON"), JudgeRefused("no"), ReplyCut("cut")])
def test_a_reply_that_cannot_be_used_is_an_answer_all_the_same(lost: JudgeError) -> None:
    pace, _ = paced(8)
    decline(pace, busy(0.0))
    for _ in range(4):
        decline(pace, lost)
    assert pace.places == 8


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


def never_begins(pace: Pace) -> None:
    with pytest.raises(DeadlinePassed), pace.turn():
        pytest.fail("a call began")


def test_no_call_begins_after_the_deadline_however_long_it_had_to_wait() -> None:
    pace, clock = paced(requests_per_minute=6, lasts=15.0)
    assert starts(pace, clock, 2) == [0.0, 10.0]
    never_begins(pace)
    assert clock.now == 1015.0, "it waited no longer than until then"


def test_nobody_waits_past_the_deadline_because_a_server_asks_it() -> None:
    pace, clock = paced(lasts=30.0)
    decline(pace, busy(120.0))
    never_begins(pace)
    assert clock.now == 1030.0


def test_nobody_waits_past_the_deadline_for_a_place() -> None:
    pace, clock = paced(1, lasts=30.0)
    with pace.turn():
        never_begins(pace)
    assert clock.now == 1030.0


def test_sleep_ends_at_the_deadline() -> None:
    pace, clock = paced(lasts=5.0)
    for _ in range(2):
        pace.sleep(60.0)
        assert clock.now == 1005.0
    with pytest.raises(DeadlinePassed):
        pace.check_open()


def test_sleep_takes_its_time() -> None:
    pace, clock = paced()
    pace.sleep(12.5)
    assert clock.now == 1012.5
