"""Read a cache of replies without writing anything: the folder may belong to somebody else."""

import os
import sqlite3
import threading
from pathlib import Path
from typing import Any, Protocol


class Disk(Protocol):
    """How values are read."""

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any: ...


class ReadOnlyCache:
    """What reading needs of the library's cache, which writes when it is opened. Safe for several threads."""

    def __init__(self, database: Path, disk: Disk) -> None:
        self._disk = disk
        self._connection = sqlite3.connect(read_only_uri(database), uri=True, check_same_thread=False)
        self._guard = threading.Lock()
        self._connection.execute("SELECT 1 FROM Cache").fetchone()  # a damaged database is found here

    def get(self, key: str) -> Any:
        """None where there is none, or the file that held it is gone."""
        with self._guard:
            row = self._connection.execute(
                "SELECT mode, filename, value FROM Cache WHERE key = ? AND raw = 1", (key,)
            ).fetchone()
        if row is None:
            return None
        mode, filename, value = row
        try:
            return self._disk.fetch(mode, filename, value, False)
        except FileNotFoundError:
            return None

    def close(self) -> None:
        self._connection.close()


def read_only_uri(database: Path) -> str:
    """The URI that opens a database of SQLite for reading.

    Where its folder cannot be written there can be no other writer either; SQLite, which would make files beside it to
    tell, is told so.
    """
    is_alone = not os.access(database.parent, os.W_OK) and not Path(f"{database}-wal").exists()
    return f"{database.resolve().as_uri()}?mode=ro{'&immutable=1' if is_alone else ''}"
