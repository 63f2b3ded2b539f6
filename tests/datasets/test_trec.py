"""TREC files as they are found in the wild, by the columnar reader and by the careful one."""

import gzip
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whichhalf.datasets import trec, triples
from whichhalf.datasets.trec import read_qrels, read_run
from whichhalf.errors import Fault, InputError

Rows = list[tuple[str, str, float]]
Read = Callable[[Path], pl.DataFrame]


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "file [1].txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture(params=["columnar first", "careful alone"])
def readers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "careful alone":
        monkeypatch.setattr(trec, "scan_columns", lambda *_, **__: None)
    return str(request.param)


QRELS: dict[str, tuple[str, Rows]] = {
    "single spaces": ("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 -1\n", [("q1", "d1", 1), ("q1", "d2", 0), ("q2", "d1", -1)]),
    "tabs and runs of spaces": ("q1\t0\td1\t1\n  q1   0  d2   2  \n", [("q1", "d1", 1), ("q1", "d2", 2)]),
    "a tab inside a line of single spaces": ("q1 0 d1 1\nq1 0\td2 2\n", [("q1", "d1", 1), ("q1", "d2", 2)]),
    "blank lines": ("\nq1 0 d1 1\n\n \n", [("q1", "d1", 1)]),
    "comments": ("# made by hand\nq1 0 d1 1\n#q2 0 d2 1\n", [("q1", "d1", 1)]),
    "a comment like a line": ("q1 0 d1 1\n#q2 0 d2 1\n", [("q1", "d1", 1)]),
    "CRLF and a byte order mark (bug-207)": ("\ufeffq1 0 d1 1\r\nq1 0 d2 2\r\n", [("q1", "d1", 1), ("q1", "d2", 2)]),
    "no newline at the end": ("q1 0 d1 1\nq1 0 d2 2", [("q1", "d1", 1), ("q1", "d2", 2)]),
    "a carriage return at the end": ("q1 0 d1 1\r", [("q1", "d1", 1)]),
    "curly quotes in an id (bug-208)": ("q1 0 “smart” 1\n", [("q1", "“smart”", 1)]),
    "straight quotes in ids": ('"q1 0 d"1 1\nq1" 0 "d2" 1\n', [('"q1', 'd"1', 1), ('q1"', '"d2"', 1)]),
    "ids that look like numbers": ("007 0 1e5 1\n7 0 1.0 1\n", [("007", "1e5", 1), ("7", "1.0", 1)]),
    "ids in other scripts": ("文書 0 d\u00a0é 1\nq\u2028 0 🎉 1\n", [("文書", "d\u00a0é", 1), ("q\u2028", "🎉", 1)]),
    "ids that mean nothing elsewhere": ("null 0 NaN 1\n0 0 None 1\n", [("null", "NaN", 1), ("0", "None", 1)]),
    "a plus sign": ("q1 0 d1 +2\n", [("q1", "d1", 2)]),
    "a passage of two questions": ("q1 0 d1 1\nq2 0 d1 1\n", [("q1", "d1", 1), ("q2", "d1", 1)]),
}


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize(("text", "rows"), QRELS.values(), ids=QRELS.keys())
def test_qrels(tmp_path: Path, text: str, rows: Rows) -> None:
    found = read_qrels(write(tmp_path, text))
    assert found.schema == {"question": pl.String, "passage": pl.String, "grade": pl.Int64}
    assert found.rows() == rows


RUNS: dict[str, tuple[str, Rows]] = {
    "six columns": ("q1 Q0 d1 1 0.9 tag\nq1 Q0 d2 2 0.8 tag\n", [("q1", "d1", 0.9), ("q1", "d2", 0.8)]),
    "five columns": ("q1 Q0 d1 1 0.9\n", [("q1", "d1", 0.9)]),
    "seven columns": ("q1 Q0 d1 1 0.9 my tag\n", [("q1", "d1", 0.9)]),
    "lines of five and of six": ("q1 Q0 d1 1 0.9\nq1 Q0 d2 2 0.8 t\n", [("q1", "d1", 0.9), ("q1", "d2", 0.8)]),
    "lines of six and of five": ("q1 Q0 d1 1 0.9 t\nq1 Q0 d2 2 0.8\n", [("q1", "d1", 0.9), ("q1", "d2", 0.8)]),
    "tabs": ("q1\tQ0\td1\t1\t-3e2\ttag\n", [("q1", "d1", -300.0)]),
    "a run of spaces before the rank": ("q1 Q0 d1 1 2 t\nq1 Q0 d2  7 1 t\n", [("q1", "d1", 2), ("q1", "d2", 1)]),
    "CRLF": ("q1 Q0 d1 1 0.9\r\nq1 Q0 d2 2 0.8\r\n", [("q1", "d1", 0.9), ("q1", "d2", 0.8)]),
    "whole scores (bug-030)": (
        "q1 Q0 d1 1 10000 t\nq1 Q0 d2 2 9000 t\n",
        [("q1", "d1", 10000.0), ("q1", "d2", 9000.0)],
    ),
    "file order, not the rank column": (
        "q1 Q0 d1 9 0.1 t\nq1 Q0 d2 x 0.2 t\n",
        [("q1", "d1", 0.1), ("q1", "d2", 0.2)],
    ),
    "a passage twice (bug-038)": ("q1 Q0 d1 1 0.9 r\nq1 Q0 d1 2 0.8 r\n", [("q1", "d1", 0.9), ("q1", "d1", 0.8)]),
    "a question in two stretches": (
        "q1 Q0 d1 1 2 t\nq2 Q0 d1 1 2 t\nq1 Q0 d2 2 1 t\n",
        [("q1", "d1", 2.0), ("q2", "d1", 2.0), ("q1", "d2", 1.0)],
    ),
}


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize(("text", "rows"), RUNS.values(), ids=RUNS.keys())
def test_runs(tmp_path: Path, text: str, rows: Rows) -> None:
    found = read_run(write(tmp_path, text))
    assert found.schema == {"question": pl.String, "passage": pl.String, "score": pl.Float64}
    assert found.rows() == rows


@pytest.mark.usefixtures("readers")
def test_gzip_whatever_the_name(tmp_path: Path) -> None:
    assert read_qrels(write(tmp_path, gzip.compress(b"q1 0 d1 1\n"))).rows() == [("q1", "d1", 1)]
    assert read_run(write(tmp_path, gzip.compress(b"q1 Q0 d1 1 0.5 t\n"))).rows() == [("q1", "d1", 0.5)]


BAD_QRELS = {
    "a fractional grade (bug-031)": ("q1 0 d1 0.5", "the grade must be a whole number, not '0.5'"),
    "a grade in words": ("q1 0 d1 yes", "the grade must be a whole number, not 'yes'"),
    "a grade in digits of another script": ("q1 0 d1 ٣", "the grade must be a whole number, not '٣'"),
    "a grade with underscores": ("q1 0 d1 1_0", "the grade must be a whole number, not '1_0'"),
    "a grade beyond all numbers": (f"q1 0 d1 {2**63}", f"the grade {2**63} is too large"),
    "three columns": ("q1 d1 1", "a qrels line has 4 columns, this has 3"),
    "six columns: a run": ("q1 Q0 d1 1 0.9 tag", "a qrels line has 4 columns, this has 6"),
    "judged twice": ("q0 0 d0 1", "passage 'd0' is judged twice for question 'q0'"),
    "judged twice, otherwise": ("q0 0 d0 2", "passage 'd0' is judged twice for question 'q0'"),
}
BAD_RUNS = {
    "a score of nan": ("q1 Q0 d1 1 nan t", "the score must be a finite number, not 'nan'"),
    "a score of inf": ("q1 Q0 d1 1 -inf t", "the score must be a finite number, not '-inf'"),
    "a score beyond all numbers": ("q1 Q0 d1 1 1e999 t", "the score must be a finite number, not '1e999'"),
    "a score in words": ("q1 Q0 d1 1 high t", "the score must be a finite number, not 'high'"),
    "a score with underscores": ("q1 Q0 d1 1 1_0 t", "the score must be a finite number, not '1_0'"),
    "four columns: qrels": ("q1 0 d1 1", "a run line has 6 columns, this has 4"),
}


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize(("line", "message"), BAD_QRELS.values(), ids=BAD_QRELS.keys())
def test_a_fault_of_qrels_names_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path, f"q0 0 d0 1\n\n{line}\nq9 0 d9 1")
    assert faults_of(read_qrels, path) == (Fault(message, str(path), 3),)
    write(tmp_path, f"q0 0 d0 1\n{line}\nq9 0 d9 x\n")
    assert faults_of(read_qrels, path) == (
        Fault(message, str(path), 2),
        Fault("the grade must be a whole number, not 'x'", str(path), 3),
    )


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize(("line", "message"), BAD_RUNS.values(), ids=BAD_RUNS.keys())
def test_a_fault_of_a_run_names_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path, f"q0 Q0 d0 1 1 t\n{line}\nq9 Q0 d9 2 1 t\n")
    assert faults_of(read_run, path) == (Fault(message, str(path), 2),)
    write(tmp_path, f"q0 Q0 d0 1 1 t\n{line}\nq9 Q0 d9\n")
    assert faults_of(read_run, path) == (
        Fault(message, str(path), 2),
        Fault("a run line has 6 columns, this has 3", str(path), 3),
    )


UNREADABLE: dict[str, tuple[bytes | None, str]] = {
    "empty": (b"", "is empty"),
    "blank lines alone": (b"\n \n\n", "is empty"),
    "comments alone": (b"# nothing yet\n", "is empty"),
    "missing": (None, "the file does not exist"),
    "Latin-1": ("q1 0 Gr\u00fc\u00dfe 1 1\n".encode("latin-1"), "is not UTF-8 (byte 7)"),
    "UTF-16": ("q1 0 d1 1 1\n".encode("utf-16"), "is not UTF-8 (byte 0)"),
}


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize("read", [read_qrels, read_run])
@pytest.mark.parametrize(("content", "message"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_file_with_nothing_to_read(tmp_path: Path, read: Read, content: bytes | None, message: str) -> None:
    path = write(tmp_path, content) if content is not None else tmp_path / "missing.txt"
    assert faults_of(read, path) == (Fault(message, str(path)),)


@pytest.mark.parametrize("end", [b"\x00" * 8, b""], ids=["damaged", "cut"])
def test_damaged_gzip_is_an_input_error(tmp_path: Path, end: bytes) -> None:
    path = write(tmp_path, gzip.compress(b"q1 0 d1 1\n" * 50)[:-12] + end)
    (fault,) = faults_of(read_qrels, path)
    assert fault.message.startswith("cannot be read (")


@pytest.mark.parametrize("read", [read_qrels, read_run])
def test_reading_the_wrong_file_stops_after_a_thousand_faults(tmp_path: Path, read: Read) -> None:
    path = write(tmp_path, "some text or other, no columns at all in here\n" * 3 + "prose\n" * 5000)
    assert len(faults_of(read, path)) == triples.MOST_FAULTS


def faults_of(read: Read, path: Path) -> tuple[Fault, ...]:
    with pytest.raises(InputError) as caught:
        read(path)
    return caught.value.faults


ID = st.text(st.characters(exclude_characters=" \t\r\n", exclude_categories=["Cs"]), min_size=1, max_size=5)
PLAIN_ID = ID.filter(lambda one: one[0] not in "#\ufeff")
GRADED = st.dictionaries(st.tuples(PLAIN_ID, PLAIN_ID), st.integers(-(2**63) + 1, 2**63 - 1), min_size=1, max_size=6)
SCORED = st.lists(
    st.tuples(PLAIN_ID, PLAIN_ID, st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=6
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trec")


def regular_and_not(folder: Path, read: Read, text: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """By the columnar reader, which must not give up, and with a comment that only the careful one accepts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(trec, "collect_records")
        fast = read(write(folder, text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec, "scan_columns", lambda *_, **__: None)
        careful = read(write(folder, text))
    assert read(write(folder, f"# comment\n{text}")).equals(careful)
    return fast, careful


@settings(deadline=None, max_examples=60)
@given(GRADED, st.sampled_from(["\n", "\r\n"]))
def test_both_readers_give_the_same_qrels(folder: Path, graded: dict[tuple[str, str], int], end: str) -> None:
    text = "".join(f"{question} 0 {passage} {grade}{end}" for (question, passage), grade in graded.items())
    fast, careful = regular_and_not(folder, read_qrels, text)
    assert fast.rows() == [(*key, grade) for key, grade in graded.items()]
    assert fast.equals(careful)


@settings(deadline=None, max_examples=60)
@given(SCORED, st.sampled_from(["", " tag", " my tag"]), st.sampled_from(["\n", "\r\n"]))
def test_both_readers_give_the_same_run(folder: Path, scored: Rows, tag: str, end: str) -> None:
    text = "".join(f"{question} Q0 {passage} 1 {score!r}{tag}{end}" for question, passage, score in scored)
    fast, careful = regular_and_not(folder, read_run, text)
    assert fast.rows() == scored
    assert fast.equals(careful)
