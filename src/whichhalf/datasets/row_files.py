"""Files with one row a question or passage: JSON Lines, or a table with a header when the name ends in .csv or .tsv."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from whichhalf.core.record import Record
from whichhalf.datasets.cells import TAG, cell_value, gather_tags
from whichhalf.datasets.columns import map_columns, unmatched_columns
from whichhalf.datasets.json_lines import Row, read_json_lines
from whichhalf.datasets.rows import check_row, suggestion
from whichhalf.datasets.tables import is_table, read_header, read_table
from whichhalf.errors import Fault

R = TypeVar("R", bound=Record)


def read_rows(path: Path, faults: list[Fault]) -> list[Row]:
    """The rows of a file as they stand in it; cells of a table are text.

    Faults are appended to `faults`. Raises InputError only when the file cannot be opened or is not UTF-8.
    """
    return read_table(path, faults) if is_table(path) else list(read_json_lines(path, faults))


def check_rows(
    rows: Sequence[Row],
    row_type: type[R],
    path: Path,
    columns: Mapping[str, str],
    notes: Counter[str],
    faults: list[Fault],
) -> Iterator[tuple[int, R]]:
    """Yield each row that fits its type, with its line; faults of the others and of `columns` go to `faults`."""
    fields = set(row_type.model_fields)
    if is_table(path) and rows:
        rows = _table_rows(rows, row_type, path, columns, faults)
    for row in rows:
        data = map_columns(row.data, columns, fields)
        if is_table(path):
            data = _values(data, path, row.line, faults)
        read = check_row(row_type, data, str(path), row.line, notes, faults)
        if read is not None:
            yield row.line, read
    faults += unmatched_columns([row.data for row in rows], columns, fields, str(path))


def _table_rows(
    rows: Sequence[Row], row_type: type[Record], path: Path, columns: Mapping[str, str], faults: list[Fault]
) -> list[Row]:
    """The rows with their tags gathered and without unknown columns; none when a needed column is missing."""
    names = list(rows[0].data)
    fields = row_type.model_fields
    line = read_header(path)[1]
    missing = [
        field for field, about in fields.items() if about.is_required() and {field}.isdisjoint([*names, *columns])
    ]
    faults += [Fault(f"needs a column {field!r}; it has {', '.join(names)}", str(path), line) for field in missing]
    known = {*fields, *(name for name in names if name.startswith(TAG) and "tags" in fields)}
    unknown = [] if columns else [name for name in names if name not in known]
    faults += [Fault(f"unknown column{suggestion(name, row_type)}", str(path), line, name) for name in unknown]
    if missing:
        return []
    kept = [{name: cell for name, cell in row.data.items() if name not in unknown} for row in rows]
    return [Row(row.line, gather_tags(data)) for row, data in zip(rows, kept, strict=True)]


def _values(data: Mapping[str, object], path: Path, line: int, faults: list[Fault]) -> dict[str, object]:
    values: dict[str, object] = {}
    for field, cell in data.items():
        try:
            values[field] = cell_value(field, cell)
        except ValueError as error:
            faults.append(Fault(str(error), str(path), line, field))
    return {field: value for field, value in values.items() if value is not None}
