"""Where replies are kept between runs: a diskcache folder that drops nothing and unpickles nothing.

Replies are paid for, so there is no eviction and no size limit. diskcache can store pickles, and would unpickle
rows planted by anyone with write access to the folder; the disk class here stores text and refuses all else.
"""

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import diskcache
from diskcache.core import MODE_PICKLE
from pydantic import ValidationError

from whichhalf.core.record import Record
from whichhalf.errors import CacheError, Fault, InputError


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
        return super().fetch(mode, filename, value, read)


class ReplyStore:
    """Key → reply, on disk, safe for several threads and processes."""

    def __init__(self, folder: Path) -> None:
        """Open or create. Raises CacheError when the folder is damaged or not writable."""
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._cache = diskcache.Cache(
                os.fspath(folder),
                disk=_TextDisk,
                eviction_policy="none",
                cull_limit=0,
                size_limit=2**62,
                timeout=60,
            )
        except (sqlite3.DatabaseError, OSError) as error:
            raise CacheError(
                f"the reply cache {folder} cannot be opened ({error}); it was not changed. "
                "Move it away to start afresh, or restore it from a copy"
            ) from error

    def get(self, key: str) -> StoredReply | None:
        """None when there is none. Raises CacheError when the folder or the row is damaged."""
        text = self._guarded(self._cache.get, key)
        try:
            return None if text is None else StoredReply.model_validate_json(text)
        except ValidationError as error:
            raise CacheError(f"the reply cache {self.folder} holds a row that is no reply (key {key[:12]})") from error

    def put(self, reply: StoredReply) -> None:
        self._guarded(self._cache.set, reply.key, reply.model_dump_json())

    def __iter__(self) -> Iterator[StoredReply]:
        for key in self._guarded(lambda: list(self._cache.iterkeys())):
            reply = self.get(key)
            if reply is not None:
                yield reply

    def close(self) -> None:
        self._cache.close()

    def _guarded(self, action: Any, *arguments: Any) -> Any:
        try:
            return action(*arguments)
        except (sqlite3.DatabaseError, OSError, diskcache.Timeout) as error:
            raise CacheError(f"the reply cache {self.folder} failed ({error}); nothing in it was removed") from error


def read_recorded(path: Path) -> dict[str, StoredReply]:
    """Replies recorded in a JSON Lines file, by key. Raises InputError naming file and line."""
    replies: dict[str, StoredReply] = {}
    line = 0
    try:
        for text in path.read_text(encoding="utf-8-sig").split("\n"):
            line += 1
            if text.strip():
                reply = StoredReply.model_validate_json(text)
                replies[reply.key] = reply
    except (OSError, ValueError) as error:
        message = f"recorded replies cannot be read: {str(error).splitlines()[0]}"
        raise InputError(Fault(message, str(path), line or None)) from error
    return replies


def write_recorded(path: Path, replies: dict[str, StoredReply]) -> None:
    """Write replies so that a file in version control changes only where a reply changed."""
    lines = [replies[key].model_dump_json(exclude_none=True) + "\n" for key in sorted(replies)]
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
