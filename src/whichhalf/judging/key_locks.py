"""One lock for every cache key: whoever wants the same thing waits, others do not."""

import hashlib
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: processes there do not wait for each other, and may ask the same thing twice
    fcntl = None  # type: ignore[assignment]

_PATIENCE_SECONDS = 300.0
_POLL_SECONDS = 0.05


class KeyLocks:
    """Locks between threads, made on first use."""

    def __init__(self) -> None:
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def of(self, key: str) -> threading.Lock:
        """The lock of a key, the same for every thread."""
        with self._guard:
            return self._locks.setdefault(key, threading.Lock())


class ProcessLocks:
    """Locks between processes, for threads of one process that already hold the key's lock among themselves.

    A key is one byte of a file that stays empty: nothing is written and nothing is left behind. The system lets go of
    the locks of a process that ends, however it ends.
    """

    def __init__(self, path: Path, patience_seconds: float = _PATIENCE_SECONDS) -> None:
        """Raises OSError when the file cannot be made. After `patience_seconds` of waiting the key is taken as free:
        a process may be stopped rather than dead, and asking twice is better than never."""
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
        self._patience_seconds = patience_seconds
        self.check_open: Callable[[], None] = lambda: None
        """Called again and again while a key is waited for; what it raises ends the waiting."""

    @contextmanager
    def held(self, keys: Collection[str]) -> Iterator[None]:
        """The keys are taken in the same order by everyone, so that no two processes wait for each other. Raises what
        `check_open` raises."""
        taken: list[int] = []
        until = time.monotonic() + self._patience_seconds
        try:
            for place in sorted(map(_place, keys)):
                if self._take(place, until):
                    taken.append(place)
            yield
        finally:
            for place in taken:
                fcntl.lockf(self._file, fcntl.LOCK_UN, 1, place)

    def close(self) -> None:
        os.close(self._file)

    def _take(self, place: int, until: float) -> bool:
        if fcntl is None:
            return False
        while True:
            try:
                # not a waiting lock: the system takes two processes of many threads for a deadlock where there is none
                fcntl.lockf(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, place)
            except (BlockingIOError, PermissionError):
                if time.monotonic() >= until:
                    return False
                self.check_open()
                time.sleep(_POLL_SECONDS)
            except OSError:  # a file system without locks
                return False
            else:
                return True


def _place(key: str) -> int:
    """A byte far inside what a file may have: two keys share one about never, and would then only wait."""
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:7], "big")
