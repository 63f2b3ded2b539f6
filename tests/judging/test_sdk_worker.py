"""The program in which SDKs work, spoken to as the process beside ours is: in lines of JSON."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import pytest

from judge_server import JudgeServer, Response, always, choice, error, html, in_order, slow
from watched_network import looked_up, spoken_to, watching

KEY = "sk-planted-4242"
COMMAND = [sys.executable, "-P", "-m", "whichhalf.judging.sdk_worker"]


class Worker:
    """A running one."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    @property
    def requests(self) -> IO[bytes]:
        assert self.process.stdin is not None
        return self.process.stdin

    def send(self, **request: object) -> None:
        self.requests.write(json.dumps(request).encode() + b"\n")
        self.requests.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found


@contextmanager
def worker(**variables: str) -> Iterator[Worker]:
    environment = {**os.environ, **variables}
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment) as process:
        yield Worker(process)


def call(server: JudgeServer, number: int = 1, **changed: object) -> dict[str, Any]:
    body = {"model": "judge-a", "messages": [{"role": "user", "content": "When?"}]}
    return {
        "id": number,
        "sdk": "openai",
        "path": "/chat/completions",
        "function": "completion",
        "base_url": server.base_url,
        "key": KEY,
        "timeout_seconds": 5,
        "body": json.dumps(body),
        **changed,
    }


def test_a_call_is_answered_with_the_body_as_it_came() -> None:
    with JudgeServer(plan=always(choice("At nine."))) as server, worker() as beside:
        beside.send(**call(server, 7))
        answer = beside.answer()
    assert answer["id"] == 7
    assert json.loads(answer["text"])["choices"][0]["message"]["content"] == "At nine."
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert server.requests[0].headers["content-type"] == "application/json"
    assert server.requests[0].body == {"model": "judge-a", "messages": [{"role": "user", "content": "When?"}]}


def test_calls_go_through_the_proxy_of_the_environment() -> None:
    with JudgeServer() as proxy, worker(http_proxy=proxy.base_url, no_proxy="") as beside:
        beside.send(**call(proxy, base_url="http://judge.invalid/v1"))
        said = beside.answer()["error"]["said"]  # by the test judge, which is no proxy
    assert "no such path: http://judge.invalid/v1/chat/completions" in said


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        (error(429, "slow down", retry_after="7"), {"status": 429, "retry-after": "7"}),
        (Response(400, {"error": {"message": "no", "param": "seed"}}), {"status": 400, "parameter": "seed"}),
    ],
    ids=["busy", "parameter"],
)
def test_an_error_is_told_with_all_that_is_needed_to_read_it(response: Response, expected: dict[str, object]) -> None:
    with JudgeServer(plan=always(response)) as server, worker() as beside:
        beside.send(**call(server))
        told = beside.answer()["error"]
    flat = {**told["headers"], **told}
    assert {name: flat[name] for name in expected} == expected


def test_a_page_is_told_as_it_is_and_a_server_that_is_gone_has_no_status() -> None:
    with JudgeServer(plan=in_order(html())) as server, worker() as beside:
        beside.send(**call(server))
        assert beside.answer()["text"].startswith("<html>")
        beside.send(**call(server, 2, base_url="http://127.0.0.1:9/v1"))
        assert beside.answer()["error"]["status"] is None


def test_what_no_sdk_raises_is_told_in_full_and_ends_nothing() -> None:
    with JudgeServer(plan=always(choice("At nine."))) as server, worker() as beside:
        beside.send(**{**call(server), "path": 5})
        assert "Traceback" in beside.answer()["bug"]
        beside.send(**call(server, 2))
        assert "text" in beside.answer()


def test_it_ends_with_its_stdin_whatever_is_under_way() -> None:
    with JudgeServer(plan=always(slow(30))) as server, worker() as beside:
        beside.send(**call(server))
        while not server.requests:
            time.sleep(0.01)
        beside.requests.close()
        assert beside.process.wait(5) == 0


def test_a_line_torn_by_a_kill_is_the_end_and_nothing_to_complain_of() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        said, complaints = process.communicate(b'{"id": 1, "sdk": "ope', timeout=30)
    assert (process.returncode, said, complaints) == (0, b"", b"")


def test_signals_are_meant_for_the_one_who_asks() -> None:
    with JudgeServer(plan=always(choice("At nine."))) as server, worker() as beside:
        beside.send(id=1, sdk="openai")
        assert beside.answer() == {"id": 1}
        beside.process.send_signal(signal.SIGINT)
        beside.process.send_signal(signal.SIGTERM)
        beside.send(**call(server, 2))
        assert "text" in beside.answer()


def test_the_environment_is_taken_on_as_it_is_sent() -> None:
    with JudgeServer(plan=always(choice("At nine."))) as server, worker(OPENAI_ORG_ID="before") as beside:
        for number, organisation in enumerate(["one", "two"], 1):
            environment = {**os.environ, "OPENAI_ORG_ID": organisation}
            beside.send(id=0, sdk="openai", environment=environment)
            beside.answer()
            beside.send(**call(server, number))
            beside.answer()
    assert [one.headers["openai-organization"] for one in server.requests] == ["one", "two"]


def test_litellm_named_again_while_it_loads_asks_nobody_either(tmp_path: Path) -> None:
    environment = {name: value for name, value in watching(tmp_path).items() if not name.startswith("LITELLM_")}
    with worker(**environment) as beside:
        for number in range(2):
            beside.send(id=number, sdk="litellm", environment=environment)
            time.sleep(0.7)
        assert sorted(beside.answer()["id"] for _ in range(2)) == [0, 1]
    assert (spoken_to(tmp_path), looked_up(tmp_path)) == (set(), set())


def test_loading_litellm_reads_no_env_file_and_asks_nobody(tmp_path: Path) -> None:
    """Not as a module: then litellm would look for the file beside itself, not here."""
    (tmp_path / ".env").write_text("LEAKED=1\n", encoding="utf-8")
    code = "from whichhalf.judging.sdk_worker import _LiteLLM; import os; _LiteLLM(); print(os.environ.get('LEAKED'))"
    environment = {name: value for name, value in watching(tmp_path).items() if not name.startswith("LITELLM_")}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "None"
    assert (spoken_to(tmp_path), looked_up(tmp_path)) == (set(), set())
