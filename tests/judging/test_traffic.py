"""Every call passes the budget and the pace, and tells both what it came to."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from whichhalf.errors import BudgetSpent, CallPostponed, JudgeUnusable
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
