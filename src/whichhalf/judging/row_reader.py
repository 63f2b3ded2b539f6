"""Look up what a cache of replies holds, without writing anything: its folder may belong to somebody else."""

import os
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

_SELECT = "SELECT mode, filename, value FROM Cache WHERE key = ? AND raw = 1"


class Disk(Protocol):
    """How values are read."""

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any: ...


class RowReader:
    """Safe for several threads, which share a connection: the library opens one for each, which takes them longer than
    what most of them read."""

    def __init__(self, connect: Callable[[], sqlite3.Connection], disk: Disk) -> None:
        self._connect = connect
        self._disk = disk
        self._connection: sqlite3.Connection | None = None
        self._opened_by = 0
        """The process: a forked copy of it must not use the same connection."""
        self._guard = threading.Lock()

    def get(self, key: str) -> Any:
        """None where there is none, or the file that held it is gone. Raises what SQLite raises."""
        with self._guard:
            if self._connection is None or self._opened_by != os.getpid():
                self._connection, self._opened_by = self._connect(), os.getpid()
            rows = self._connection.execute(_SELECT, (key,)).fetchall()
        if not rows:
            return None
        mode, filename, value = rows[0]
        try:
            return self._disk.fetch(mode, filename, value, False)
        except FileNotFoundError:
            return None

    def close(self) -> None:
        with self._guard:
            if self._connection is not None and self._opened_by == os.getpid():
                self._connection.close()
            self._connection = None


def read_only_uri(database: Path) -> str:
    """The URI that opens a database of SQLite for reading.

    Where its folder cannot be written there can be no other writer either; SQLite, which would make files beside it to
    tell, is told so.
    """
    is_alone = not os.access(database.parent, os.W_OK) and not Path(f"{database}-wal").exists()
    return f"{database.resolve().as_uri()}?mode=ro{'&immutable=1' if is_alone else ''}"
