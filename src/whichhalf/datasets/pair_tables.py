"""Labels and rankings as tables with a header, one question and passage a record.

    labels      question, passage, grade (without a grade: 1), or query-id, corpus-id, score as in BEIR
    rankings    question, passage and score (higher first) or rank (1 first)

Columns stand in any order, others are left alone. Ids are without outer blanks.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import polars as pl

from whichhalf.datasets.tables import read_header, read_table, separator_of
from whichhalf.datasets.triples import (
    GRADES,
    MOST_FAULTS,
    RANKS,
    SCORES,
    Cells,
    Kind,
    collect_records,
    scan_columns,
)
from whichhalf.errors import Fault, InputError

_BEIR = {"question": "query-id", "passage": "corpus-id", "grade": "score"}
_BLANKS = " \t\r\n"


def is_pair_table(header: Sequence[str]) -> bool:
    """Whether a table names a passage in each record, as labels and rankings do."""
    return "passage" in header or "corpus-id" in header


def read_label_table(path: Path) -> pl.DataFrame:
    """Columns question, passage (text) and grade (whole number), in file order.

    Raises InputError listing every fault with its line; a passage judged twice for one question is one.
    """
    header, line = read_header(path)
    names = _label_names(header)
    if "grade" not in names and not {"score", "rank"}.isdisjoint(header):
        raise InputError(Fault("labels need a column 'grade'; score and rank belong to rankings", str(path), line))
    return _read(path, GRADES, names, header, line)


def label_records(path: Path) -> Iterator[tuple[int, Cells]]:
    """The records of a label table that was read without a fault, each with its line."""
    return _records(path, _label_names(read_header(path)[0]), [])


def read_ranking_table(path: Path, notices: list[str]) -> pl.DataFrame:
    """Columns question, passage (text) and score (finite number), in file order; a rank becomes a score.

    Notices are appended to `notices`. Raises InputError listing every fault with its line; a rank given twice for one
    question is one.
    """
    header, line = read_header(path)
    kind = RANKS if "rank" in header and "score" not in header else SCORES
    if {"rank", "score"} <= set(header):
        notices.append(f"{path.name}: has score and rank; the score counts")
    if kind is SCORES and "score" not in header:
        raise InputError(Fault(f"needs a column 'score' or 'rank'; it has {_listed(header)}", str(path), line))
    frame = _read(path, kind, {name: name for name in ("question", "passage", kind.name)}, header, line)
    if kind is SCORES:
        return frame
    return frame.select("question", "passage", score=-pl.col("rank").cast(pl.Float64))


def _label_names(header: Sequence[str]) -> dict[str, str]:
    if {"query-id", "corpus-id"} <= set(header):
        return _BEIR
    return {name: name for name in ("question", "passage", "grade") if name != "grade" or name in header}


def _read(path: Path, kind: Kind, names: Mapping[str, str], header: Sequence[str], line: int) -> pl.DataFrame:
    """`names` are those of the columns in the file."""
    for name in names.values():
        if name not in header:
            raise InputError(Fault(f"needs a column {name!r}; it has {_listed(header)}", str(path), line))
    frame = _scan(path, kind, names, header) if line == 1 else None
    if frame is None:
        faults: list[Fault] = []
        frame = collect_records(path, kind, _records(path, names, faults), faults, names.get(kind.name, ""))
    return frame


def _scan(path: Path, kind: Kind, names: Mapping[str, str], header: Sequence[str]) -> pl.DataFrame | None:
    if any(header.count(name) > 1 for name in header if name):
        return None
    places = {ours: header.index(theirs) for ours, theirs in names.items()}
    scanned = scan_columns(path, kind, places, separator=separator_of(path), quote='"', skip_rows=1)
    if scanned is None or scanned[1] != len(header):
        return None
    ids = pl.col("question", "passage")
    is_odd = (ids != ids.str.strip_chars(_BLANKS)) | (ids.str.len_bytes() == 0) | ids.str.contains("\r", literal=True)
    return None if any(scanned[0].select(is_odd.any()).row(0)) else scanned[0]


def _records(path: Path, names: Mapping[str, str], faults: list[Fault]) -> Iterator[tuple[int, Cells]]:
    for row in read_table(path, faults):
        cells = {ours: str(row.data[theirs]).strip(_BLANKS) for ours, theirs in names.items()}
        question, passage, number = (*cells.values(), "1")[:3]
        blank = next((names[name] for name in ("question", "passage") if not cells[name]), None)
        if blank is None:
            yield row.line, (question, passage, number)
        else:
            faults.append(Fault("is blank", str(path), row.line, blank))
        if len(faults) >= MOST_FAULTS:
            return


def _listed(header: Sequence[str]) -> str:
    return ", ".join(header) or "none"
