"""Labels and rankings as tables, by the columnar reader and by the careful one."""

import csv
import gzip
import io
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whichhalf.datasets import pair_tables
from whichhalf.datasets.pair_tables import read_label_table, read_ranking_table
from whichhalf.errors import Fault, InputError

Rows = list[tuple[str, str, float]]


def write(folder: Path, content: str | bytes, name: str = "file [1].csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.fixture(params=["columnar first", "careful alone"])
def readers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "careful alone":
        monkeypatch.setattr(pair_tables, "scan_columns", lambda *_, **__: None)
    return str(request.param)


LABELS: dict[str, tuple[str, Rows]] = {
    "with grades": ("question,passage,grade\nq1,d1,2\nq1,d2,-1\n", [("q1", "d1", 2), ("q1", "d2", -1)]),
    "without grades": ("question,passage\nq1,d1\nq2,d1\n", [("q1", "d1", 1), ("q2", "d1", 1)]),
    "any order, further columns": (
        'by,grade,passage,question\n"a\nb",2,d1,q1\n,1,d2,q1\n',
        [("q1", "d1", 2), ("q1", "d2", 1)],
    ),
    "ids with spaces, commas and quotes": (
        'question,passage,grade\nq 1,"d, 1",1\nq 1,"say ""d2""",1\nq 1,5" d3,1\n',
        [("q 1", "d, 1", 1), ("q 1", 'say "d2"', 1), ("q 1", '5" d3', 1)],
    ),
    "blanks around cells": ("question, passage ,grade\nq1, d1, 2 \n", [("q1", "d1", 2)]),
    "blank lines, CRLF, a byte order mark": (
        "\ufeffquestion,passage,grade\r\nq1,d1,2\r\n\r\nq1,d2,1\r\n",
        [("q1", "d1", 2), ("q1", "d2", 1)],
    ),
    "a header further down": ("\nquestion,passage,grade\nq1,d1,2\n", [("q1", "d1", 2)]),
    "ids that look like something else": (
        "question,passage,grade\n007,1e5,1\nnull,NaN,1\n#q,文書,1\n",
        [("007", "1e5", 1), ("null", "NaN", 1), ("#q", "文書", 1)],
    ),
    "the header of BEIR": ("query-id,corpus-id,score\nq1,d1,2\n", [("q1", "d1", 2)]),
    "a label of the header's own words": ("question,passage\nquestion,passage\n", [("question", "passage", 1)]),
}


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize(("text", "rows"), LABELS.values(), ids=LABELS.keys())
def test_labels(tmp_path: Path, text: str, rows: Rows) -> None:
    found = read_label_table(write(tmp_path, text))
    assert found.schema == {"question": pl.String, "passage": pl.String, "grade": pl.Int64}
    assert found.rows() == rows


@pytest.mark.usefixtures("readers")
def test_tabs_and_gzip(tmp_path: Path) -> None:
    text = b"query-id\tcorpus-id\tscore\nq 1\td, 1\t1\n"
    assert read_label_table(write(tmp_path, text, "test.tsv")).rows() == [("q 1", "d, 1", 1)]
    assert read_label_table(write(tmp_path, gzip.compress(text), "test.tsv.gz")).rows() == [("q 1", "d, 1", 1)]


RANKINGS: dict[str, tuple[str, Rows, list[str]]] = {
    "scores": ("question,passage,score\nq1,d1,0.5\nq1,d2,1e2\n", [("q1", "d1", 0.5), ("q1", "d2", 100.0)], []),
    "ranks become scores": ("rank,question,passage\n2,q1,d1\n1,q1,d2\n", [("q1", "d1", -2.0), ("q1", "d2", -1.0)], []),
    "both: the score counts": (
        "question,passage,rank,score\nq1,d1,x,0.5\n",
        [("q1", "d1", 0.5)],
        ["file [1].csv: has score and rank; the score counts"],
    ),
    "a passage twice (bug-038)": (
        "question,passage,score\nq1,d1,2\nq1,d1,1\n",
        [("q1", "d1", 2.0), ("q1", "d1", 1.0)],
        [],
    ),
}


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize(("text", "rows", "notices"), RANKINGS.values(), ids=RANKINGS.keys())
def test_rankings(tmp_path: Path, text: str, rows: Rows, notices: list[str]) -> None:
    told: list[str] = []
    found = read_ranking_table(write(tmp_path, text), told)
    assert found.schema == {"question": pl.String, "passage": pl.String, "score": pl.Float64}
    assert found.rows() == rows
    assert told == notices


HEADER = "question,passage,grade\n"
BAD_LABELS: dict[str, tuple[str, list[tuple[int | None, str, str]]]] = {
    "a fractional grade (bug-031)": (HEADER + "q1,d1,0.5\n", [(2, "grade", "must be a whole number, not '0.5'")]),
    "no grade": (HEADER + "q1,d1,1\nq1,d2,\n", [(3, "grade", "must be a whole number, not ''")]),
    "a fault under BEIR's name": (
        "query-id,corpus-id,score\nq1,d1,yes\n",
        [(2, "score", "must be a whole number, not 'yes'")],
    ),
    "blank ids": (HEADER + 'q1,"",1\n  ,d1,1\n', [(2, "passage", "is blank"), (3, "question", "is blank")]),
    "judged twice": (
        HEADER + "q1,d1,1\nq1, d1,2\n",
        [(3, "", "passage 'd1' is judged twice for question 'q1'")],
    ),
    "several, after a cell of two lines": (
        'note,question,passage,grade\n"a\nb",q1,d1,1\n,q1,d2,x\n,q1\n',
        [(5, "", "the record has 2 cells, the header 4"), (4, "grade", "must be a whole number, not 'x'")],
    ),
    "a column missing": (
        "question,doc,grade\nq1,d1,1\n",
        [(1, "", "needs a column 'passage'; it has question, doc, grade")],
    ),
    "semicolons": ("frage;passage\nq1;d1\n", [(1, "", "needs a column 'question'; it has frage, passage")]),
    "no header": ("q1,d1,1\n", [(1, "", "needs a column 'question'; it has q1, d1, 1")]),
    "a ranking": (
        "question,passage,score\nq1,d1,1\n",
        [(1, "", "labels need a column 'grade'; score and rank belong to rankings")],
    ),
    "a column twice": ("question,passage,passage\nq1,d1,d2\n", [(1, "passage", "there are two columns of this name")]),
    "a header alone": (HEADER, [(None, "", "is empty")]),
    "nothing": ("", [(1, "", "needs a column 'question'; it has none")]),
}
BAD_RANKINGS: dict[str, tuple[str, list[tuple[int | None, str, str]]]] = {
    "a score of nan": ("question,passage,score\nq1,d1,nan\n", [(2, "score", "must be a finite number, not 'nan'")]),
    "a score in words": ("question,passage,score\nq1,d1,high\n", [(2, "score", "must be a finite number, not 'high'")]),
    "a fractional rank": ("question,passage,rank\nq1,d1,1.5\n", [(2, "rank", "must be a whole number, not '1.5'")]),
    "a rank twice": (
        "question,passage,rank\nq1,d1,1\nq2,d1,1\nq1,d2,1\n",
        [(4, "", "rank 1 is given twice for question 'q1'")],
    ),
    "labels": (HEADER + "q1,d1,1\n", [(1, "", "needs a column 'score' or 'rank'; it has question, passage, grade")]),
}


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize(("text", "found"), BAD_LABELS.values(), ids=BAD_LABELS.keys())
def test_faults_of_labels(tmp_path: Path, text: str, found: list[tuple[int | None, str, str]]) -> None:
    path = write(tmp_path, text)
    assert faults_of(read_label_table, path) == [
        Fault(message, str(path), line, field) for line, field, message in found
    ]


@pytest.mark.usefixtures("readers")
@pytest.mark.parametrize(("text", "found"), BAD_RANKINGS.values(), ids=BAD_RANKINGS.keys())
def test_faults_of_rankings(tmp_path: Path, text: str, found: list[tuple[int | None, str, str]]) -> None:
    path = write(tmp_path, text)
    faults = faults_of(lambda file: read_ranking_table(file, []), path)
    assert faults == [Fault(message, str(path), line, field) for line, field, message in found]


@pytest.mark.usefixtures("readers")
def test_not_utf_8(tmp_path: Path) -> None:
    path = write(tmp_path, "question,passage\nq1,Grüße\n".encode("latin-1"))
    assert faults_of(read_label_table, path) == [Fault("is not UTF-8 (byte 22)", str(path))]


def faults_of(read: Callable[[Path], object], path: Path) -> list[Fault]:
    with pytest.raises(InputError) as caught:
        read(path)
    return list(caught.value.faults)


ID = st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), min_size=1, max_size=5).filter(
    lambda one: one == one.strip(" \t\r\n")
)
GRADED = st.dictionaries(st.tuples(ID, ID), st.integers(-5, 5), min_size=1, max_size=6)
SCORED = st.lists(st.tuples(ID, ID, st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=6)
FORMS = st.sampled_from([("rows.csv", ","), ("rows.tsv", "\t")])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables")


def by_both(
    folder: Path, read: Callable[[Path], pl.DataFrame], rows: Sequence[Sequence[object]], form: tuple[str, str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=form[1]).writerows(rows)
    path = write(folder, text.getvalue(), form[0])
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(pair_tables, "collect_records")  # the columnar reader must not give up
        fast = read(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_tables, "scan_columns", lambda *_, **__: None)
        return fast, read(path)


@settings(deadline=None, max_examples=60)
@given(GRADED, FORMS)
def test_both_readers_give_the_same_labels(
    folder: Path, graded: dict[tuple[str, str], int], form: tuple[str, str]
) -> None:
    rows = [(*key, grade) for key, grade in graded.items()]
    fast, careful = by_both(folder, read_label_table, [("question", "passage", "grade"), *rows], form)
    assert fast.rows() == rows
    assert fast.equals(careful)


@settings(deadline=None, max_examples=60)
@given(SCORED, FORMS)
def test_both_readers_give_the_same_rankings(folder: Path, scored: Rows, form: tuple[str, str]) -> None:
    header = ("question", "passage", "score")
    fast, careful = by_both(folder, lambda path: read_ranking_table(path, []), [header, *scored], form)
    assert fast.rows() == scored
    assert fast.equals(careful)
