"""Read JSON Lines: every fault of a file is collected with its line, none stops the reading."""

import gzip
import json
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from whichhalf.errors import Fault, InputError

_GZIP = b"\x1f\x8b"
_START = 1 << 16


@dataclass(frozen=True, slots=True)
class Row:
    """One object of a file."""

    line: int
    data: dict[str, object]


def read_json_lines(path: Path, faults: list[Fault]) -> Iterator[Row]:
    """Yield the objects of a file, skipping blank lines; faults are appended to `faults`.

    Raises InputError only when the file cannot be opened or is not UTF-8.
    """
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            data = parse_json(line)
        except ValueError as error:
            faults.append(Fault(str(error), str(path), number))
            continue
        if isinstance(data, dict):
            yield Row(number, data)
        else:
            faults.append(Fault(f"expected an object {{…}}, found {type(data).__name__}", str(path), number))


def parse_json(text: str) -> object:
    """A strict JSON value: no NaN, no repeated key, no half of a surrogate pair. Raises ValueError saying why not."""
    try:
        data: object = json.loads(
            text, parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_without_repeats
        )
        if "\\u" in text:
            json.dumps(data, ensure_ascii=False).encode()  # half a surrogate pair could never be written again
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not valid JSON ({_in_words(error)})") from error
    return data


def read_text(path: Path) -> str:
    """The text of a file, plain or gzipped, without a byte order mark and with \\n line ends. Raises InputError."""
    try:
        return _read_bytes(path).decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(Fault(f"is not UTF-8 (byte {error.start})", str(path))) from error


def read_start(path: Path) -> str:
    """The text of the first part of a file, long enough for its first lines. Raises InputError."""
    return _read_bytes(path, _START).decode("utf-8-sig", errors="replace").replace("\r\n", "\n")


def _read_bytes(path: Path, most: int = -1) -> bytes:
    try:
        with path.open("rb") as file:
            is_gzipped = file.read(len(_GZIP)) == _GZIP
            file.seek(0)
            if not is_gzipped:
                return file.read(most)
            with gzip.open(file) as plain:
                return plain.read(most)
    except FileNotFoundError:
        raise InputError(Fault("the file does not exist", str(path))) from None
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(Fault(f"cannot be read ({getattr(error, 'strerror', None) or error})", str(path))) from error


def _in_words(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg}, column {error.colno}"
    return "half of a surrogate pair is no text" if isinstance(error, UnicodeEncodeError) else str(error)


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise ValueError(f"the number {text} is too large")
    return number


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} is given twice")
    return found
