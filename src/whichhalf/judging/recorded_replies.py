"""Replies in a JSON Lines file, to be kept in version control and replayed: what `cache export` writes."""

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import ValidationError

from whichhalf.core.validation_words import in_plain_words
from whichhalf.errors import Fault, InputError
from whichhalf.judging.reply_store import StoredReply


def read_recorded(path: Path) -> dict[str, StoredReply]:
    """Replies by key. Raises InputError with every fault, by file and line.

    One reply may stand there twice, as after a merge; two different ones under one key are a fault.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(Fault(f"recorded replies cannot be read: {error}", str(path))) from error
    replies: dict[str, StoredReply] = {}
    faults: list[Fault] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            reply = StoredReply.model_validate_json(line)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, first["loc"]))
            faults.append(Fault(f"this is no recorded reply: {in_plain_words(first)}", str(path), number, field))
            continue
        if replies.setdefault(reply.key, reply).text != reply.text:
            faults.append(Fault(f"another reply stands above under the same key {reply.key[:12]}", str(path), number))
    if faults:
        raise InputError(faults)
    return replies


def write_recorded(path: Path, replies: Mapping[str, StoredReply]) -> None:
    """Write replies so that a file in version control changes only where a reply changed; whole or not at all."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(replies[key].model_dump_json(exclude_none=True) + "\n" for key in sorted(replies))
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
