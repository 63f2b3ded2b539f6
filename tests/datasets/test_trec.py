"""TREC files as they are found in the wild."""

from pathlib import Path

import pytest

from whichhalf.datasets.trec import read_qrels, read_trec_run
from whichhalf.errors import Fault, InputError


def write(folder: Path, text: str) -> Path:
    path = folder / "file.txt"
    path.write_bytes(text.encode())
    return path


QRELS = {
    "blanks": ("q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 -1\n", {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": -1}}),
    "tabs and runs of blanks": ("q1\t0\td1\t1\n  q1   0  d2   2  \n", {"q1": {"d1": 1, "d2": 2}}),
    "blank lines": ("\nq1 0 d1 1\n\n", {"q1": {"d1": 1}}),
    "CRLF and a byte order mark (bug-207)": ("\ufeffq1 0 d1 1\r\nq1 0 d2 2\r\n", {"q1": {"d1": 1, "d2": 2}}),
    "curly quotes in an id (bug-208)": ("q1 0 “smart” 1\n", {"q1": {"“smart”": 1}}),
}


@pytest.mark.parametrize(("text", "qrels"), QRELS.values(), ids=QRELS.keys())
def test_qrels(tmp_path: Path, text: str, qrels: dict[str, dict[str, int]]) -> None:
    assert read_qrels(write(tmp_path, text)) == qrels


RUNS = {
    "six columns": ("q1 Q0 d1 1 0.9 tag\nq1 Q0 d2 2 0.8 tag\n", {"q1": [("d1", 0.9), ("d2", 0.8)]}),
    "five columns": ("q1 Q0 d1 1 0.9\n", {"q1": [("d1", 0.9)]}),
    "seven columns": ("q1 Q0 d1 1 0.9 my tag\n", {"q1": [("d1", 0.9)]}),
    "tabs": ("q1\tQ0\td1\t1\t-3e2\ttag\n", {"q1": [("d1", -300.0)]}),
    "whole scores (bug-030)": ("q1 Q0 d1 1 10000 t\nq1 Q0 d2 2 9000 t\n", {"q1": [("d1", 10000.0), ("d2", 9000.0)]}),
    "file order, not the rank column": ("q1 Q0 d1 9 0.1 t\nq1 Q0 d2 1 0.2 t\n", {"q1": [("d1", 0.1), ("d2", 0.2)]}),
    "a passage twice (bug-038)": ("q1 Q0 d1 1 0.9 r\nq1 Q0 d1 2 0.8 r\n", {"q1": [("d1", 0.9), ("d1", 0.8)]}),
}


@pytest.mark.parametrize(("text", "run"), RUNS.values(), ids=RUNS.keys())
def test_runs(tmp_path: Path, text: str, run: dict[str, list[tuple[str, float]]]) -> None:
    assert read_trec_run(write(tmp_path, text)) == run


BAD_QRELS = {
    "a fractional grade (bug-031)": ("q1 0 d1 0.5", "the grade must be a whole number, not '0.5'"),
    "a grade in words": ("q1 0 d1 yes", "the grade must be a whole number, not 'yes'"),
    "three columns": ("q1 d1 1", "a qrels line has 4 columns, this has 3"),
    "six columns: a run": ("q1 Q0 d1 1 0.9 tag", "a qrels line has 4 columns, this has 6"),
    "judged twice": ("q0 0 d0 1", "passage 'd0' is judged twice for question 'q0'"),
}
BAD_RUNS = {
    "a score of nan": ("q1 Q0 d1 1 nan t", "the score must be a finite number, not 'nan'"),
    "a score of inf": ("q1 Q0 d1 1 inf t", "the score must be a finite number, not 'inf'"),
    "a score in words": ("q1 Q0 d1 1 high t", "the score must be a finite number, not 'high'"),
    "four columns: qrels": ("q1 0 d1 1", "a run line has 6 columns, this has 4"),
}


@pytest.mark.parametrize(("line", "message"), BAD_QRELS.values(), ids=BAD_QRELS.keys())
def test_a_fault_of_qrels_names_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path, f"q0 0 d0 1\n\n{line}\nq9 0 d9 x\n")
    with pytest.raises(InputError) as caught:
        read_qrels(path)
    assert caught.value.faults == (
        Fault(message, str(path), 3),
        Fault("the grade must be a whole number, not 'x'", str(path), 4),
    )


@pytest.mark.parametrize(("line", "message"), BAD_RUNS.values(), ids=BAD_RUNS.keys())
def test_a_fault_of_a_run_names_its_line(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path, f"q0 Q0 d0 1 1 t\n{line}\nq9 Q0 d9\n")
    with pytest.raises(InputError) as caught:
        read_trec_run(path)
    assert caught.value.faults == (
        Fault(message, str(path), 2),
        Fault("a run line has 6 columns, this has 3", str(path), 3),
    )


@pytest.mark.parametrize("read", [read_qrels, read_trec_run])
def test_an_empty_file(tmp_path: Path, read: object) -> None:
    path = write(tmp_path, "\n \n")
    with pytest.raises(InputError) as caught:
        read(path)  # type: ignore[operator]
    assert caught.value.faults == (Fault("is empty", str(path)),)
