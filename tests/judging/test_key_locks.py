"""Processes that ask the same thing wait for each other; one that dies, or stops, holds nobody up."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from whichhalf.errors import DeadlinePassed, RunStopped
from whichhalf.judging.key_locks import ProcessLocks
from whichhalf.judging.pacing import Pace
from whichhalf.judging.reply_store import ReplyStore
from whichhalf.judging.settings import EmbeddingSettings, JudgeSettings
from whichhalf.judging.stack import build_embedder, build_judge
from whichhalf.judging.traffic import Traffic

pytest.importorskip("fcntl", reason="processes do not wait for each other on this system")

HOLDER = """
import sys, time
from pathlib import Path
from whichhalf.judging.key_locks import ProcessLocks
with ProcessLocks(Path(sys.argv[1])).held(sys.argv[2:]):
    print("held", flush=True)
    time.sleep(600)
"""


def holder(path: Path, *keys: str) -> subprocess.Popen[str]:
    process = subprocess.Popen([sys.executable, "-c", HOLDER, path, *keys], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def waited(path: Path, key: str, patience_seconds: float) -> float:
    locks = ProcessLocks(path, patience_seconds)
    started = time.monotonic()
    with locks.held([key]):
        seconds = time.monotonic() - started
    locks.close()
    return seconds


def test_another_process_waits_for_the_same_key_only(tmp_path: Path) -> None:
    process = holder(tmp_path / "locks", "a", "b")
    assert waited(tmp_path / "locks", "a", 0.3) >= 0.3, "its patience ran out"
    assert waited(tmp_path / "locks", "c", 600.0) < 300.0
    end(process)


def test_a_killed_process_holds_nobody_up(tmp_path: Path) -> None:
    process = holder(tmp_path / "locks", "a")
    end(process)
    assert waited(tmp_path / "locks", "a", 600.0) < 300.0


def test_a_stopped_process_holds_nobody_up_for_ever(tmp_path: Path) -> None:
    process = holder(tmp_path / "locks", "a")
    process.send_signal(signal.SIGSTOP)
    assert waited(tmp_path / "locks", "a", 0.3) >= 0.3
    end(process)


def test_waiting_ends_when_no_call_may_begin_any_more(tmp_path: Path) -> None:
    """The first key is free and is let go of again; the second is held."""
    first, second = sorted("ab", key=lambda key: sha256(key.encode()).digest())
    process = holder(tmp_path / "locks", second)
    pace = Pace()
    pace.stop(RunStopped("the run was stopped"))
    locks = ProcessLocks(tmp_path / "locks", 600.0)
    locks.check_open = pace.check_open
    with pytest.raises(RunStopped), locks.held([first, second]):
        pytest.fail("it was taken")
    locks.close()
    other = holder(tmp_path / "locks", first)
    end(other)
    end(process)


OPENERS: dict[str, Callable[[ReplyStore, Traffic], object]] = {
    "judge": lambda store, traffic: build_judge(
        JudgeSettings(model="openai/judge-a", base_url="http://127.0.0.1:1/v1"), store=store, traffic=traffic
    ),
    "embedder": lambda store, traffic: build_embedder(
        EmbeddingSettings(model="openai/embedder-a", base_url="http://127.0.0.1:1/v1"), store=store, traffic=traffic
    ),
}


@pytest.mark.parametrize("opened", OPENERS.values(), ids=OPENERS.keys())
def test_a_run_waits_for_another_no_longer_than_its_deadline(
    opened: Callable[[ReplyStore, Traffic], object], tmp_path: Path
) -> None:
    """It passes while the run waits."""
    times = [6.0, 0.0, 0.0]
    store = ReplyStore(tmp_path)
    opened(store, Traffic(Pace(ends_at=5.0, clock=lambda: times.pop())))
    process = holder(tmp_path / "locks", "a")
    with pytest.raises(DeadlinePassed), store.asking(["a"]):
        pytest.fail("it was taken")
    assert times == []
    end(process)
    store.close()


def test_nothing_is_written(tmp_path: Path) -> None:
    locks = ProcessLocks(tmp_path / "locks")
    with locks.held(["a", "b"]):
        assert (tmp_path / "locks").stat().st_size == 0
    locks.close()
