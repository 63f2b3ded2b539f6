"""Whether the server still answers at all: a night must not spend itself on one that is down."""

import threading
import time
from collections.abc import Callable

from whichhalf.errors import JudgeUnreachable, JudgeUnusable

_FEWEST_CALLS = 6
"""Calls without an answer before silence means anything."""


class Pulse:
    """Counts calls since the last answer. Shared by all threads. A server that is busy (429) is alive."""

    def __init__(self, patience_seconds: float = 120.0, clock: Callable[[], float] = time.monotonic) -> None:
        self._patience_seconds = patience_seconds
        self._clock = clock
        self._silent_since: float | None = None
        self._unanswered = 0
        self._guard = threading.Lock()

    def answered(self) -> None:
        with self._guard:
            self._silent_since, self._unanswered = None, 0

    def unanswered(self, error: JudgeUnreachable) -> JudgeUnusable | None:
        """Note a call that got no answer; returns the reason to stop once the silence has lasted too long."""
        if error.rate_limited:
            self.answered()
            return None
        with self._guard:
            now = self._clock()
            self._silent_since = now if self._silent_since is None else self._silent_since
            self._unanswered += 1
            seconds = now - self._silent_since
            if self._unanswered < _FEWEST_CALLS or seconds < self._patience_seconds:
                return None
            return JudgeUnusable(f"{self._unanswered} calls in {seconds:.0f} s and nothing answered; the last: {error}")
