"""A real judge over real sockets: a server that refuses now and then, one that is at its limit, one that has closed."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from judge_server import Body, JudgeServer, Received, Response, at_random, choice, error, in_order, sensible_answer
from whichhalf.judging.pacing import ANSWERS_A_PLACE, Pace
from whichhalf.judging.provider import Provider
from whichhalf.judging.retrying import Patience, RetryingJudge
from whichhalf.judging.seam import JudgeQuestion
from whichhalf.judging.settings import JudgeSettings
from whichhalf.judging.traffic import Traffic

AskAbout = Callable[..., JudgeQuestion[Any]]


def ask_all(
    server: JudgeServer, questions: list[JudgeQuestion[Any]], pace: Pace, sleep: Callable[[float], None]
) -> int:
    """Calls that the judge says it took."""
    settings = JudgeSettings(model="openai/judge-a", base_url=server.base_url)
    judge = RetryingJudge(Provider(settings, Traffic(pace)), Patience(sleep=sleep))
    with ThreadPoolExecutor(2 * pace.concurrency) as pool:
        return sum(reply.attempts for reply in pool.map(judge.ask, questions))


def test_faults_at_random_cost_one_call_each_and_no_places(split_question: AskAbout) -> None:
    busy = at_random(0.10, error(429, retry_after="0.01"), seed=1)
    broken = at_random(0.05, error(500), seed=2)
    torn = at_random(0.05, choice('{"refuses": false, "cla'), seed=3)
    faulty: list[int] = []

    def plan(request: Received) -> Response | None:
        response = busy(request) or broken(request) or torn(request)
        if response is not None:
            faulty.append(request.number)
        return response

    questions = [split_question(f"It opens at {number}.") for number in range(200)]
    pace = Pace(16)
    with JudgeServer(plan=plan) as server:
        calls = ask_all(server, questions, pace, lambda _: None)
        assert len(server.requests) == len(questions) + len(faulty) == calls
    assert len(faulty) >= 20
    assert pace.places >= 12


class AtMost:
    """Takes so many calls at once and refuses the others."""

    def __init__(self, limit: int) -> None:
        self._free = threading.Semaphore(limit)
        self._guard = threading.Lock()
        self._held = self.most = self.refused = 0

    def plan(self, _: Received) -> Response | None:
        with self._guard:
            if not self._free.acquire(blocking=False):
                self.refused += 1
                return error(429, retry_after="0.02")
            self._held += 1
            self.most = max(self.most, self._held)
        return None

    def answer(self, body: Body) -> str:
        time.sleep(0.01)  # so that calls are under way together
        with self._guard:
            self._held -= 1
            self._free.release()
        return sensible_answer(body)


def test_a_server_at_its_limit_is_kept_busy_and_seldom_refuses(split_question: AskAbout) -> None:
    door = AtMost(4)
    questions = [split_question(f"It opens at {number}.") for number in range(200)]
    with JudgeServer(plan=door.plan, answer=door.answer) as server:
        calls = ask_all(server, questions, Pace(16), time.sleep)
    assert calls == len(questions) + door.refused
    assert door.most == 4
    assert door.refused <= 16 + len(questions) / ANSWERS_A_PLACE


def test_while_a_server_takes_nothing_nobody_calls_it(split_question: AskAbout) -> None:
    """Its refusal is met by one call; the fifteen others begin after the wait it asked for."""
    begun: list[float] = []

    def plan(request: Received) -> Response | None:
        begun.append(time.monotonic())
        return in_order(error(429, retry_after="0.4"))(request)

    questions = [split_question(f"It opens at {number}.") for number in range(16)]
    with JudgeServer(plan=plan) as server:
        assert ask_all(server, questions, Pace(16), time.sleep) == 17
    assert min(begun[1:]) - begun[0] >= 0.4
