"""Every row is read exactly, and every fault is named by file and line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whichhalf.datasets.json_lines import Row, read_json_lines, read_text
from whichhalf.errors import Fault, InputError

HARD_TEXT = "Grüße, 保修 🎉 “smart” quotes"


def write(folder: Path, content: str | bytes, name: str = "rows.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def read(path: Path) -> tuple[list[Row], list[Fault]]:
    faults: list[Fault] = []
    return list(read_json_lines(path, faults)), faults


READ_AS_THEY_ARE = {
    "a byte order mark (bug-207)": (b'\xef\xbb\xbf{"id": "a"}\n', [(1, {"id": "a"})]),
    "CRLF": (b'{"id": "a"}\r\n{"id": "b"}\r\n', [(1, {"id": "a"}), (2, {"id": "b"})]),
    "blank lines keep the count": (b'\n{"id": "a"}\n  \n\n{"id": "b"}', [(2, {"id": "a"}), (5, {"id": "b"})]),
    "no newline at the end": (b'{"id": "a"}', [(1, {"id": "a"})]),
    "U+2028 and U+0085 inside a text": (
        '{"id": "a\u2028b\u0085c"}\n{"id": "d"}'.encode(),
        [(1, {"id": "a\u2028b\u0085c"}), (2, {"id": "d"})],
    ),
    "Grüße, 保修, emoji, curly quotes (bug-206, bug-208)": (
        f'{{"text": "{HARD_TEXT}"}}'.encode(),
        [(1, {"text": HARD_TEXT})],
    ),
    "a whole surrogate pair": (rb'{"text": "\ud83c\udf89"}', [(1, {"text": "🎉"})]),
    "an escaped backslash before u": (rb'{"text": "\\ud83c"}', [(1, {"text": r"\ud83c"})]),
}


@pytest.mark.parametrize(("content", "rows"), READ_AS_THEY_ARE.values(), ids=READ_AS_THEY_ARE.keys())
def test_read_exactly(tmp_path: Path, content: bytes, rows: list[tuple[int, object]]) -> None:
    found, faults = read(write(tmp_path, content))
    assert [(row.line, row.data) for row in found] == rows
    assert faults == []


FAULTS = {
    "NaN": ('{"score": NaN}', "not valid JSON (NaN is not a JSON number)"),
    "Infinity": ('{"score": -Infinity}', "not valid JSON (-Infinity is not a JSON number)"),
    "a number beyond all floats": ('{"score": 1e999}', "not valid JSON (the number 1e999 is too large)"),
    "half of a surrogate pair": (r'{"text": "\ud83c"}', "not valid JSON (half of a surrogate pair is no text)"),
    "a repeated key": ('{"c1": 1, "c2": 1, "c1": 2}', "not valid JSON (the key 'c1' is given twice)"),
    "a missing comma": ('{"a": 1 "b": 2}', "not valid JSON (Expecting ',' delimiter, column 9)"),
    "a list": ("[1, 2]", "expected an object {…}, found list"),
    "a text": ('"a"', "expected an object {…}, found str"),
}


@pytest.mark.parametrize(("line", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_names_file_and_line(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path, '{"id": "ok"}\n' * 6 + line + '\n{"id": "after"}\n')
    rows, faults = read(path)
    assert faults == [Fault(message, str(path), 7)]
    assert str(faults[0]) == f"{path}:7: {message}"
    assert [row.line for row in rows] == [1, 2, 3, 4, 5, 6, 8]


def test_nesting_beyond_measure_is_a_fault(tmp_path: Path) -> None:
    _, faults = read(write(tmp_path, "[" * 100_000))
    assert [fault.line for fault in faults] == [1]


def test_all_faults_are_collected(tmp_path: Path) -> None:
    _, faults = read(write(tmp_path, '{\n{"a": 1}\n[]\nNaN\n'))
    assert [fault.line for fault in faults] == [1, 3, 4]


UNREADABLE = {
    "a missing file": (None, "the file does not exist"),
    "UTF-16": ("id".encode("utf-16"), "is not UTF-8 (byte 0)"),
    "Latin-1": ('{"id": "Grüße"}'.encode("latin-1"), "is not UTF-8 (byte 10)"),
}


@pytest.mark.parametrize(("content", "message"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "rows.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_text(path)
    assert caught.value.faults == (Fault(message, str(path)),)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_text(tmp_path)


@pytest.mark.parametrize("encoding", ["cp1252", "gbk"])
def test_the_system_code_page_plays_no_part(tmp_path: Path, encoding: str) -> None:
    """bug-206: the rows are read exactly under any locale."""
    path = write(tmp_path, f'{{"id": "a", "question": "{HARD_TEXT}"}}')
    code = (
        "import sys; from whichhalf import load_golden;print(ascii(load_golden(sys.argv[1]).questions[0].text), end='')"
    )
    environment = {**os.environ, "PYTHONUTF8": "0", "PYTHONIOENCODING": encoding, "LC_ALL": "C"}
    done = subprocess.run(
        [sys.executable, "-X", "warn_default_encoding", "-W", "error::EncodingWarning", "-c", code, str(path)],
        env=environment,
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode("ascii") == ascii(HARD_TEXT)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.dictionaries(st.text(), st.text()), max_size=5))
def test_what_json_writes_is_read_back(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str]]) -> None:
    text = "".join(json.dumps(row, ensure_ascii=bool(number % 2)) + "\n" for number, row in enumerate(rows))
    found, faults = read(write(tmp_path_factory.mktemp("rows"), text))
    assert [row.data for row in found] == rows
    assert faults == []
