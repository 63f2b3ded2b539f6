"""Processes that ask the same thing wait for each other; one that dies, or stops, holds nobody up."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from whichhalf.judging.key_locks import ProcessLocks

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


def test_nothing_is_written(tmp_path: Path) -> None:
    locks = ProcessLocks(tmp_path / "locks")
    with locks.held(["a", "b"]):
        assert (tmp_path / "locks").stat().st_size == 0
    locks.close()
