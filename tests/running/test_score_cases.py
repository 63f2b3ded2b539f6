"""Cases and their metrics are spread over threads: each is scored once, and no thread is idle while one is left."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import pytest

from whichhalf.core.case import Case, Question
from whichhalf.core.metric import MetricCard, MetricName
from whichhalf.core.outcome import Failed, Outcome, Scored
from whichhalf.errors import JudgeUnreachable
from whichhalf.judging.budget import Budget, Need
from whichhalf.judging.traffic import Traffic
from whichhalf.running.score_case import SharedCase
from whichhalf.running.score_cases import score_cases

NAMES = ["first", "second", "third", "fourth"]
PATIENCE_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Counted:
    """A metric that does what it is told, and gives the length of the case's id."""

    name: str
    do: Callable[[Case], object] = id

    @property
    def card(self) -> MetricCard:
        return MetricCard(MetricName(self.name), "generation", "", ())

    def score(self, case: Case) -> Outcome:
        self.do(case)
        return Scored(value=1 / len(case.id))


def case(name: str) -> Case:
    return Case(question=Question(id=name, text=f"{name}?"))


def test_threads_without_a_case_score_the_metrics_of_others() -> None:
    all_at_once = threading.Barrier(len(NAMES), timeout=PATIENCE_SECONDS)
    metrics = [Counted(name, lambda _: all_at_once.wait()) for name in NAMES]
    (result,) = score_cases([case("a")], metrics, workers=len(NAMES))
    assert list(result.outcomes) == NAMES
    assert set(result.outcomes.values()) == {Scored(value=1.0)}


@pytest.mark.parametrize("workers", [1, 2, 3, 8, 40])
def test_every_metric_of_every_case_is_scored_once_and_results_keep_their_order(workers: int) -> None:
    scored: Counter[tuple[str, str]] = Counter()
    guard, random = threading.Lock(), Random(workers)

    def count(name: str) -> Callable[[Case], None]:
        def note(given: Case) -> None:
            time.sleep(random.random() / 1000)
            with guard:
                scored[given.id, name] += 1

        return note

    cases = [case("a" * size) for size in range(1, 21)]
    results = score_cases(cases, [Counted(name, count(name)) for name in NAMES], workers)
    assert [result.case for result in results] == cases
    assert [list(result.outcomes) for result in results] == [NAMES] * 20
    assert [result.outcomes["third"] for result in results] == [Scored(value=1 / size) for size in range(1, 21)]
    assert scored == Counter({(one.id, name): 1 for one in cases for name in NAMES})


def test_what_is_known_is_not_scored_again() -> None:
    def forbidden(_: Case) -> None:
        raise AssertionError("it is known")

    known = {"second": Scored(value=0.5)}
    result = SharedCase(case("a"), [Counted("first"), Counted("second", forbidden)], known).finish()
    assert dict(result.outcomes) == {"second": Scored(value=0.5), "first": Scored(value=1.0)}


def test_a_lost_reply_is_an_outcome_whoever_met_it() -> None:
    def lose(_: Case) -> None:
        raise JudgeUnreachable("gone")

    shared = SharedCase(case("a"), [Counted("first"), Counted("second", lose)])
    shared.help()
    assert shared.left == 1
    found = shared.finish().outcomes
    assert found["first"] == Scored(value=1.0)
    assert isinstance(found["second"], Failed)
    assert found["second"].message == "gone"


def test_a_bug_that_a_helper_meets_ends_the_run() -> None:
    both = threading.Barrier(2, timeout=PATIENCE_SECONDS)

    def fail(_: Case) -> None:
        both.wait()
        raise ZeroDivisionError("a bug")

    metrics = [Counted("first", lambda _: both.wait()), Counted("second", fail)]
    with pytest.raises(ZeroDivisionError, match="a bug"):
        score_cases([case("a")], metrics, workers=2)


def test_under_a_budget_a_case_has_one_thread() -> None:
    at_work: Counter[str] = Counter()
    most: list[int] = []

    def note(given: Case) -> None:
        at_work[given.id] += 1
        most.append(at_work[given.id])
        time.sleep(0.005)
        at_work[given.id] -= 1

    traffic = Traffic(budget=Budget(max_calls=100))
    metrics = [Counted(name, note) for name in NAMES]
    score_cases([case("a"), case("b")], metrics, workers=8, traffic=traffic, need=lambda _: Need(calls=4))
    assert most == [1] * 8


def test_nothing_more_is_scored_for_a_case_that_is_lost() -> None:
    def fail(_: Case) -> None:
        raise ZeroDivisionError("a bug")

    def forbidden(_: Case) -> None:
        raise AssertionError("it is paid for in vain")

    shared = SharedCase(case("a"), [Counted("first", forbidden), Counted("second", fail)])
    shared.help()
    assert shared.left == 0
    with pytest.raises(ZeroDivisionError, match="a bug"):
        shared.finish()
