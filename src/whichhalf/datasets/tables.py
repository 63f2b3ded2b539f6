"""Tables with a header line, cells apart by commas or semicolons (.csv) or tabs (.tsv), plain or gzipped.

A cell with a separator, a quote or a line break stands in quotes, and a quote inside it is doubled.
"""

import csv
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path

from whichhalf.datasets.json_lines import Row, read_start, read_text
from whichhalf.errors import Fault

_SEPARATORS = {".csv": ",", ".tsv": "\t"}


def is_table(path: Path) -> bool:
    """By the end of its name."""
    return _ending(path) in _SEPARATORS


def separator_of(path: Path) -> str:
    """What parts the cells of a table: by its name, or a semicolon where the header of a .csv has some and no comma, as
    spreadsheets write in many countries. Raises InputError when the file cannot be read."""
    usual = _SEPARATORS[_ending(path)]
    header = read_start(path).lstrip().partition("\n")[0] if usual == "," else ""
    return ";" if ";" in header and "," not in header else usual


def read_header(path: Path) -> tuple[list[str], int]:
    """The names of the columns, without outer blanks, and their line. Raises InputError when it cannot be read."""
    line, header = next(_records(read_start(path), path, []), (1, []))
    return header, line


def read_table(path: Path, faults: list[Fault]) -> list[Row]:
    """The records by column name, each with its first line; columns without a name and empty records are left out.

    Faults are appended to `faults`. Raises InputError when the file cannot be opened or is not UTF-8.
    """
    records = _records(read_text(path), path, faults)
    line, header = next(records, (1, []))
    repeated = [name for name, count in Counter(header).items() if name and count > 1]
    if repeated:
        faults.append(Fault("there are two columns of this name", str(path), line, repeated[0]))
        return []
    rows: list[Row] = []
    for line, cells in records:
        if len(cells) == len(header):
            rows.append(Row(line, {name: cell for name, cell in zip(header, cells, strict=True) if name}))
        else:
            faults.append(Fault(f"the record has {len(cells)} cells, the header {len(header)}", str(path), line))
    return rows


def _records(text: str, path: Path, faults: list[Fault]) -> Iterator[tuple[int, list[str]]]:
    """The records that hold anything, each with its first line; the first of them is the header."""
    reader = csv.reader(StringIO(text), delimiter=separator_of(path), strict=True)
    is_header = True
    line = 1
    try:
        with _cells_up_to(len(text)):
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    yield line, [cell.strip() for cell in cells] if is_header else cells
                    is_header = False
                line = reader.line_num + 1
    except csv.Error as error:
        faults.append(Fault(f"not valid CSV ({str(error).partition(' - ')[0]})", str(path), line))


@contextmanager
def _cells_up_to(size: int) -> Iterator[None]:
    """The limit of the csv module is too small for a cell that holds many passages."""
    before = csv.field_size_limit(max(size, 1))
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _ending(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).suffix
