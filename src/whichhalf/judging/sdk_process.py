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
from typing import Any

from whichhalf.judging.model_names import sdk_of

_PATIENCE_SECONDS = 5.0
"""For the process to end once it is told to."""

_PIPE_BYTES = 1 << 20
"""Room for many requests: who writes one need not wait for the process to read. For Linux; others have their own."""

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
            pipesize=_PIPE_BYTES,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path or os.curdir for path in sys.path)},
            start_new_session=True,  # Ctrl-C is for us: we let calls under way end
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._requests, self._answers = self._process.stdin, self._process.stdout
        self._guard = threading.Lock()
        self._numbers = count()
        self._open: dict[int, Answered] = {}
        """Requests by their number, while they have no answer."""
        self.has_ended = False
        self._reader = threading.Thread(target=self._read, name="answers of the SDKs", daemon=True)
        self._reader.start()

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
            with suppress(OSError):  # it has ended just now: `_read` is about to find out
                self._requests.write(line)
                self._requests.flush()
        return answered

    def close(self) -> None:
        """What is under way is dropped."""
        with self._guard, suppress(OSError):
            self._requests.close()
        try:
            self._process.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._reader.join()

    def _read(self) -> None:
        """Hand out answers until the process ends."""
        with self._answers:
            for line in self._answers:
                answer = json.loads(line)
                self._open.pop(answer["id"]).set_result(answer)
        self._process.wait()
        with self._guard:
            self.has_ended = True
            left = list(self._open.values())
            self._open.clear()
            with suppress(OSError):  # what it had not read is lost
                self._requests.close()
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
