"""Files that hold a question, a passage and a number in each record, as frames without a Python object a row.

A columnar scan takes regular files; any other file is read record by record, which finds the faults. Both give the
same frame.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import isfinite
from pathlib import Path

import polars as pl

from whichhalf.errors import Fault, InputError

MOST_FAULTS = 1000
"""Where reading stops: the file is something else altogether."""
_LARGEST = 2**63 - 1

Cells = tuple[str, str, str]
"""Question, passage and number, as they stand in the file."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What the number is: frames have the columns question, passage and `name`."""

    name: str
    type: type[pl.DataType]
    parse: Callable[[str], float]
    """Raises ValueError for a number that may not be."""
    unique: tuple[str, str] | None = None
    """Columns that are not the same in two records."""
    repeated: str = ""
    """What is said when they are, of {question}, {passage} and {number}."""


def _whole_number(text: str) -> int:
    digits = text.removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdigit() and len(text) - len(digits) < 2):
        raise ValueError(f"must be a whole number, not {text!r}")
    if int(digits) > _LARGEST:
        raise ValueError(f"{text} is too large")
    return int(text)


def _finite_number(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = float("nan")
    if not isfinite(number) or not text.isascii() or "_" in text:
        raise ValueError(f"must be a finite number, not {text!r}")
    return number


GRADES = Kind(
    "grade",
    pl.Int64,
    _whole_number,
    ("question", "passage"),
    "passage {passage!r} is judged twice for question {question!r}",
)
SCORES = Kind("score", pl.Float64, _finite_number)
RANKS = Kind(
    "rank", pl.Int64, _whole_number, ("question", "rank"), "rank {number} is given twice for question {question!r}"
)


def scan_columns(
    path: Path,
    kind: Kind,
    places: Mapping[str, int],
    *,
    separator: str,
    quote: str | None = None,
    skip_rows: int = 0,
    filled: int = 0,
) -> tuple[pl.DataFrame, int] | None:
    """What stands at `places`, counted from 0, and the number of columns of the file. A number without a place is 1.

    None, for the careful reader, when the file is irregular, one of these cells or of the first `filled` is empty, a
    number may not be, or a record repeats what must be unique.
    """
    needed = sorted({*range(filled), *places.values()})
    read = partial(
        pl.read_csv,
        path,
        separator=separator,
        has_header=False,
        quote_char=quote,
        infer_schema=False,
        skip_rows=skip_rows,
        glob=False,
    )
    try:
        width = read(n_rows=1).width
        if max(needed) >= width:
            return None
        types = {f"column_{places[kind.name]}": kind.type} if kind.name in places else {}
        columns = dict(zip(needed, read(columns=needed, schema_overrides=types).get_columns(), strict=True))
        if any(column.has_nulls() for column in columns.values()):
            return None
        frame = pl.DataFrame({name: columns[place] for name, place in places.items()})
        if kind.name not in places:
            frame = frame.with_columns(pl.lit(1, kind.type).alias(kind.name))
    except (pl.exceptions.PolarsError, OSError):
        return None
    return None if _has_faults(frame, kind) else (frame, width)


def collect_records(
    path: Path,
    kind: Kind,
    records: Iterable[tuple[int, Cells]],
    faults: list[Fault],
    field: str = "",
) -> pl.DataFrame:
    """The records, each with its line, as a frame in their order; `records` may append faults of its own.

    `field` is the file's own name of the number. Raises InputError listing every fault with its line.
    """
    rows: list[tuple[str, str, float]] = []
    seen: set[tuple[object, ...]] = set()
    for line, (question, passage, text) in records:
        try:
            row = (question, passage, kind.parse(text))
        except ValueError as error:
            message = str(error) if field else f"the {kind.name} {error}"
            faults.append(Fault(message, str(path), line, field))
        else:
            key = _key(kind, row)
            if key in seen:
                message = kind.repeated.format(question=question, passage=passage, number=text)
                faults.append(Fault(message, str(path), line))
            if key:
                seen.add(key)
            rows.append(row)
    if not rows and not faults:
        faults.append(Fault("is empty", str(path)))
    if faults:
        raise InputError(faults)
    return pl.DataFrame(rows, schema={"question": pl.String, "passage": pl.String, kind.name: kind.type}, orient="row")


def _has_faults(frame: pl.DataFrame, kind: Kind) -> bool:
    if kind.unique is not None:
        return bool(frame.select(kind.unique).is_duplicated().any())
    return not frame[kind.name].is_finite().all()


def _key(kind: Kind, row: tuple[str, str, float]) -> tuple[object, ...]:
    named = dict(zip(("question", "passage", kind.name), row, strict=True))
    return tuple(named[name] for name in kind.unique or ())
