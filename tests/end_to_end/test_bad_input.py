"""Bad input: one clear message with the place, exit code 2, nothing asked and nothing written."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest


class CountingServer:
    """Counts the calls that reach a judge, and refuses every one of them."""

    def __init__(self) -> None:
        self.calls = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.calls += 1
                self.rfile.read(int(self.headers["Content-Length"]))
                body = b'{"error": {"message": "no such model", "code": "model_not_found"}}'
                self.send_response(404)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Silent."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self.server.server_address[1]}/v1"


@pytest.fixture
def judge() -> Iterator[CountingServer]:
    counting = CountingServer()
    thread = threading.Thread(target=counting.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield counting
    counting.server.shutdown()
    counting.server.server_close()
    thread.join()


def rows(*changed: object) -> str:
    """Ten good rows, the last ones replaced."""
    good: list[object] = [{"id": f"q{number}", "question": "How long?", "relevant": ["c1"]} for number in range(1, 11)]
    return "".join(
        f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in [*good[: 10 - len(changed)], *changed]
    )


OUTPUTS = "".join(
    json.dumps(
        {"id": f"q{number}", "retrieved": ["c1"], "context": [{"id": "c1", "text": "14 days."}], "answer": "14."}
    )
    + "\n"
    for number in range(1, 11)
)
CONFIG = """
[data]
golden = "golden.jsonl"
outputs = "outputs.jsonl"

[metrics]
retrieval = ["recall@1"]
judged = ["faithfulness"]

[judge]
model = "openai/m"
base_url = "{base_url}"

[run]
out = "runs"
cache = "cache"
"""


def write(folder: Path, judge: CountingServer, files: dict[str, str]) -> None:
    for name, text in {"golden.jsonl": rows(), "outputs.jsonl": OUTPUTS, "eval.toml": CONFIG, **files}.items():
        (folder / name).write_text(text.replace("{base_url}", judge.base_url), encoding="utf-8")


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from whichhalf.cli import main; main()", *(arguments or ("run", "eval.toml"))]
    environment = {name: value for name, value in os.environ.items() if name not in {"OPENAI_API_KEY", "JUDGE_KEY"}}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, check=False, encoding="utf-8", timeout=60
    )


def replaced(old: str, new: str) -> dict[str, str]:
    assert old in CONFIG
    return {"eval.toml": CONFIG.replace(old, new)}


BAD: dict[str, tuple[dict[str, str], str]] = {
    "a missing file": (
        replaced('golden = "golden.jsonl"', 'golden = "gold.jsonl"'),
        "gold.jsonl: the file does not exist",
    ),
    "broken JSON on line 7": (
        {"golden.jsonl": rows('{"id": "q7", "question": "How long?"', *("" for _ in range(3)))},
        "golden.jsonl:7: not valid JSON (Expecting ',' delimiter, column 37)",
    ),
    "a repeated id": (
        {"golden.jsonl": rows({"id": "q3", "question": "Again?"})},
        "golden.jsonl:10: id: 'q3' is already used on line 3",
    ),
    "an unknown metric": (
        replaced('"recall@1"', '"recal@1"'),
        "there is no metric 'recal'; there are recall, ",
    ),
    "an unknown config key": (
        replaced("[judge]", "[judge]\nbase_ulr = 'x'"),
        "eval.toml: [judge] base_ulr: unknown key; did you mean base_url?",
    ),
    "a relevant id that is a decimal number": (
        {"golden.jsonl": rows({"id": "q10", "question": "?", "relevant": ["c1", 12.0]})},
        "golden.jsonl:10: relevant: id must be text or a whole number, but 12.0 is a decimal number",
    ),
    "no overlap between questions and outputs": (
        {"outputs.jsonl": OUTPUTS.replace('"id": "q', '"id": "')},
        "no output belongs to any question: the golden set has ids such as q1, q10, q2, q3, q4 and 5 more, "
        "the outputs 1, 10, 2, 3, 4 and 5 more",
    ),
    "a missing key variable": (
        replaced("[judge]", "[judge]\napi_key_env = 'JUDGE_KEY'"),
        "judge openai/m needs a key: the environment variable JUDGE_KEY is not set",
    ),
}


@pytest.mark.parametrize(("files", "message"), BAD.values(), ids=BAD.keys())
def test_one_message_and_nothing_else(
    tmp_path: Path, judge: CountingServer, files: dict[str, str], message: str
) -> None:
    write(tmp_path, judge, files)
    before = sorted(path.name for path in tmp_path.iterdir())
    done = run(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    [line] = done.stderr.splitlines()
    assert line.startswith(f"whichhalf: {message}")
    assert judge.calls == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_missing_config_and_a_bad_limit(tmp_path: Path, judge: CountingServer) -> None:
    write(tmp_path, judge, {})
    done = run(tmp_path, "run", "other.toml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "whichhalf: other.toml: the file does not exist\n"
    assert run(tmp_path, "run", "eval.toml", "--limit", "-1").returncode == 2
    assert judge.calls == 0


def test_good_input_does_reach_the_judge(tmp_path: Path, judge: CountingServer) -> None:
    """So that a count of 0 above means something; here the judge itself cannot be used."""
    write(tmp_path, judge, {})
    done = run(tmp_path)
    assert (done.returncode, done.stdout) == (3, "")
    [line] = done.stderr.splitlines()
    assert line.startswith("whichhalf: the judge rejects every call (404)")
    assert "no such model" in line
    assert 1 <= judge.calls <= 20
    assert (tmp_path / "cache").is_dir()
    assert not (tmp_path / "runs").exists()
