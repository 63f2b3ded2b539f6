"""Read a file that an expert filled in: CSV, TSV or JSON Lines with a column of ids and columns of their own."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from whichhalf.core.record import Record
from whichhalf.datasets.columns import check_columns, map_columns, unmatched_columns
from whichhalf.datasets.row_files import read_rows
from whichhalf.datasets.rows import check_row
from whichhalf.datasets.spreadsheet_cells import undefused
from whichhalf.datasets.tables import is_table, read_header
from whichhalf.errors import Fault

R = TypeVar("R", bound=Record)


def read_expert_rows(
    path: Path, row_type: type[R], columns: Mapping[str, str], where: str, faults: list[Fault]
) -> Iterator[tuple[int, R]]:
    """Yield each row with its line. Columns we do not know are the expert's own and left alone; an empty cell says
    nothing.

    `columns` are ours = "theirs"; `where` names the setting they come from. Faults of rows go to `faults`; raises
    InputError when the file cannot be read or a mapped name of ours does not exist.
    """
    fields = set(row_type.model_fields)
    check_columns(columns, fields, where)
    rows = read_rows(path, faults)
    if is_table(path) and not faults:
        header, line = read_header(path)
        if columns.get("id", "id") not in header:
            have = ", ".join(filter(None, header)) or "none"
            faults.append(Fault(f"needs a column {columns.get('id', 'id')!r}; it has {have}", str(path), line))
            return
    for row in rows:
        cells = map_columns(row.data, columns, fields)
        if is_table(path):
            cells = {key: undefused(cell) if isinstance(cell, str) else cell for key, cell in cells.items()}
        said = {key: value for key in row_type.model_fields if not _is_empty(value := cells.get(key))}
        read = check_row(row_type, said, str(path), row.line, Counter(), faults)
        if read is not None:
            yield row.line, read
    faults += unmatched_columns([row.data for row in rows], columns, fields, str(path), where)


def _is_empty(cell: object) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())
