"""What the assistant left for each question."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from whichhalf.datasets.row_files import check_rows, read_rows
from whichhalf.datasets.rows import OutputRow
from whichhalf.errors import Fault, InputError


@dataclass(frozen=True, slots=True)
class Outputs:
    """Output rows by question id, in file order."""

    rows: dict[str, OutputRow]
    sha256: str = ""
    """Of the file's bytes."""
    notices: tuple[str, ...] = ()


def load_outputs(path: str | Path, columns: Mapping[str, str] | None = None) -> Outputs:
    """Read outputs: JSON Lines, or a table when the name ends in .csv or .tsv.

    Raises InputError that lists every fault of the file with its line.
    """
    path = Path(path)
    faults: list[Fault] = []
    notes: Counter[str] = Counter()
    rows: dict[str, OutputRow] = {}
    lines: dict[str, int] = {}
    for line, row in check_rows(read_rows(path, faults), OutputRow, path, columns or {}, notes, faults):
        if row.id in rows:
            faults.append(Fault(f"{row.id!r} is already used on line {lines[row.id]}", str(path), line, "id"))
        rows.setdefault(row.id, row)
        lines.setdefault(row.id, line)
    if not rows and not faults:
        faults.append(Fault("holds no output", str(path)))
    if faults:
        raise InputError(faults)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    return Outputs(rows, sha256, tuple(f"{path.name}: {count} {what}" for what, count in notes.items()))
