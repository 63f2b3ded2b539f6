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
        self._begin()

    def _begin(self, *inherited: sqlite3.Connection | None) -> None:
        self._guard = threading.Lock()
        self._connection: sqlite3.Connection | None = None
        self._inherited = inherited
        """Of the process that we are a forked copy of: not to be used, nor closed."""
        self._process = os.getpid()

    def get(self, key: str) -> Any:
        """None where there is none, or the file that held it is gone. Raises what SQLite raises."""
        if self._process != os.getpid():  # the guard may be held by a thread that is missing here
            self._begin(self._connection, *self._inherited)
        with self._guard:
            self._connection = self._connection or self._connect()
            rows = self._connection.execute(_SELECT, (key,)).fetchall()
        if not rows:
            return None
        mode, filename, value = rows[0]
        try:
            return self._disk.fetch(mode, filename, value, False)
        except FileNotFoundError:
            return None

    def close(self) -> None:
        """What is looked up later opens it anew."""
        if self._process == os.getpid():
            with self._guard:
                if self._connection is not None:
                    self._connection.close()
                self._connection = None


def read_only_uri(database: Path) -> str:
    """The URI that opens a database of SQLite for reading.

    Where its folder cannot be written there can be no other writer either; SQLite, which would make files beside it to
    tell, is told so.
    """
    is_alone = not os.access(database.parent, os.W_OK) and not Path(f"{database}-wal").exists()
    return f"{database.resolve().as_uri()}?mode=ro{'&immutable=1' if is_alone else ''}"
