"""Marks of several experts on one answer."""

from pathlib import Path

import pytest

from whichhalf.errors import InputError
from whichhalf.triage.flagged import Flag, read_flags


def write(folder: Path, text: str, name: str = "flags.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_one_expert_who_calls_it_wrong_is_enough(tmp_path: Path) -> None:
    flags = read_flags(write(tmp_path, "id,flagged_wrong,by\nq1,no,A\nq1,yes,B\nq1,yes,C\nq2,no,A\nq3,yes,A\n"))
    assert [(one.id, one.by) for one in flags.wrong] == [("q1", "B"), ("q3", "A")]
    assert [one.id for one in flags.fine] == ["q2"]
    assert [(one.by, one.flagged_wrong) for one in flags.others["q1"]] == [("A", False), ("C", True)]
    assert flags.others["q3"] == ()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("q1,yes,A\nq1,yes,A\n", "'q1' is flagged twice by 'A'"),
        ("q1,yes,A\nq1,no,A\n", "'q1' is flagged twice by 'A'"),
        ("q1,yes,\nq1,no,\n", "'q1' is flagged twice"),
    ],
)
def test_the_same_expert_marks_an_answer_once(tmp_path: Path, rows: str, message: str) -> None:
    path = write(tmp_path, f"id,flagged_wrong,by\n{rows}")
    with pytest.raises(InputError) as caught:
        read_flags(path)
    assert str(caught.value) == f"{path}:3: id: {message}"


def test_columns_of_another_name(tmp_path: Path) -> None:
    columns = {"id": "Answer no.", "note": "review.text"}
    sheet = write(tmp_path, "Answer no.\treview.text\tid\n7\ttoo short\tx\n", "flags.tsv")
    assert read_flags(sheet, columns).wrong == (Flag(id="7", note="too short"),)
    lines = write(tmp_path, '{"Answer no.": 7, "review": {"text": "too short"}}\n', "flags.jsonl")
    assert read_flags(lines, columns).wrong == (Flag(id="7", note="too short"),)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"id": "no"}, ":1: needs a column 'no'; it has id, note"),
        ({"note": "remark"}, ": [triage.columns] note: no row has 'remark'"),
        ({"remark": "note"}, "[triage.columns] remark: no such field; there are by, flagged_wrong, id, note"),
    ],
)
def test_columns_that_cannot_be_mapped(tmp_path: Path, columns: dict[str, str], message: str) -> None:
    path = write(tmp_path, "id,note\nq1,a\n")
    with pytest.raises(InputError) as caught:
        read_flags(path, columns)
    assert str(caught.value).removeprefix(str(path)) == message
