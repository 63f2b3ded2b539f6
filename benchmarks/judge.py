"""The four headline metrics with a judge behind HTTP: whichhalf, ragas and DeepEval on the same made-up rows.

    python benchmarks/judge.py                                      # whichhalf alone, 200 samples
    python benchmarks/judge.py --ragas PYTHON --deepeval PYTHON --stub STUB
    python benchmarks/judge.py --at-once 8                          # the server refuses more than eight at once
    python benchmarks/judge.py --reads                              # 10,000 replies read from a warm cache

PYTHON is the interpreter of an environment with that tool, STUB a module that answers its prompts (see judge_stub.py).
Every run is a process of its own, from its start to its end. The smallest of --repeats runs is shown: other work on the
machine can only add. The warm rerun repeats the first run with its cache. Faults are 10 % busy (429, Retry-After 1),
5 % broken (500) and 5 % cut JSON, drawn from the prompt and how often it was seen.
"""

import argparse
import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
METRICS = ["faithfulness", "answer_relevance", "context_precision", "context_recall"]
FAULTS = {"busy": 0.1, "broken": 0.05, "cut": 0.05, "retry_after": 1}
CALM = {"busy": 0.0, "broken": 0.0, "cut": 0.0}
WORDS = "river market harvest council bridge winter signal copper garden letter engine harbour".split()  # noqa: SIM905
READS = 10_000
_POLL_SECONDS = 0.2
HEADINGS = (
    "| | calls + embedding calls a sample | prompt characters a sample | wall s | client CPU s | peak MiB "
    "| warm rerun s | its CPU s | scored | refused (429) | scored under faults |"
)

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ran:
    """One process."""

    wall_seconds: float
    cpu_seconds: float
    """Of the client, user and system."""
    peak_mib: float
    """The peaks of the process and of those it began, added up."""
    scored: dict[str, int]
    stats: dict[str, int]
    """As the server counted."""


def made_up(samples: int, seed: int = 3) -> list[Row]:
    """Five passages of six sentences; they hold three of an answer's four sentences, two of a reference's three."""
    rnd = random.Random(seed)

    def sentence(words: int) -> str:
        return " ".join(rnd.choice(WORDS) for _ in range(words)).capitalize() + "."

    rows = []
    for number in range(samples):
        passages = [[sentence(14) for _ in range(6)] for _ in range(5)]
        rows.append(
            {
                "question": f"What is known about {rnd.choice(WORDS)} number {number}?",
                "answer": " ".join([*(rnd.choice(one) for one in passages[:3]), sentence(12)]),
                "reference": " ".join([*(rnd.choice(one) for one in passages[1:3]), sentence(12)]),
                "passages": [" ".join(one) for one in passages],
            }
        )
    return rows


class Server:
    """The stub, in a process of its own."""

    def __init__(self, stub: Path | None, latency: float) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        command = [sys.executable, str(HERE / "judge_stub.py"), str(port), *([str(stub)] if stub else [])]
        self._process = subprocess.Popen(command)
        for _ in range(200):
            try:
                self.send("/config", {"latency": latency})
                return
            except OSError:
                time.sleep(0.1)
        raise SystemExit("the stub does not start")

    def send(self, path: str, body: dict[str, Any] | None = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=5) as response:
            return json.load(response)

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait()


class Ours:
    """`whichhalf run`, as a user would call it."""

    name = "whichhalf"

    def __init__(self, rows: list[Row], folder: Path, in_flight: int, url: str) -> None:
        self._runs = folder / "runs"
        self.cache = folder / "cache"
        golden, outputs = folder / "golden.jsonl", folder / "outputs.jsonl"
        _write_lines(golden, [_golden(number, row) for number, row in enumerate(rows)])
        _write_lines(outputs, [_output(number, row) for number, row in enumerate(rows)])
        self._config = folder / "bench.toml"
        self._config.write_text(
            f"[data]\ngolden = {str(golden)!r}\noutputs = {str(outputs)!r}\n[metrics]\njudged = {METRICS}\n"
            f"[judge]\nmodel = 'openai/gpt-4o-mini'\nbase_url = '{url}/v1'\nconcurrency = {in_flight}\n"
            f"[run]\nout = {str(self._runs)!r}\ncache = {str(self.cache)!r}\n",
            encoding="utf-8",
        )

    @property
    def command(self) -> list[str]:
        program = "from whichhalf.cli import main; main()"
        return [sys.executable, "-c", program, "run", str(self._config), "--quiet"]

    def scored(self, _: str) -> dict[str, int]:
        newest = max(self._runs.iterdir(), key=lambda one: one.stat().st_mtime_ns)
        summary = json.loads((newest / "summary.json").read_text(encoding="utf-8"))
        return {name: one["scored"] for name, one in summary["metrics"].items()}


class Peer:
    """Another tool, in its own environment."""

    def __init__(self, name: str, python: str, rows: list[Row], folder: Path, workers: int) -> None:
        self.name = f"{name}, {workers} workers" if workers else f"{name}, its defaults"
        self.cache = folder / "cache"
        path = folder / "rows.json"
        path.write_text(json.dumps(rows), encoding="utf-8")
        tool = [python, str(HERE / "judge_peers.py"), name, str(path), str(workers), str(self.cache)]
        self.command = tool

    def scored(self, printed: str) -> dict[str, int]:
        found: dict[str, int] = json.loads(printed.strip().splitlines()[-1])
        return found


def run(tool: Ours | Peer, server: Server) -> Ran | None:
    """None when it died."""
    server.send("/reset", {})
    environment = {
        **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
        "OPENAI_API_KEY": "stub",
        "OPENAI_BASE_URL": f"{server.url}/v1",
        "RAGAS_DO_NOT_TRACK": "true",
        "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
        "ERROR_REPORTING": "0",
    }
    with tempfile.TemporaryFile("w+") as printed, tempfile.TemporaryFile("w+") as complaints:
        started = time.perf_counter()
        process = subprocess.Popen(tool.command, env=environment, stdout=printed, stderr=complaints)
        with _peaks_of(process.pid) as peaks:
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        wall = time.perf_counter() - started
        printed.seek(0)
        complaints.seek(0)
        if process.returncode not in {0, 3}:
            print(f"{tool.name} ended with {process.returncode}: {complaints.read()[-300:]}", file=sys.stderr)
            return None
        scored = tool.scored(printed.read())
    cpu = usage.ru_utime + usage.ru_stime
    return Ran(wall, cpu, sum(peaks.values()) / 1024, scored, server.send("/stats"))


@contextmanager
def _peaks_of(number: int) -> Iterator[dict[int, int]]:
    """As `_note_peaks` notes them, while the block runs."""
    peaks: dict[int, int] = {}
    has_ended = threading.Event()

    def watch() -> None:
        while not has_ended.wait(_POLL_SECONDS):
            _note_peaks(number, peaks)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield peaks
    finally:
        has_ended.set()
        watcher.join()


def _note_peaks(number: int, peaks: dict[int, int]) -> None:
    """The most memory that a process and those it began have taken so far, in KiB, by process. Linux tells it."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):  # ended just now
            told = dict(line.split(":", 1) for line in path.read_text(encoding="utf-8").splitlines())
            parents[int(told["Pid"])] = int(told["PPid"]), int(told.get("VmHWM", "0 kB").split()[0])
    ours = {number}
    while more := {one for one, (parent, _) in parents.items() if parent in ours} - ours:
        ours |= more
    peaks |= {one: parents[one][1] for one in ours if one in parents and parents[one][1]}


def measure(tool: Ours | Peer, server: Server, samples: int, repeats: int) -> None:
    """Print one row of the table."""
    server.send("/config", CALM)
    cold, warm = [], []
    for _ in range(repeats):
        shutil.rmtree(tool.cache, ignore_errors=True)
        cold.append(run(tool, server))
        warm.append(run(tool, server))
    server.send("/config", FAULTS)
    shutil.rmtree(tool.cache, ignore_errors=True)
    faulty = run(tool, server)
    best = min((one for one in cold if one), key=lambda one: one.wall_seconds, default=None)
    again = [one for one in warm if one]
    if best is None:
        print(f"| {tool.name} | died |")
        return
    cells = [
        f"{best.stats['calls'] / samples:.2f} + {best.stats.get('embedding_calls', 0) / samples:.2f}",
        f"{best.stats['prompt_characters'] / samples:,.0f}",
        f"{best.wall_seconds:.1f}",
        f"{min(one.cpu_seconds for one in cold if one):.1f}",
        f"{best.peak_mib:.0f}",
        _least([one.wall_seconds for one in again]),
        _least([one.cpu_seconds for one in again]),
        _shares(best.scored, samples),
        f"{best.stats.get('answered_429', 0) / best.stats['calls']:.0%}",
        f"{_shares(faulty.scored, samples)} in {faulty.wall_seconds:.1f} s" if faulty else "died",
    ]
    print(f"| {tool.name} | {' | '.join(cells)} |", flush=True)


def _least(seconds: list[float]) -> str:
    return f"{min(seconds):.2f}" if seconds else "died"


def _shares(scored: dict[str, int], samples: int) -> str:
    return f"{sum(scored.values())} of {samples * len(METRICS)}"


def _golden(number: int, row: Row) -> Row:
    name = f"q{number}"
    return {"id": name, "question": row["question"], "relevant": ["p1"], "reference_answer": row["reference"]}


def _output(number: int, row: Row) -> Row:
    passages = [{"id": f"q{number}-p{at}", "text": text} for at, text in enumerate(row["passages"])]
    return {"id": f"q{number}", "retrieved": passages, "context": passages, "answer": row["answer"]}


def _write_lines(path: Path, rows: list[Row]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def read_warm_cache(folder: Path, repeats: int) -> None:
    """10,000 kept replies of 2 to 10 kB, read once each by one thread."""
    from whichhalf.judging.reply_store import ReplyStore, StoredReply

    rnd = random.Random(1)
    store = ReplyStore(folder / "cache")
    keys = [f"{number:064x}" for number in range(READS)]
    texts = ["x" * rnd.randint(2_000, 10_000) for _ in keys]
    store.put_all(
        StoredReply(key=key, prompt="p/v1", model="m", text=text) for key, text in zip(keys, texts, strict=True)
    )
    wall, cpu = [], []
    for _ in range(repeats):
        rnd.shuffle(keys)
        started, cpu_started = time.perf_counter(), time.process_time()
        for key in keys:
            assert store.get(key) is not None
        wall.append(time.perf_counter() - started)
        cpu.append(time.process_time() - cpu_started)
    store.close()
    print(f"{READS:,} reads of a warm cache: {min(wall):.2f} s, CPU {min(cpu):.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--peer-repeats", type=int, default=1)
    parser.add_argument("--peer-workers", type=int, default=0, help="0 is the tool's own default")
    parser.add_argument("--ragas", help="interpreter of its environment")
    parser.add_argument("--deepeval", help="interpreter of its environment")
    parser.add_argument("--stub", type=Path)
    parser.add_argument("--at-once", type=int, default=0, help="calls that the server takes; 0 is all")
    parser.add_argument("--reads", action="store_true")
    choices = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if choices.reads:
            read_warm_cache(folder, choices.repeats)
            return
        rows = made_up(choices.samples)
        server = Server(choices.stub.resolve() if choices.stub else None, choices.latency)
        try:
            server.send("/config", {"at_once": choices.at_once})
            print(f"load {os.getloadavg()[0]:.1f}\n{HEADINGS}", flush=True)
            measure(Ours(rows, folder, choices.in_flight, server.url), server, choices.samples, choices.repeats)
            for peer in ("ragas", "deepeval"):
                python = getattr(choices, peer)
                if not python or not choices.stub:
                    print(f"{peer}: left out, --{peer} or --stub is not given")
                    continue
                own = folder / peer
                own.mkdir()
                tool = Peer(peer, python, rows, own, choices.peer_workers)
                measure(tool, server, choices.samples, choices.peer_repeats)
            print(f"load {os.getloadavg()[0]:.1f}")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
