"""Where replies are kept between runs: a diskcache folder that drops nothing and unpickles nothing.

Replies are paid for, so there is no eviction and no size limit. diskcache can store pickles, and would unpickle
rows planted by anyone with write access to the folder; the disk class here stores text and refuses all else.
"""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

import diskcache
from diskcache.core import MODE_PICKLE, MODE_RAW
from pydantic import ValidationError

from whichhalf.core.record import Record
from whichhalf.errors import CacheError
from whichhalf.judging.batches import Batches
from whichhalf.judging.key_locks import ProcessLocks
from whichhalf.judging.row_reader import RowReader, read_only_uri

_DATABASE = "cache.db"
_LOCKS = "locks"
_WAIT_FOR_DATABASE_SECONDS = 60
_MOST_WAITING = 1000
_MOST_AT_ONCE = 200
"""Rows in one statement: older SQLite allows 999 values."""
_LONGEST = diskcache.DEFAULT_SETTINGS["disk_min_file_size"]
"""Characters from which on the library gives a text a file of its own."""
_INSERT = "INSERT INTO Cache (key, raw, store_time, access_time, access_count, size, mode, value) VALUES "
_ROW = f"(?, 1, ?, ?, 0, 0, {MODE_RAW}, ?)"


class StoredReply(Record):
    """One reply as it is kept: the raw text, so that a better parser needs no new call."""

    key: str
    prompt: str
    """`name/version`."""
    model: str
    """As returned by the server."""
    text: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    latency_seconds: float | None = None
    """How long the judge took; None where it is not known."""


class _TextDisk(diskcache.Disk):  # type: ignore[misc]
    """Keys and values are text; a pickled row is refused, never loaded."""

    def put(self, key: Any) -> tuple[Any, bool]:
        if not isinstance(key, str):
            raise CacheError(f"cache keys are text, not {type(key).__name__}")
        return key, True

    def get(self, key: Any, raw: bool) -> Any:
        if not raw:
            raise CacheError("the reply cache holds a pickled key, which it never writes: someone changed it")
        return key

    def store(self, value: Any, read: bool, key: Any = diskcache.UNKNOWN) -> tuple[int, int, str | None, Any]:
        if not isinstance(value, str):
            raise CacheError(f"cached replies are text, not {type(value).__name__}")
        stored: tuple[int, int, str | None, Any] = super().store(value, read, key=key)
        return stored

    def fetch(self, mode: int, filename: str | None, value: Any, read: bool) -> Any:
        if mode == MODE_PICKLE:
            raise CacheError("the reply cache holds a pickled row, which it never writes: someone changed it")
        if mode != MODE_RAW and not _stays_inside(filename):
            raise CacheError("the reply cache names a file outside its folder: someone changed it")
        return super().fetch(mode, filename, value, read)

    def remove(self, file_path: str) -> None:
        if _stays_inside(file_path):
            super().remove(file_path)


def _stays_inside(file_path: str | None) -> bool:
    path = PurePath(file_path or "..")
    return not path.is_absolute() and ".." not in path.parts and "\0" not in str(path)


@dataclass(frozen=True, slots=True)
class DamagedRow:
    """A row that no reply can be read from."""

    number: int
    """SQLite's own; it names the row also where its key cannot be read."""
    key: str
    """Empty where it cannot be read."""
    problem: str


class ReplyStore:
    """Key → reply, on disk, safe for several threads and processes."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        """Open or, unless it is `read_only`, create. Raises CacheError when the folder is damaged, or not writable."""
        self.folder = folder
        self._process_locks: ProcessLocks | None = None
        """None while nothing may be written."""
        self._writing = threading.RLock()
        """Threads that write queue here: SQLite would let them sleep and try again."""
        self._batches = Batches[StoredReply]()
        self._waiting: list[StoredReply] = []
        self._reader = RowReader(self._connected, _TextDisk(os.fspath(folder)))
        self._cache: Any = None
        """The library's, with which we write."""
        try:
            if not read_only:
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if _is_emptied(folder / _DATABASE):
                raise CacheError(self._cannot_open("its database is an empty file"))
            if read_only:
                self._query("SELECT 1 FROM Cache LIMIT 1")  # a damaged database is found here
                return
            self._cache = diskcache.Cache(
                os.fspath(folder),
                disk=_TextDisk,
                eviction_policy="none",
                cull_limit=0,
                size_limit=2**62,
                timeout=_WAIT_FOR_DATABASE_SECONDS,
            )
            self._process_locks = ProcessLocks(folder / _LOCKS)
            self._writer = self._connected()
            self._writer.execute("PRAGMA synchronous = NORMAL")  # as the library's own
        except (sqlite3.DatabaseError, OSError) as error:
            if isinstance(error, OSError) or "readonly database" in str(error):
                why = f" ({error.strerror or error})" if isinstance(error, OSError) else ""
                raise CacheError(
                    f"the reply cache {folder} cannot be {'read' if read_only else 'written'}{why}; allow it, name "
                    "another folder under [run] cache, or run once without it: --no-cache"
                ) from error
            raise CacheError(self._cannot_open(str(error))) from error

    @staticmethod
    def is_at(folder: Path) -> bool:
        """Whether a folder holds a cache, whole or damaged."""
        return (folder / _DATABASE).is_file()

    def get(self, key: str) -> StoredReply | None:
        """None when there is none. Raises CacheError when the folder or the row is damaged."""
        text = self._guarded(self._reader.get, key)
        if text is None:
            return None
        try:
            reply = StoredReply.model_validate_json(text)
        except ValidationError as error:
            raise CacheError(f"the reply cache {self.folder} holds a row that is no reply (key {key[:12]})") from error
        if reply.key != key:
            raise CacheError(f"the reply cache {self.folder} holds the reply to another key under {key[:12]}")
        return reply

    def put(self, reply: StoredReply) -> None:
        """On disk when this returns. What is put while the disk is busy is written together, for one price."""
        self._batches.put(reply, self.put_all)

    def put_all(self, replies: Iterable[StoredReply]) -> None:
        """All of them or, when one fails, none."""
        with self._writing, self._named_errors():
            texts = {reply.key: reply.model_dump_json() for reply in replies}
            if self._inserted(texts):
                return
        with self._at_once():
            for key, text in texts.items():
                self._cache.set(key, text)

    def _inserted(self, texts: Mapping[str, str]) -> bool:
        """Try it in one statement: other threads work meanwhile, and each further statement waits for them. Nothing is
        done where one is kept already, or so long that the library gives it a file."""
        is_plain = len(texts) <= _MOST_AT_ONCE and all(len(text) < _LONGEST for text in texts.values())
        if not texts or not is_plain or not self._batches.are_open:
            return False
        now = time.time()
        values = [value for key, text in texts.items() for value in (key, now, now, text)]
        try:
            self._writer.execute(_INSERT + ", ".join([_ROW] * len(texts)), values)
        except sqlite3.IntegrityError:
            return False
        return True

    def put_later(self, replies: Iterable[StoredReply]) -> None:
        """Kept together with others, at the latest when the store is closed: for what costs nothing to make again.

        A read-only store keeps nothing.
        """
        if self._process_locks is None:
            return
        with self._writing:
            self._waiting.extend(replies)
            if len(self._waiting) >= _MOST_WAITING:
                self._put_waiting()

    def _put_waiting(self) -> None:
        if self._waiting:
            self.put_all(self._waiting)
            self._waiting.clear()

    def forget(self, keys: Iterable[str]) -> None:
        """All of them or, when one fails, none. A key that is not there is passed over."""
        with self._at_once():
            for key in keys:
                self._cache.delete(key)

    def asking(self, keys: Collection[str]) -> AbstractContextManager[None]:
        """While it is held, other processes that ask for one of these keys wait."""
        return self._process_locks.held(keys) if self._process_locks else nullcontext()

    def wait_while(self, check_open: Callable[[], None]) -> None:
        """From now on who waits in `asking` calls `check_open` meanwhile: what it raises ends the waiting."""
        if self._process_locks is not None:
            self._process_locks.check_open = check_open

    def __iter__(self) -> Iterator[StoredReply]:
        """In the order of the keys. Raises CacheError at the first damaged row."""
        for row in self.rows():
            if isinstance(row, DamagedRow):
                raise CacheError(f"the reply cache {self.folder} is damaged: {row.problem} (key {row.key[:12]})")
            yield row

    def rows(self) -> Iterator[StoredReply | DamagedRow]:
        """Every row in the order of the keys, readable or not. Raises CacheError when the database is damaged."""
        listing = "SELECT rowid, key, raw FROM Cache ORDER BY key, rowid"
        for number, key, raw in self._guarded(self._query, listing):
            if not raw or not isinstance(key, str):
                yield DamagedRow(number, "", "a pickled key, which is never written: someone changed it")
                continue
            try:
                reply = self.get(key)
            except CacheError as error:
                yield DamagedRow(number, key, str(error))
            else:
                yield reply or DamagedRow(number, key, "the file that held the reply is gone")

    @property
    def is_empty(self) -> bool:
        """Raises CacheError when the database is damaged."""
        return not self._guarded(self._query, "SELECT 1 FROM Cache LIMIT 1")

    def database_faults(self) -> list[str]:
        """What SQLite finds wrong with its own pages; empty for a sound database."""
        said = [str(row[0]) for row in self._guarded(self._query, "PRAGMA integrity_check")]
        return [] if said == ["ok"] else said

    def forget_damaged(self, rows: Collection[DamagedRow]) -> None:
        """Take damaged rows out. Files they name are left alone: whoever planted a row may have chosen the name."""
        self._guarded(self._query, "DELETE FROM Cache WHERE rowid = ?", [(row.number,) for row in rows])

    def close(self) -> None:
        """Everything stands in the database file then, also where connections of ended threads are still about."""
        self._reader.close()
        if self._process_locks is not None:
            with suppress(CacheError):  # whatever costs something was written, or failed, before
                self._put_waiting()
            is_ours = self._batches.are_open  # else the connection is that of another process
            self._batches.close()
            if is_ours:
                with suppress(sqlite3.DatabaseError, OSError):
                    self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                    self._writer.close()
            self._process_locks.close()
            self._cache.close()

    def _query(self, statement: str, values: Collection[tuple[int]] | None = None) -> list[tuple[Any, ...]]:
        """On the database itself, where the library would unpickle, or stop at the first bad row."""
        with closing(self._connected()) as connection:
            if values is None:
                return connection.execute(statement).fetchall()
            connection.execute("BEGIN")
            connection.executemany(statement, values)
            connection.execute("COMMIT")
            return []

    def _connected(self) -> sqlite3.Connection:
        """To the database, each statement a transaction; it may be used by any thread, one at a time."""
        database = self.folder / _DATABASE
        where = database.resolve().as_uri() if self._process_locks else read_only_uri(database)
        return sqlite3.connect(
            where, uri=True, timeout=_WAIT_FOR_DATABASE_SECONDS, isolation_level=None, check_same_thread=False
        )

    @contextmanager
    def _at_once(self) -> Iterator[None]:
        with self._writing, self._named_errors(), self._cache.transact():
            yield

    @contextmanager
    def _named_errors(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.DatabaseError, OSError, diskcache.Timeout, UnicodeDecodeError) as error:
            raise CacheError(f"the reply cache {self.folder} failed ({error}); nothing in it was removed") from error

    def _guarded(self, action: Any, *arguments: Any) -> Any:
        with self._named_errors():
            return action(*arguments)

    def _cannot_open(self, reason: str) -> str:
        return (
            f"the reply cache {self.folder} cannot be opened ({reason}); it was not changed. Restore it from a copy, "
            "move it away to start afresh, or run once without it: --no-cache"
        )


def _is_emptied(database: Path) -> bool:
    """SQLite would take an empty file for a new database. Wait a little: another process may be about to fill it."""
    for _ in range(20):
        if not database.is_file() or database.stat().st_size:
            return False
        time.sleep(0.05)
    return True
