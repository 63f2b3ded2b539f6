"""200 questions under the four headline metrics, on a server that stalls, refuses, cuts and hangs up."""

import json
import threading
from collections import Counter
from hashlib import sha256
from pathlib import Path
from random import Random

from judge_server import JudgeServer, Received, Response, choice, cut, dropped, error, sensible_answer, slow
from kill_runs import HEADLINE, write_config, write_rows
from whichhalf.jobs.evaluation import run_evaluation
from whichhalf.running.config import read_config

CASES = 200
CALLS = 5 * CASES
"""Claims of answer and reference, both against the passages, and questions written from the answer."""
TIMEOUT_SECONDS = 10.0
SHARES = {"429": 0.10, "500": 0.05, "torn": 0.025, "cut": 0.025, "hang": 0.01, "dropped": 0.01}


class Faults:
    """Drawn from each question and how often it was asked: the same whatever the threads do. The third time is fine."""

    def __init__(self, seed: int) -> None:
        self.made: Counter[str] = Counter()
        self._seed = seed
        self._asked: Counter[str] = Counter()
        self._guard = threading.Lock()

    def plan(self, request: Received) -> Response | None:
        question = sha256(json.dumps(request.body["messages"]).encode()).hexdigest()
        with self._guard:
            self._asked[question] += 1
            times = self._asked[question]
        draw = Random(f"{self._seed} {question} {times}").random()
        for name, share in SHARES.items():
            draw -= share
            if draw < 0 and times <= (1 if name == "cut" else 2):  # a reply with more room is not cut
                with self._guard:
                    self.made[name] += 1
                return self._response(name, request)
        return None

    @staticmethod
    def _response(name: str, request: Received) -> Response:
        reply = sensible_answer(request.body)
        return {
            "429": error(429, "slow down", retry_after="0.05"),
            "500": error(500),
            "torn": choice(reply[: len(reply) * 2 // 3]),
            "cut": cut(reply[: len(reply) // 2]),
            "hang": slow(TIMEOUT_SECONDS + 2),
            "dropped": dropped(),
        }[name]


def test_nothing_is_lost_and_no_call_is_made_in_vain(tmp_path: Path) -> None:
    faults = Faults(seed=3)
    write_rows(tmp_path, CASES)
    with JudgeServer(plan=faults.plan) as server:
        config = write_config(tmp_path, server, timeout_seconds=TIMEOUT_SECONDS, concurrency=32)
        run = run_evaluation(read_config(config), "faults").run
        sent = len(server.requests)
    assert all(faults.made[name] > 0 for name in SHARES)
    for name in HEADLINE:
        assert (run.metrics[name].scored, run.metrics[name].failed) == (CASES, {})
    assert sent == CALLS + sum(faults.made.values())
    assert run.cost.judge_calls == sent
    assert run.replies_cost.questions == CALLS
    # the means are those of the data: of three statements two are in the passages, of two reference facts one is
    assert abs((run.metrics["faithfulness"].mean or 0) - 2 / 3) < 1e-12
    assert (run.metrics["context_recall"].mean, run.metrics["context_precision"].mean) == (0.5, 0.5)
