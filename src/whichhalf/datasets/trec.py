"""TREC files: relevance judgements (qrels) and runs, plain or gzipped.

    qrels line   question iteration passage grade
    run line     question Q0 passage rank score [tag …]

Columns stand apart by spaces or tabs; blank lines and those that begin with # are skipped.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from whichhalf.datasets.json_lines import read_text
from whichhalf.datasets.triples import GRADES, MOST_FAULTS, SCORES, Cells, Kind, collect_records, scan_columns
from whichhalf.errors import Fault


@dataclass(frozen=True, slots=True)
class _Layout:
    what: str
    kind: Kind
    columns: int
    fewest: int
    most: int
    number: int
    """Where the number stands, counted from 0; the question is the first column, the passage the third."""


_PART = 1 << 20

_QRELS = _Layout("qrels", GRADES, columns=4, fewest=4, most=4, number=3)
_RUN = _Layout("run", SCORES, columns=6, fewest=5, most=1000, number=4)


def read_qrels(path: Path) -> pl.DataFrame:
    """Columns question, passage (text) and grade (whole number), in file order.

    Raises InputError listing every fault with its line; a passage judged twice for one question is one.
    """
    return _read(path, _QRELS)


def read_run(path: Path) -> pl.DataFrame:
    """Columns question, passage (text) and score (finite number), in file order; the rank column plays no part.

    Raises InputError listing every fault with its line.
    """
    return _read(path, _RUN)


def split_line(line: str) -> list[str]:
    """The columns of a line; only spaces and tabs part them, any other character may stand in an id."""
    return [part for part in line.rstrip("\r").replace("\t", " ").split(" ") if part]


def _read(path: Path, layout: _Layout) -> pl.DataFrame:
    frame = _scan(path, layout)
    if frame is None:
        faults: list[Fault] = []
        frame = collect_records(path, layout.kind, _records(path, layout, faults), faults)
    return frame


def _scan(path: Path, layout: _Layout) -> pl.DataFrame | None:
    places = {"question": 0, "passage": 2, layout.kind.name: layout.number}
    scanned = scan_columns(path, layout.kind, places, separator=" ", filled=layout.number)
    if scanned is None or not layout.fewest <= scanned[1] <= layout.most:
        return None
    frame = scanned[0]
    return None if frame["question"].str.starts_with("#").any() or _has_tab(path) else frame


def _has_tab(path: Path) -> bool:
    with path.open("rb") as file:
        return any(b"\t" in part for part in iter(lambda: file.read(_PART), b""))


def _records(path: Path, layout: _Layout, faults: list[Fault]) -> Iterator[tuple[int, Cells]]:
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        parts = split_line(line)
        if not parts or parts[0].startswith("#"):
            continue
        if layout.fewest <= len(parts) <= layout.most:
            yield number, (parts[0], parts[2], parts[layout.number])
        else:
            message = f"a {layout.what} line has {layout.columns} columns, this has {len(parts)}"
            faults.append(Fault(message, str(path), number))
        if len(faults) >= MOST_FAULTS:
            return
