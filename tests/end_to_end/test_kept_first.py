"""Kept replies are read before anything is asked: what they answer needs no thread, no SDK and no server."""

import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

from judge_server import JudgeServer
from kill_runs import CASES, HEADLINE, ledger, write_config, write_rows
from whichhalf.datasets.golden import load_golden
from whichhalf.datasets.outputs import load_outputs
from whichhalf.jobs.evaluation import run_evaluation
from whichhalf.judging.offline import OfflineJudge
from whichhalf.judging.reply_store import ReplyStore
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion, Reply, T
from whichhalf.judging.settings import JudgeSettings
from whichhalf.judging.traffic import Traffic
from whichhalf.running.config import read_config
from whichhalf.running.evaluate import evaluate

WATCHED = """
import sys, threading
from pathlib import Path
started = []
start = threading.Thread.start
threading.Thread.start = lambda thread: (started.append(thread), start(thread))[1]
from whichhalf.jobs.evaluation import run_evaluation
from whichhalf.running.config import read_config
run = run_evaluation(read_config(Path(sys.argv[1])), "again").run
print(len(started), [name for name in ("openai", "litellm", "wordllama") if name in sys.modules], run.cost.judge_calls)
"""


def test_a_run_of_kept_replies_begins_no_thread_and_loads_no_model(tmp_path: Path) -> None:
    write_rows(tmp_path, CASES)
    with JudgeServer() as server:
        config = write_config(tmp_path, server, concurrency=8)
        first = run_evaluation(read_config(config), "first")
    command = [sys.executable, "-c", WATCHED, str(config)]
    again = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert again.split() == ["0", "[]", "0"], again
    (folder,) = [one for one in first.folder.parent.iterdir() if one.name.startswith("again")]
    for name in ("cases.jsonl", "summary.json"):
        assert (folder / name).read_bytes() == (first.folder / name).read_bytes()


def test_what_is_half_kept_is_asked_for_the_rest_alone_and_told_once(tmp_path: Path) -> None:
    write_rows(tmp_path, CASES)
    with JudgeServer() as server:
        config = write_config(tmp_path, server, concurrency=8)
        first = run_evaluation(read_config(config), "first")
        asked = len(server.requests)
        store = ReplyStore(tmp_path / "cache")
        verdicts = sorted(one.key for one in store if one.prompt.startswith("verify_claims"))
        questions = sorted(one.key for one in store if one.prompt.startswith("write_questions"))
        store.forget([*verdicts[::3], *questions[::2]])
        store.close()
        second = run_evaluation(read_config(config), "second")
        missing = len(verdicts[::3]) + len(questions[::2])
        assert len(server.requests) - asked == missing
    assert (second.run.cost.judge_calls, second.run.cost.cached) == (missing, asked - missing)
    assert [one.outcomes for one in second.run.results] == [one.outcomes for one in first.run.results]
    assert set(second.run.results[0].outcomes) >= set(HEADLINE)
    told = [call.key for call in second.run.calls if call.key]
    assert len(told) == len(set(told)) == asked
    assert ledger(second.folder) == ledger(first.folder)


def test_vectors_that_are_not_kept_are_computed_where_nothing_may_be_written(tmp_path: Path) -> None:
    write_rows(tmp_path, CASES)
    with JudgeServer() as server:
        config = write_config(tmp_path, server, concurrency=8)
        first = run_evaluation(read_config(config), "first")
    store = ReplyStore(tmp_path / "cache")
    store.forget([one.key for one in store if one.prompt.startswith("embedding")])
    kept = {one.key for one in store}
    store.close()
    again = run_evaluation(read_config(config), "again", replay_only=True)
    assert [one.outcomes for one in again.run.results] == [one.outcomes for one in first.run.results]
    store = ReplyStore(tmp_path / "cache")
    assert {one.key for one in store} == kept
    store.close()


def test_a_replay_without_a_cache_makes_none(tmp_path: Path) -> None:
    write_rows(tmp_path, 2)
    with JudgeServer() as server:
        config = write_config(tmp_path, server)
        run = run_evaluation(read_config(config), "replay", replay_only=True).run
        assert server.requests == []
    assert run.metrics["faithfulness"].failed == {"reply_not_recorded": 2}
    assert not (tmp_path / "cache").exists()


class SlowJudge:
    """Answers by itself, and tells how many questions it had at once."""

    identity = JudgeIdentity("mine", None, {})

    def __init__(self) -> None:
        self.most = 0
        self._now = 0
        self._guard = threading.Lock()
        self._together = threading.Barrier(4)

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
        with self._guard:
            self._now += 1
            self.most = max(self.most, self._now)
        if question.prompt.name == "split_claims":
            with suppress(threading.BrokenBarrierError):
                self._together.wait(5)
        reply = OfflineJudge().ask(question)
        with self._guard:
            self._now -= 1
        return reply


def test_a_judge_beside_the_traffic_is_asked_by_several_threads(tmp_path: Path) -> None:
    write_rows(tmp_path, CASES)
    golden, outputs = load_golden(tmp_path / "golden.jsonl"), load_outputs(tmp_path / "outputs.jsonl")
    judge = SlowJudge()
    traffic = Traffic.of(JudgeSettings(concurrency=4))
    run = evaluate(golden, outputs, ["faithfulness"], judge=judge, traffic=traffic)
    assert run.metrics["faithfulness"].scored == CASES
    assert judge.most >= 4
