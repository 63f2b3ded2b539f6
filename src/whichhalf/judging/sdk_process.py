"""The process beside ours in which the SDKs of model providers work; sdk_worker.py is its other end.

Importing them takes seconds, and their part of a call longer than ours: in a process of its own both pass beside the
reading and the scoring, on another core. It begins with the first request and ends with our process, however that ends.
"""

import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import suppress
from itertools import count
from queue import SimpleQueue
from typing import Any

from whichhalf.judging.model_names import sdk_of

_PATIENCE_SECONDS = 5.0
"""For the process to end once it is told to."""

Answered = Future[dict[str, Any]]


class SdkProcessEnded(Exception):
    """The process ended before it had answered, or could not begin."""


class SdkProcess:
    """Begins at once. Safe for several threads."""

    def __init__(self) -> None:
        """Raises OSError when no process can be begun."""
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "whichhalf.judging.sdk_worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(path or os.curdir for path in sys.path if isinstance(path, str)),
            },
            start_new_session=True,  # Ctrl-C is for us: we let calls under way end
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        """To be written; None is the end. Threads that ask need not wait for the pipe, nor for each other."""
        self._guard = threading.Lock()
        self._numbers = count()
        self._open: dict[int, Answered] = {}
        """Requests by their number, while they have no answer."""
        self.has_ended = False
        self._threads = [threading.Thread(target=one, name="SDKs", daemon=True) for one in (self._write, self._read)]
        for thread in self._threads:
            thread.start()

    @property
    def number(self) -> int:
        """Its id in the system."""
        return self._process.pid

    def begin(self, request: Mapping[str, Any]) -> Answered:
        """Send a request, to be answered with a dict or, where the process ends before, SdkProcessEnded."""
        answered: Answered = Future()
        number = next(self._numbers)
        line = json.dumps({"id": number, **request}).encode("ascii") + b"\n"
        with self._guard:
            if self.has_ended:
                answered.set_exception(SdkProcessEnded(self._how))
                return answered
            self._open[number] = answered
        self._lines.put(line)
        return answered

    def close(self) -> None:
        """What is under way is dropped."""
        self._lines.put(None)
        try:
            self._process.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        for thread in self._threads:
            thread.join()

    def _write(self) -> None:
        with suppress(OSError), self._stdin:  # where the process has ended `_read` finds out
            while (line := self._lines.get()) is not None:
                self._stdin.write(line)
                if self._lines.empty():
                    self._stdin.flush()

    def _read(self) -> None:
        """Hand out answers until the process ends."""
        with self._stdout:
            for line in self._stdout:
                # torn by a kill, or printed by somebody else
                with suppress(ValueError, LookupError, TypeError, RecursionError):
                    answer = json.loads(line)
                    self._open.pop(answer["id"]).set_result(answer)
        self._process.wait()
        with self._guard:
            self.has_ended = True
            left = list(self._open.values())
            self._open.clear()
        self._lines.put(None)
        for answered in left:
            answered.set_exception(SdkProcessEnded(self._how))

    @property
    def _how(self) -> str:
        return f"the process with the provider's SDK ended by itself (exit code {self._process.returncode})"


_guard = threading.Lock()
_current: dict[int, SdkProcess] = {}
"""By the id of our process: a forked copy of it must not write into the same pipe."""


def ask_sdk(request: Mapping[str, Any]) -> Answered:
    """Send a request to the process beside ours, begun anew where it has ended; see `SdkProcess.begin`."""
    with _guard:
        running = _current.get(os.getpid())
        if running is None or running.has_ended:
            try:
                running = _current[os.getpid()] = SdkProcess()
            except OSError as error:
                failed: Answered = Future()
                failed.set_exception(SdkProcessEnded(f"the process for the provider's SDK cannot begin: {error}"))
                return failed
    return running.begin(request)


def begin_to_load(model: str) -> Answered:
    """Have the SDK of a model loaded; it takes on our environment as it is now."""
    return ask_sdk({"sdk": sdk_of(model), "environment": dict(os.environ)})


@atexit.register
def _close() -> None:
    running = _current.pop(os.getpid(), None)
    if running is not None:
        running.close()
