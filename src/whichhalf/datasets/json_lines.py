"""Read JSON Lines: every fault of a file is collected with its line, none stops the reading."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
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
            data = json.loads(line, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            faults.append(Fault(f"not valid JSON ({error})", str(path), number))
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


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")
