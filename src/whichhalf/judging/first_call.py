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
        self._answered = False
        self._is_under_way = False
        self._changed = threading.Condition()

    def answered(self) -> None:
        """From now on nobody waits."""
        if not self._answered:
            with self._changed:
                self._answered = True
                self._changed.notify_all()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Waits while another thread makes the first call."""
        is_first = not self._answered and self._is_first()
        try:
            yield
        finally:
            if is_first:
                with self._changed:
                    self._is_under_way = False
                    self._changed.notify()

    def _is_first(self) -> bool:
        with self._changed:
            in_time = self._changed.wait_for(lambda: self._answered or not self._is_under_way, self._patience_seconds)
            if self._answered or not in_time:
                return False
            self._is_under_way = True
            return True
