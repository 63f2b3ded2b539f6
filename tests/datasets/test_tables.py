"""Tables with a header: cells come back as they were, faults name their line."""

import csv
import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whichhalf.datasets.json_lines import Row
from whichhalf.datasets.tables import is_table, read_header, read_table
from whichhalf.errors import Fault, InputError


def write(folder: Path, content: str | bytes, name: str = "rows.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path: Path) -> tuple[list[Row], list[Fault]]:
    faults: list[Fault] = []
    return read_table(path, faults), faults


NAMES = {
    "a.csv": True,
    "a.tsv": True,
    "a.csv.gz": True,
    "a.tsv.gz": True,
    "a.jsonl": False,
    "a.gz": False,
    "csv": False,
    "a.csv.txt": False,
}


@pytest.mark.parametrize(("name", "answer"), NAMES.items())
def test_a_table_is_told_by_its_name(name: str, answer: bool) -> None:
    assert is_table(Path(name)) is answer


READ = {
    "plain": ("id,text\na,b\n", [(2, {"id": "a", "text": "b"})]),
    "CRLF, a byte order mark, no last newline": ("\ufeffid,text\r\na,b", [(2, {"id": "a", "text": "b"})]),
    "quotes, separators and line breaks in cells": (
        'id,text\n"a, 1","say ""x""\nand y"\nb,c\n',
        [(2, {"id": "a, 1", "text": 'say "x"\nand y'}), (4, {"id": "b", "text": "c"})],
    ),
    "a quote that begins no cell": ('id,text\na,3" pipe\n', [(2, {"id": "a", "text": '3" pipe'})]),
    "blank lines and empty records": ("\n\nid,text\n\n , \na,b\n,\n", [(6, {"id": "a", "text": "b"})]),
    "blanks around names": (" id , text\n a,b \n", [(2, {"id": " a", "text": "b "})]),
    "columns without a name": (",id,,text\n0,a,x,b\n", [(2, {"id": "a", "text": "b"})]),
    "nothing but a header": ("id,text\n", []),
    "nothing": ("", []),
}


@pytest.mark.parametrize(("content", "rows"), READ.values(), ids=READ.keys())
def test_read_exactly(tmp_path: Path, content: str, rows: list[tuple[int, dict[str, object]]]) -> None:
    found, faults = read(write(tmp_path, content))
    assert [(row.line, row.data) for row in found] == rows
    assert faults == []


def test_tabs_and_gzip(tmp_path: Path) -> None:
    found, faults = read(write(tmp_path, gzip.compress(b'id\ttext\na, b\t"c\td"\n'), "rows.tsv.gz"))
    assert (found, faults) == ([Row(2, {"id": "a, b", "text": "c\td"})], [])


def test_a_cell_may_be_as_long_as_it_likes(tmp_path: Path) -> None:
    before = csv.field_size_limit()
    found, faults = read(write(tmp_path, f"id,text\na,{'x' * 300_000}\n"))
    assert (len(str(found[0].data["text"])), faults) == (300_000, [])
    assert csv.field_size_limit() == before


FAULTS = {
    "too few cells": ("id,text\na,b\na\n", [(3, "", "the record has 1 cells, the header 2")]),
    "too many cells": ("id,text\na,b, c\nd,e\n", [(2, "", "the record has 3 cells, the header 2")]),
    "two columns of one name": ("id,text,id\na,b,c\n", [(1, "id", "there are two columns of this name")]),
    "a quote that does not end": ('id,text\na,b\nc,"d\ne,f\n', [(3, "", "not valid CSV (unexpected end of data)")]),
    "text after a quoted cell": ('id,text\na,"b"c\n', [(2, "", "not valid CSV (',' expected after '\"')")]),
}


@pytest.mark.parametrize(("content", "found"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_names_file_and_line(tmp_path: Path, content: str, found: list[tuple[int, str, str]]) -> None:
    path = write(tmp_path, content)
    assert read(path)[1] == [Fault(message, str(path), line, field) for line, field, message in found]


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the file does not exist"):
        read(tmp_path / "rows.csv")


def test_the_header_and_its_line(tmp_path: Path) -> None:
    assert read_header(write(tmp_path, '\n\n"id", text\na,b\n')) == (["id", "text"], 3)
    assert read_header(write(tmp_path, "")) == ([], 1)


CELL = st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), max_size=6)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(CELL, CELL), max_size=5), st.sampled_from([("rows.csv", ","), ("rows.tsv", "\t")]))
def test_what_csv_writes_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]], form: tuple[str, str]
) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=form[1]).writerows([("id", "text"), *cells])
    found, faults = read(write(tmp_path_factory.mktemp("table"), text.getvalue(), form[0]))
    kept = [pair for pair in cells if any(cell.strip() for cell in pair)]
    assert [tuple(row.data.values()) for row in found] == kept
    assert faults == []


def test_semicolons_part_the_cells_where_the_header_has_no_comma(tmp_path: Path) -> None:
    path = tmp_path / "flags.csv"
    path.write_text('id;note\nq1;"wrong, by far; really"\n', encoding="utf-8")
    faults: list[Fault] = []
    assert [row.data for row in read_table(path, faults)] == [{"id": "q1", "note": "wrong, by far; really"}]
    path.write_text("id,a;b\nq1,x;y\n", encoding="utf-8")
    assert [row.data for row in read_table(path, faults)] == [{"id": "q1", "a;b": "x;y"}]
    assert faults == []
