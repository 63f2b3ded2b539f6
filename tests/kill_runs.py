"""Kill a run with signal 9 at a point drawn from a seed, run it again, and count what that cost."""

import json
import multiprocessing
import signal
import sys
import threading
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from judge_server import JudgeServer, Received, Response
from whichhalf.judging.embedding import EMBEDDING
from whichhalf.judging.reply_store import ReplyStore

CONCURRENCY = 4
CASES = 12
HEADLINE = ["faithfulness", "answer_relevance", "context_precision", "context_recall"]
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["numpy", "whichhalf.jobs.evaluation", "whichhalf.reporting.run_reports"])
"""Each run is a process of its own; loading its libraries once saves most of the time."""
CHANCE = ("latency_seconds", "attempts", "cached")


@dataclass(frozen=True, slots=True)
class Killed:
    """What one kill and one run after it came to."""

    point: int
    """The request on whose arrival the run was killed; the last ones may come too late, and the run ends."""
    was_killed: bool
    sent: int
    """Requests of the killed run."""
    kept: int
    """Replies in the cache after the kill."""
    sent_again: int
    """Requests of the run after it."""
    same_files: bool
    """cases.jsonl and summary.json are those of an undisturbed run, byte for byte."""
    same_ledger: bool

    @property
    def repeats(self) -> int:
        """Calls whose reply had not arrived: they were under way at the kill."""
        return self.sent - self.kept


@dataclass
class KillRuns:
    """Runs of one data set against one server. Use `plan` as the server's plan."""

    folder: Path
    seed: int = 0
    _number: int = field(default=0, init=False)
    _kill_at: int | None = field(default=None, init=False)
    _process: Any = field(default=None, init=False)
    _started: int = field(default=0, init=False)

    def plan(self, request: Received) -> Response | None:
        """Every reply takes up to 20 ms, by its question."""
        # a killed client may have sent a part of its question: an empty body
        share = int(sha256(json.dumps(request.body).encode()).hexdigest()[:8], 16) / 2**32
        if self._kill_at is not None and request.number - self._started == self._kill_at:
            wait = Random(f"{self.seed} {self._kill_at}").random() / 25
            threading.Timer(wait, self._kill).start()
        return Response(delay_seconds=share / 50)

    def undisturbed(self, server: JudgeServer) -> tuple[Path, int]:
        """The folder of a run that nobody stops, and how many calls it takes."""
        config = self._config(server)
        before = len(server.requests)
        assert self._run(config) == 0
        return self._only_run(config), len(server.requests) - before

    def kill_and_resume(self, server: JudgeServer, point: int, whole: Path) -> Killed:
        config = self._config(server)
        self._kill_at, self._started = point, len(server.requests)
        code = self._run(config)
        self._kill_at = None
        sent = len(server.requests) - self._started
        store = ReplyStore(config.parent / "cache")
        kept = sum(not one.prompt.startswith(EMBEDDING) for one in store)  # vectors are computed here
        store.close()
        before = len(server.requests)
        was_killed = code == -signal.SIGKILL
        if was_killed:
            assert self._run(config) == 0
        resumed = self._only_run(config)
        names = ("cases.jsonl", "summary.json")
        return Killed(
            point,
            was_killed,
            sent,
            kept,
            len(server.requests) - before,
            all((resumed / name).read_bytes() == (whole / name).read_bytes() for name in names),
            ledger(resumed) == ledger(whole),
        )

    def _run(self, config: Path) -> int:
        self._process = PROCESSES.Process(target=run_command, args=(str(config),))
        self._process.start()
        self._process.join(120)
        code: int = self._process.exitcode
        return code

    def _kill(self) -> None:
        self._process.kill()

    @staticmethod
    def _only_run(config: Path) -> Path:
        (run,) = [one for one in (config.parent / "runs").iterdir() if not one.name.startswith(".")]
        return run

    def _config(self, server: JudgeServer) -> Path:
        self._number += 1
        folder = self.folder / str(self._number)
        folder.mkdir()
        write_rows(folder, CASES)
        return write_config(folder, server, concurrency=CONCURRENCY)


def run_command(config: str) -> None:
    """`whichhalf run CONFIG --quiet`, in this process."""
    from whichhalf.cli.main import main

    sys.argv = ["whichhalf", "run", config, "--quiet"]
    main()


def ledger(run: Path) -> list[dict[str, Any]]:
    """The lines of calls.jsonl in their order, without what is chance."""
    lines = [json.loads(line) for line in (run / "calls.jsonl").read_text(encoding="utf-8").splitlines()]
    return [{name: value for name, value in line.items() if name not in CHANCE} for line in lines]


def write_rows(folder: Path, count: int) -> None:
    """Questions with answers of three statements, of which one stands in no passage, and a reference answer."""
    golden, outputs = [], []
    for number in range(count):
        facts = [f"Rule {number}-{part} holds." for part in range(3)]
        name = f"q{number:03d}"
        golden.append(
            {
                "id": name,
                "question": f"What is rule {number}?",
                "relevant": [f"p{number}"],
                "reference_answer": " ".join([facts[0], f"Rule {number}-9 holds too."]),
                "tags": {"topic": "rent" if number % 3 else "fees"},
            }
        )
        passages = [
            {"id": f"p{number}", "text": " ".join(facts[:2])},
            {"id": f"n{number}", "text": f"Nothing of use in {number}."},
        ]
        outputs.append({"id": name, "retrieved": passages, "context": passages, "answer": " ".join(facts)})
    for file, rows in (("golden.jsonl", golden), ("outputs.jsonl", outputs)):
        (folder / file).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_config(folder: Path, server: JudgeServer, **judge: object) -> Path:
    """A config of the rows in a folder, with the four headline metrics."""
    settings = {"model": "openai/gpt-4o-mini", "base_url": server.base_url, "timeout_seconds": 20, **judge}
    tables: dict[str, dict[str, object]] = {
        "data": {name: f"{name}.jsonl" for name in ("golden", "outputs")},
        "metrics": {"retrieval": ["recall@5"], "judged": HEADLINE, "slices": ["topic"]},
        "judge": settings,
        "run": {"out": "runs", "cache": "cache"},
    }
    lines = []
    for name, table in tables.items():
        lines += [f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items())]
    path = folder / "run.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path
