"""The process beside ours: what is asked of it is answered or told to be lost, and it never outlives us."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from judge_server import JudgeServer, always, in_order, slow
from whichhalf.errors import JudgeUnreachable, JudgeUnusable, RunStopped
from whichhalf.judging import connection, sdk_process
from whichhalf.judging.provider import Provider
from whichhalf.judging.retrying import Patience, RetryingJudge
from whichhalf.judging.sdk_process import SdkProcess, SdkProcessEnded, ask_sdk
from whichhalf.judging.seam import JudgeQuestion
from whichhalf.judging.settings import JudgeSettings
from whichhalf.judging.traffic import Traffic

AskAbout = Callable[..., JudgeQuestion[Any]]


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[int, SdkProcess]]:
    """The process of this test alone, once it is begun: others use one together."""
    current: dict[int, SdkProcess] = {}
    monkeypatch.setattr(sdk_process, "_current", current)
    yield current
    for one in current.values():
        one.close()


def provider(server: JudgeServer, timeout_seconds: float = 10) -> Provider:
    return Provider(JudgeSettings(model="openai/judge-a", base_url=server.base_url, timeout_seconds=timeout_seconds))


def kill(process: SdkProcess) -> None:
    os.kill(process.number, signal.SIGKILL)


def is_alive(number: int) -> bool:
    """A zombie is dead: only its parent's parent has not yet asked how it ended."""
    try:
        return "Z" not in Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


def wait_until(condition: Callable[[], object]) -> None:
    until = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until, "it took too long"
        time.sleep(0.01)


def test_a_call_that_is_under_way_when_it_dies_is_made_again(
    own: dict[int, SdkProcess], split_question: AskAbout
) -> None:
    with JudgeServer(plan=in_order(slow(60))) as server:
        judge = RetryingJudge(provider(server, 120), Patience(sleep=lambda _: None))
        answered: Future[Any] = Future()
        threading.Thread(target=lambda: answered.set_result(judge.ask(split_question()))).start()
        wait_until(lambda: server.requests)
        kill(own[os.getpid()])
        reply = answered.result(30)
    assert (len(server.requests), reply.attempts) == (2, 2)


def test_whatever_had_no_answer_when_it_dies_is_told_so(own: dict[int, SdkProcess]) -> None:
    assert ask_sdk({"sdk": "openai"}).result(60) == {"id": 0}
    process = own[os.getpid()]
    os.kill(process.number, signal.SIGSTOP)
    left = [process.begin({"sdk": "openai"}) for _ in range(3)]
    kill(process)
    for one in left:
        with pytest.raises(SdkProcessEnded, match=r"ended by itself \(exit code -9\)"):
            one.result(20)
    with pytest.raises(SdkProcessEnded):
        process.begin({"sdk": "openai"}).result(20)
    assert ask_sdk({"sdk": "openai"}).result(60) == {"id": 0}, "another has begun"
    assert own[os.getpid()] is not process
    assert ask_sdk({"sdk": "openai"}).result(60) == {"id": 1}, "and is not begun again"


@pytest.mark.parametrize(
    ("program", "why"), [("/bin/false", r"ended by itself \(exit code 1\)"), ("/nowhere", "cannot begin: .*No such")]
)
def test_one_that_cannot_begin_stops_the_run(
    program: str, why: str, own: dict[int, SdkProcess], split_question: AskAbout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", program)
    with JudgeServer() as server, pytest.raises(JudgeUnusable, match=f"the judge cannot be asked: .*{why}"):
        provider(server).ask(split_question())
    assert server.requests == []
    assert all(one.has_ended for one in own.values())


STUB = """#!/bin/sh
echo hello from a library
read -r line
echo '{"id": 0}'
echo '{"id": 99}'
read -r line
printf '{"id": 1, "text": "to'
"""


def test_what_is_no_answer_is_passed_over(
    own: dict[int, SdkProcess], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "program"
    program.write_text(STUB, encoding="utf-8")
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    assert ask_sdk({"sdk": "openai"}).result(20) == {"id": 0}
    with pytest.raises(SdkProcessEnded, match="exit code 0"):
        ask_sdk({"sdk": "openai"}).result(20)
    assert own[os.getpid()].has_ended


def test_a_path_that_is_no_text_is_passed_over(own: dict[int, SdkProcess], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, Path("src")])
    assert ask_sdk({"sdk": "openai"}).result(60) == {"id": 0}
    assert not own[os.getpid()].has_ended


def test_who_waits_for_it_to_load_learns_that_the_run_was_stopped(
    own: dict[int, SdkProcess], split_question: AskAbout
) -> None:
    traffic = Traffic()
    with JudgeServer() as server:
        settings = JudgeSettings(model="openai/judge-a", base_url=server.base_url)
        asked: Future[Any] = Future()
        ask_sdk({"sdk": "openai"}).result(60)
        os.kill(own[os.getpid()].number, signal.SIGSTOP)

        def ask() -> None:
            try:
                asked.set_result(Provider(settings, traffic).ask(split_question()))
            except RunStopped as error:
                asked.set_exception(error)

        threading.Thread(target=ask).start()
        traffic.pace.stop(RunStopped("the run was stopped"))
        with pytest.raises(RunStopped):
            asked.result(20)
        os.kill(own[os.getpid()].number, signal.SIGCONT)
    assert server.requests == []


def test_bytes_that_trickle_inside_the_headers_end_at_the_time_out(
    split_question: AskAbout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_GRACE_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def trickle() -> None:
            client, _ = server.accept()
            with client, suppress(OSError):
                client.sendall(b"HTTP/1.1 200 OK\r\nX-Long: ")
                for _ in range(100):
                    client.sendall(b"a")
                    time.sleep(0.05)

        threading.Thread(target=trickle, daemon=True).start()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        judge = Provider(JudgeSettings(model="openai/judge-a", base_url=url, timeout_seconds=0.5))
        started = time.monotonic()
        with pytest.raises(JudgeUnreachable, match=r"reply was not complete after 0\.5 s"):
            judge.ask(split_question())
    assert time.monotonic() - started < 20  # the program is loaded in it; the trickle alone would go on for 5 s


PROGRAM = """
import os, sys, threading, time
from whichhalf.judging.sdk_process import _current, ask_sdk
ask_sdk({"sdk": "openai"}).result()
print(_current[os.getpid()].number, flush=True)
time.sleep(60 if sys.argv[1:] == ["wait"] else 0)
"""


def test_it_ends_with_our_process_however_that_ends() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert ended.stderr == ""
    assert not is_alive(int(ended.stdout))
    with subprocess.Popen([sys.executable, "-c", PROGRAM, "wait"], stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        number = int(killed.stdout.readline())
        assert is_alive(number)
        killed.kill()
    wait_until(lambda: not is_alive(number))


FORKED = """
import os
from whichhalf.judging.sdk_process import _close, ask_sdk
assert ask_sdk({"sdk": "openai"}).result() == {"id": 0}
copy = os.fork()
if copy:
    assert os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == 0
    assert ask_sdk({"sdk": "openai"}).result() == {"id": 1}
else:
    assert ask_sdk({"sdk": "openai"}).result() == {"id": 0}, "of a process of its own"
    _close()
    os._exit(0)
"""


def test_a_forked_copy_of_us_has_one_of_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")


def test_no_key_is_seen_in_its_command_or_in_what_it_says(
    own: dict[int, SdkProcess],
    split_question: AskAbout,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("MY_JUDGE_KEY", "sk-planted-4242")
    with JudgeServer(plan=always(slow(0))) as server:
        settings = JudgeSettings(model="openai/judge-a", base_url=server.base_url, api_key_env="MY_JUDGE_KEY")
        Provider(settings).ask(split_question())
        command = Path(f"/proc/{own[os.getpid()].number}/cmdline").read_text(encoding="utf-8")
    assert "sdk_worker" in command
    assert "sk-planted-4242" not in command + "".join(capfd.readouterr())
