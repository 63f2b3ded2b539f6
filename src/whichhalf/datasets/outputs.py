"""What the assistant left for each question."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from whichhalf.datasets.columns import map_columns, unmatched_columns
from whichhalf.datasets.json_lines import read_json_lines
from whichhalf.datasets.rows import OutputRow, check_row
from whichhalf.errors import Fault, InputError


@dataclass(frozen=True, slots=True)
class Outputs:
    """Output rows by question id, in file order."""

    rows: dict[str, OutputRow]
    sha256: str = ""
    """Of the file's bytes."""
    notices: tuple[str, ...] = ()


def load_outputs(path: str | Path, columns: Mapping[str, str] | None = None) -> Outputs:
    """Read outputs. Raises InputError that lists every fault of the file with its line."""
    path = Path(path)
    faults: list[Fault] = []
    notes: Counter[str] = Counter()
    rows: dict[str, OutputRow] = {}
    lines: dict[str, int] = {}
    found = list(read_json_lines(path, faults))
    for row in found:
        data = map_columns(row.data, columns or {}, set(OutputRow.model_fields))
        read = check_row(OutputRow, data, str(path), row.line, notes, faults)
        if read is None:
            continue
        if read.id in rows:
            faults.append(Fault(f"{read.id!r} is already used on line {lines[read.id]}", str(path), row.line, "id"))
        rows.setdefault(read.id, read)
        lines.setdefault(read.id, row.line)
    faults += unmatched_columns([row.data for row in found], columns or {}, set(OutputRow.model_fields), str(path))
    if not rows and not faults:
        faults.append(Fault("holds no output", str(path)))
    if faults:
        raise InputError(faults)
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    return Outputs(rows, sha256, tuple(f"{path.name}: {count} {what}" for what, count in notes.items()))
