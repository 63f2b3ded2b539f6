"""Every call passes the budget and the pace, and tells both what it came to."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from whichhalf.errors import BudgetSpent, CallPostponed, DeadlinePassed, JudgeUnusable
from whichhalf.judging.budget import Budget
from whichhalf.judging.pacing import Pace
from whichhalf.judging.seam import Usage
from whichhalf.judging.settings import JudgeSettings
from whichhalf.judging.traffic import Traffic


def test_settings_set_the_limits() -> None:
    settings = JudgeSettings(concurrency=3, requests_per_minute=60, tokens_per_minute=9000, max_calls=7, budget_usd=0.5)
    traffic = Traffic.of(settings)
    pace = traffic.pace
    assert (pace.concurrency, pace.requests_per_minute, pace.tokens_per_minute) == (3, 60, 9000)
    assert str(traffic.budget) == "max_calls = 7 (0 spent) and budget_usd = 0.5 (0 spent)"
    assert traffic.workers == 6, "while some wait to try again, others have something to ask"
    assert not Traffic.of(JudgeSettings()).budget.is_limited


def test_what_the_server_counted_reaches_the_pace_and_the_budget() -> None:
    now = [0.0]

    def wait(_: object, seconds: float | None) -> None:
        now[0] += seconds or 0.0

    traffic = Traffic(Pace(tokens_per_minute=60, clock=lambda: now[0], wait=wait), Budget(max_usd=1.0))
    with traffic.call(tokens=5, most_usd=1.0) as call:
        call.usage, call.cost_usd = Usage(20, 10), 0.25
    with traffic.call(tokens=5, most_usd=0.75):
        assert now == [30.0], "thirty tokens at one a second"


def test_after_one_call_that_shows_the_judge_unusable_none_is_made() -> None:
    traffic = Traffic()
    quota = JudgeUnusable("no quota is left")
    with suppress(JudgeUnusable), traffic.call(1):
        raise quota
    with pytest.raises(JudgeUnusable) as caught, traffic.call(1):
        pytest.fail("a call was made")
    assert caught.value is quota


def test_a_call_that_the_budget_does_not_cover_takes_no_turn() -> None:
    traffic = Traffic(budget=Budget(max_calls=1))
    with traffic.call(1):
        pass
    with pytest.raises(BudgetSpent), traffic.call(1):
        pytest.fail("a call was made")


def test_calls_are_held_back_in_one_thread_only() -> None:
    traffic = Traffic()

    def call() -> str:
        with traffic.call(1):
            return "made"

    with ThreadPoolExecutor(1) as other, traffic.held():
        with pytest.raises(CallPostponed):
            call()
        assert other.submit(call).result() == "made", "another run that shares the traffic goes on"
    assert call() == "made"


def test_a_call_that_the_deadline_refused_costs_nothing() -> None:
    """It takes its budget and waits for its turn, ten seconds from now; the deadline is in five."""
    now = [0.0]

    def wait(_: object, seconds: float | None) -> None:
        now[0] += seconds or 0.0

    pace = Pace(requests_per_minute=6, ends_at=5.0, clock=lambda: now[0], wait=wait)
    traffic = Traffic(pace, Budget(max_calls=2, max_usd=1.0))
    with traffic.call(1, most_usd=0.25) as call:
        call.cost_usd = 0.25
    with pytest.raises(DeadlinePassed), traffic.call(1, most_usd=0.75):
        pytest.fail("a call was made")
    assert str(traffic.budget) == "max_calls = 2 (1 spent) and budget_usd = 1 (0.25 spent)"


def test_who_waits_for_budget_beyond_the_deadline_learns_of_the_deadline() -> None:
    """The call under way spends the last of it, but that is not why no other is made."""
    times, waits = [6.0, 0.0, 0.0], threading.Event()

    def clock() -> float:
        """Of the second call: it begins, it finds no budget, and the deadline passes while it waits."""
        if threading.current_thread() is threading.main_thread():
            return 0.0
        now = times.pop()
        if times == [6.0]:
            waits.set()
        return now

    traffic = Traffic(Pace(ends_at=5.0, clock=clock), Budget(max_calls=1))

    def send() -> None:
        with traffic.call(1):
            pytest.fail("a call was made")

    with ThreadPoolExecutor(1) as pool:
        with traffic.call(1):
            second = pool.submit(send)
            assert waits.wait(10)
        with pytest.raises(DeadlinePassed):
            second.result()
    assert not traffic.budget.ran_out


def test_what_takes_long_to_load_is_begun_once_with_the_first_call_that_is_postponed() -> None:
    traffic, loaded, release = Traffic(), [], threading.Event()

    def load() -> None:
        release.wait(10)
        loaded.append(threading.current_thread())

    traffic.before_first_call(load)
    with traffic.held():
        for _ in range(3):
            with pytest.raises(CallPostponed):
                traffic.check_not_held()
    assert loaded == [], "nobody waits for it"
    release.set()
    traffic.begin_to_load()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join(10)
    assert len(loaded) == 1
    assert loaded[0] is not threading.current_thread()
