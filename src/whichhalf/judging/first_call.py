"""Until a model has replied once, it is asked one question at a time: what every call would learn is learned once.

A wrong key then costs one call, and a parameter that the model does not take one more, however many threads there are.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

PATIENCE_SECONDS = 15.0
"""A first call that takes longer no longer holds up the others."""


class FirstCall:
    """Shared by all threads that ask one model."""

    def __init__(self, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._patience_seconds = patience_seconds
        self._alone = threading.Lock()
        self._answered = False

    def answered(self) -> None:
        """From now on nobody waits."""
        self._answered = True

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Waits while another thread makes the first call."""
        alone = not self._answered and self._alone.acquire(timeout=self._patience_seconds)
        try:
            yield
        finally:
            if alone:
                self._alone.release()
