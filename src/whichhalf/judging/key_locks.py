"""One lock for every cache key: threads that want the same thing wait for each other, others do not."""

import threading


class KeyLocks:
    """Locks made on first use."""

    def __init__(self) -> None:
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def of(self, key: str) -> threading.Lock:
        """The lock of a key, the same for every thread."""
        with self._guard:
            return self._locks.setdefault(key, threading.Lock())
