"""What may be spent is never passed, also by calls under way at once."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from whichhalf.errors import BudgetSpent, JudgeUnreachable
from whichhalf.judging.budget import Budget, Need


def spend(budget: Budget, most: float, told: float | None) -> None:
    with budget.call(most) as bill:
        bill.usd = told


def test_without_limits_it_only_counts() -> None:
    budget = Budget()
    for _ in range(100):
        spend(budget, 1e9, 1e9)
    assert (budget.is_limited, budget.counts_money, budget.ran_out) == (False, False, False)


def test_no_more_calls_than_allowed() -> None:
    budget = Budget(max_calls=3)
    for _ in range(3):
        spend(budget, 0.0, None)
    assert not budget.ran_out
    with pytest.raises(BudgetSpent, match=r"^max_calls = 3 \(3 spent\) does not cover another call$"):
        spend(budget, 0.0, None)
    assert budget.ran_out


def test_a_failed_call_is_a_call() -> None:
    budget = Budget(max_calls=1)
    with suppress(JudgeUnreachable), budget.call():
        raise JudgeUnreachable("busy", status=429)
    with pytest.raises(BudgetSpent):
        spend(budget, 0.0, None)


def test_what_a_call_did_not_cost_is_given_back() -> None:
    """Each may cost 0.5 and costs 0.25: three fit into 1, and then another may not."""
    budget = Budget(max_usd=1.0)
    for _ in range(3):
        spend(budget, 0.5, 0.25)
    with pytest.raises(BudgetSpent, match=r"^budget_usd = 1 \(0.75 spent\) does not cover another call$"):
        spend(budget, 0.5, 0.25)


def test_a_price_left_open_counts_in_full() -> None:
    budget = Budget(max_usd=1.0)
    spend(budget, 0.5, None)
    spend(budget, 0.5, None)
    with pytest.raises(BudgetSpent):
        spend(budget, 0.001, None)


@pytest.mark.parametrize(("status", "left"), [(429, 1.0), (500, 1.0), (None, 0.5), (200, 0.5)])
def test_a_declined_call_costs_nothing_and_an_unanswered_one_may(status: int | None, left: float) -> None:
    budget = Budget(max_usd=1.0)
    with suppress(JudgeUnreachable), budget.call(0.5):
        raise JudgeUnreachable("no", status=status)
    spend(budget, left, left)
    with pytest.raises(BudgetSpent):
        spend(budget, 0.001, 0.001)


@pytest.mark.parametrize("workers", [2, 16])
def test_calls_under_way_at_once_do_not_pass_the_limit(workers: int) -> None:
    """Each may cost 0.1 and costs 0.03: while others are under way, one that does not fit waits for them."""
    budget, guard, spent = Budget(max_calls=60, max_usd=1.0), threading.Lock(), [0, 0.0]

    def call(_: int) -> None:
        with suppress(BudgetSpent), budget.call(0.1) as bill:
            with guard:
                spent[0] += 1
                spent[1] += 0.03
            bill.usd = 0.03

    with ThreadPoolExecutor(workers) as pool:
        list(pool.map(call, range(200)))
    assert spent[0] == 31, "after 31 calls 0.07 are left, which may not be enough"
    assert spent[1] <= 1.0


def test_a_case_waits_until_what_is_left_covers_it() -> None:
    budget, begun, end = Budget(max_calls=8), threading.Event(), threading.Event()
    order: list[str] = []

    def long_case() -> None:
        with budget.case(Need(5)):
            begun.set()
            end.wait(10)
            order.append("first")

    def next_case() -> None:
        with budget.case(Need(5)):
            order.append("second")

    with ThreadPoolExecutor(2) as pool:
        pool.submit(long_case)
        assert begun.wait(10)
        pool.submit(next_case)
        with budget.case(Need(3)):
            order.append("small")
        with budget.case(Need(0)):
            order.append("kept")
        end.set()
    assert order == ["small", "kept", "first", "second"]


def test_sums_of_money_leave_no_remainder_that_holds_a_case_back() -> None:
    budget, barrier, ended = Budget(max_usd=0.1), threading.Barrier(3), []

    def case(usd: float) -> None:
        with budget.case(Need(1, usd)):
            barrier.wait(10)
        ended.append(usd)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(case, [0.01, 0.02, 0.03]))  # 0.01 + 0.02 + 0.03 - 0.01 - 0.02 - 0.03 is not 0
    with budget.case(Need(1, 0.2)):
        ended.append(0.2)
    assert sorted(ended) == [0.01, 0.02, 0.03, 0.2]


def test_the_last_of_the_budget_goes_to_one_case() -> None:
    budget = Budget(max_calls=2)
    with budget.case(Need(5)):
        spend(budget, 0.0, None)
        spend(budget, 0.0, None)
