"""Read JSON Lines: every fault of a file is collected with its line, none stops the reading."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from whichhalf.errors import Fault, InputError


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
            data = _load(line)
        except (ValueError, RecursionError) as error:
            faults.append(Fault(f"not valid JSON ({_in_words(error)})", str(path), number))
            continue
        if isinstance(data, dict):
            yield Row(number, data)
        else:
            faults.append(Fault(f"expected an object {{…}}, found {type(data).__name__}", str(path), number))


def read_text(path: Path) -> str:
    """The text of a file, without a byte order mark and with \\n line ends. Raises InputError."""
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        raise InputError(Fault("the file does not exist", str(path))) from None
    except OSError as error:
        raise InputError(Fault(f"cannot be read ({error.strerror})", str(path))) from error
    except UnicodeDecodeError as error:
        raise InputError(Fault(f"is not UTF-8 (byte {error.start})", str(path))) from error


def _load(line: str) -> object:
    data: object = json.loads(
        line, parse_constant=_refuse_constant, parse_float=_finite, object_pairs_hook=_without_repeats
    )
    if "\\u" in line:
        json.dumps(data, ensure_ascii=False).encode()  # half a surrogate pair could be read, yet never written again
    return data


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
