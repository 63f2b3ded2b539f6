"""Golden sets: what is accepted, what is converted and said, what is refused and where."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whichhalf.core.case import EvidenceQuote, Question, Turn
from whichhalf.datasets.golden import GoldenSet, load_golden
from whichhalf.errors import Fault, InputError

KNOWN = (
    "id, question, relevant, evidence, reference_answer, reference_answers, history, answerable, tags, split, "
    "passage_sha256, origin"
)


def write(folder: Path, *rows: object) -> Path:
    path = folder / "golden.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def load(folder: Path, *rows: object, columns: dict[str, str] | None = None) -> GoldenSet:
    return load_golden(write(folder, *rows), columns)


def faults_of(folder: Path, *rows: object, columns: dict[str, str] | None = None) -> list[tuple[int | None, str, str]]:
    with pytest.raises(InputError) as caught:
        load(folder, *rows, columns=columns)
    assert {fault.file for fault in caught.value.faults} == {str(folder / "golden.jsonl")}
    return [(fault.line, fault.field, fault.message) for fault in caught.value.faults]


def row(**fields: Any) -> dict[str, Any]:
    return {"id": "q1", "question": "How long?", **fields}


def test_every_field_of_a_row(tmp_path: Path) -> None:
    golden = load(
        tmp_path,
        row(
            relevant={"c12": 2, "c47": 0},
            evidence=[{"doc": "note", "quote": "14 days"}, {"quote": "two weeks"}],
            reference_answer="14 days.",
            reference_answers=["Two weeks."],
            history=[{"role": "user", "content": "Hello"}],
            answerable=True,
            tags={"topic": "refunds", "year": 2024, "empty": None},
            split="held_out",
        ),
    )
    assert golden.questions == (
        Question(
            id="q1",
            text="How long?",
            relevant={"c12": 2, "c47": 0},
            evidence=(EvidenceQuote(doc="note", quote="14 days"), EvidenceQuote(quote="two weeks")),
            reference_answers=("14 days.", "Two weeks."),
            history=(Turn(role="user", content="Hello"),),
            tags={"topic": "refunds", "year": "2024"},
            split="held_out",
        ),
    )
    assert golden.header == {}
    assert golden.notices == ()
    assert golden.sha256 == hashlib.sha256((tmp_path / "golden.jsonl").read_bytes()).hexdigest()


def test_the_header_line_is_no_question(tmp_path: Path) -> None:
    golden = load(tmp_path, {"golden_set": "demo", "version": 3, "corpus_version": "2024-05"}, row())
    assert golden.header == {"golden_set": "demo", "version": "3", "corpus_version": "2024-05"}
    assert [question.id for question in golden.questions] == ["q1"]


def test_a_header_further_down_is_a_fault(tmp_path: Path) -> None:
    found = faults_of(tmp_path, row(), {"golden_set": "demo"})
    assert [(line, field) for line, field, _ in found] == [(2, "id"), (2, "question"), (2, "golden_set")]


LABELS = {
    "a list": (["c1", "c2"], {"c1": 1, "c2": 1}, ()),
    "a map": ({"c1": 3, "c2": 0, "c3": -1}, {"c1": 3, "c2": 0, "c3": -1}, ()),
    "a whole grade written as 1.0": ({"c1": 1.0}, {"c1": 1}, ()),
    "whole-number ids (bug-033)": (
        [101, "c2", 102],
        {"101": 1, "c2": 1, "102": 1},
        ("golden.jsonl: 2 whole-number id(s) converted to text",),
    ),
    "none": ([], {}, ()),
}


@pytest.mark.parametrize(("given_labels", "relevant", "notices"), LABELS.values(), ids=LABELS.keys())
def test_labels(tmp_path: Path, given_labels: object, relevant: dict[str, int], notices: tuple[str, ...]) -> None:
    golden = load(tmp_path, row(relevant=given_labels))
    assert golden.questions[0].relevant == relevant
    assert golden.notices == notices


REFERENCES = {
    "text": ("14 days.", ("14 days.",)),
    "a list means several right answers (bug-204)": (["A.", "B."], ("A.", "B.")),
    "null": (None, ()),
    "blank (no answer at all)": ("  ", ()),
    "a list with blanks": (["A.", "", None], ("A.",)),
}


@pytest.mark.parametrize(("reference", "answers"), REFERENCES.values(), ids=REFERENCES.keys())
@pytest.mark.parametrize("field", ["reference_answer", "reference_answers"])
def test_reference_answers(tmp_path: Path, field: str, reference: object, answers: tuple[str, ...]) -> None:
    assert load(tmp_path, row(**{field: reference})).questions[0].reference_answers == answers


BAD_IDS = {
    "a decimal number (bug-033)": (101.0, "id must be text or a whole number, but 101.0 is a decimal number"),
    "a boolean (bug-033)": (True, "id must be text or a whole number, but True is a boolean"),
    "null": (None, "id must be text or a whole number, but None is null"),
    "blank": ("  ", "id must be text or a whole number, but '  ' is blank"),
    "a list": (["a"], "id must be text or a whole number, but ['a'] is a list"),
}


@pytest.mark.parametrize(("bad", "message"), BAD_IDS.values(), ids=BAD_IDS.keys())
def test_unusable_ids(tmp_path: Path, bad: object, message: str) -> None:
    assert faults_of(tmp_path, row(), row(id=bad)) == [(2, "id", message)]
    assert faults_of(tmp_path, row(relevant=["c1", bad])) == [(1, "relevant", message)]


BAD_ROWS = {
    "a fractional grade (bug-031)": (
        row(relevant={"c1": 0.5}),
        [("relevant", "the grade of 'c1' is 0.5; grades are whole numbers")],
    ),
    "a grade whose gain is no number any more": (
        row(relevant={"c1": 900, "c2": 901}),
        [("relevant", "the grade of 'c2' is 901; grades go up to 900")],
    ),
    "a grade beyond all whole numbers": (
        row(relevant={"c1": 1e300}),
        [("relevant", "the grade of 'c1' is 1e+300; grades go up to 900")],
    ),
    "a boolean grade": (
        row(relevant={"c1": True}),
        [("relevant", "the grade of 'c1' must be a whole number, not True")],
    ),
    "a grade as text": (
        row(relevant={"c1": "2"}),
        [("relevant", "the grade of 'c1' must be a whole number, not '2'")],
    ),
    "a label listed twice": (row(relevant=["c1", "c2", "c1"]), [("relevant", "'c1' is listed twice")]),
    "the same id as number and text": (row(relevant=[1, "1"]), [("relevant", "'1' is listed twice")]),
    "labels as one text": (
        row(relevant="c12"),
        [("relevant", "must be a list of passage ids or a map from id to grade")],
    ),
    "a nested reference (bug-204)": (
        row(reference_answer=[["A."]]),
        [("reference_answer", "must be text, or a list of texts that are each a right answer")],
    ),
    "no answer, yet labels": (
        row(answerable=False, relevant=["c1"]),
        [("", "the question has no answer (answerable = false) yet has relevant passages")],
    ),
    "no answer, yet evidence": (
        row(answerable=False, evidence=[{"quote": "14 days"}]),
        [("", "the question has no answer (answerable = false) yet has relevant passages")],
    ),
    "a blank question": (row(question=" \n"), [("question", "is blank")]),
    "a missing question": ({"id": "q1"}, [("question", "is missing")]),
    "an empty quote": (
        row(evidence=[{"quote": ""}]),
        [("evidence.0.quote", "must not be empty")],
    ),
    "an unknown key inside": (row(evidence=[{"quote": "a", "page": 3}]), [("evidence.0.page", "unknown key")]),
    "an unknown split": (row(split="train"), [("split", "must be 'tune' or 'held_out'")]),
    "tags as a list": (row(tags=["rent"]), [("tags", 'must be a map such as {"topic": "rent"}')]),
    "an unknown key": (row(colour="red"), [("colour", f"unknown key; there are {KNOWN}")]),
    "several faults in one row": (
        row(id=1.5, relevant={"c1": 0.5}),
        [
            ("id", "id must be text or a whole number, but 1.5 is a decimal number"),
            ("relevant", "the grade of 'c1' is 0.5; grades are whole numbers"),
        ],
    ),
}


@pytest.mark.parametrize(("bad", "found"), BAD_ROWS.values(), ids=BAD_ROWS.keys())
def test_refused_rows(tmp_path: Path, bad: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert faults_of(tmp_path, bad) == [(1, field, message) for field, message in found]


def test_no_answer_with_labels_of_grade_zero_is_fine(tmp_path: Path) -> None:
    assert not load(tmp_path, row(answerable=False, relevant={"c1": 0})).questions[0].answerable


HINTS = {
    "ground_truth": "reference_answer",
    "reference": "reference_answer",
    "ground_truths": "reference_answers",
    "query": "question",
    "user_input": "question",
    "relevant_chunk_ids": "relevant",
}


@pytest.mark.parametrize(("theirs", "ours"), HINTS.items())
def test_a_name_of_another_tool_gets_a_hint(tmp_path: Path, theirs: str, ours: str) -> None:
    """bug-205: the missing column is found at once, with what to do about it."""
    message = f'unknown key; did you mean {ours}? Map it with [data.columns] {ours} = "{theirs}"'
    assert faults_of(tmp_path, row(**{theirs: "x"})) == [(1, theirs, message)]


def test_a_repeated_id_names_both_lines(tmp_path: Path) -> None:
    """bug-039"""
    rows = ({"golden_set": "demo"}, row(), row(id="q2"), row(question="Again?"))
    assert faults_of(tmp_path, *rows) == [(4, "id", "'q1' is already used on line 2")]


def test_a_number_and_its_text_are_the_same_id(tmp_path: Path) -> None:
    assert faults_of(tmp_path, row(id=7), row(id="7")) == [(2, "id", "'7' is already used on line 1")]


def test_all_faults_of_a_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    lines = [
        json.dumps(row()),
        "{broken",
        json.dumps(row(id=True)),
        json.dumps(row(id="q3", relevant={"a": 0.1})),
        "[]",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_golden(path)
    assert sorted(fault.line or 0 for fault in caught.value.faults) == [2, 3, 4, 5]
    assert str(caught.value).count(str(path)) == 4


@pytest.mark.parametrize("rows", [(), ({"golden_set": "demo"},)], ids=["no line", "a header alone"])
def test_an_empty_set_is_a_fault(tmp_path: Path, rows: tuple[object, ...]) -> None:
    assert faults_of(tmp_path, *rows) == [(None, "", "holds no question")]


THEIRS = {"qid": 5, "input": {"text": "How long?"}, "gold": ["c1"], "split": "dev", "meta.note": "14 days.", "more": 1}


def test_columns_reach_inside_and_leave_the_rest(tmp_path: Path) -> None:
    columns = {
        "id": "qid",
        "question": "input.text",
        "relevant": "gold",
        "reference_answer": "meta.note",
        "split": "",
        "answer": "of.the.outputs",
    }
    golden = load(tmp_path, THEIRS, columns=columns)
    assert golden.questions == (
        Question(id="5", text="How long?", relevant={"c1": 1}, reference_answers=("14 days.",)),
    )
    assert golden.notices == ("golden.jsonl: 1 whole-number id(s) converted to text",)


def test_unmapped_fields_keep_their_own_name(tmp_path: Path) -> None:
    golden = load(tmp_path, row(tags={"a": "b"}, query="ignored"), columns={"reference_answer": ""})
    assert golden.questions == (Question(id="q1", text="How long?", tags={"a": "b"}),)


def test_a_path_that_no_row_has_is_a_fault(tmp_path: Path) -> None:
    """A misspelt path would leave its field empty in every row, in silence."""
    found = faults_of(tmp_path, row(gold="x"), row(id="q2"), columns={"reference_answer": "gold.text"})
    assert found == [(None, "[data.columns] reference_answer", "no row has 'gold.text'")]
    assert load(tmp_path, row(gold="x"), row(id="q2"), columns={"reference_answer": "gold"}).questions[1].id == "q2"


TEXT = st.text(min_size=1).filter(str.strip)
QUESTION = st.fixed_dictionaries(
    {"question": TEXT},
    optional={
        "relevant": st.dictionaries(TEXT, st.integers(-1, 5), max_size=3),
        "reference_answer": TEXT,
        "tags": st.dictionaries(st.text(), st.text(), max_size=2),
    },
)


@settings(deadline=None, max_examples=50)
@given(st.dictionaries(TEXT, QUESTION, min_size=1, max_size=4))
def test_any_text_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, questions: dict[str, dict[str, Any]]
) -> None:
    rows = [{"id": one, **fields} for one, fields in questions.items()]
    golden = load(tmp_path_factory.mktemp("golden"), *rows)
    assert golden.questions == tuple(
        Question(
            id=one,
            text=fields["question"],
            relevant=fields.get("relevant", {}),
            reference_answers=(fields["reference_answer"],) if "reference_answer" in fields else (),
            tags=fields.get("tags", {}),
        )
        for one, fields in questions.items()
    )


BROKEN = ["{", "[]", "NaN", '{"id": 1.5, "question": "a"}', '{"id": "x"}', '{"id": "x", "question": " "}']


@settings(deadline=None, max_examples=50)
@given(st.lists(st.sampled_from([None, "", *BROKEN]), min_size=1, max_size=12))
def test_every_fault_has_the_line_it_came_from(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str | None]
) -> None:
    path = tmp_path_factory.mktemp("golden") / "golden.jsonl"
    good = [json.dumps(row(id=f"q{number}")) if line is None else line for number, line in enumerate(lines)]
    path.write_text("\n".join([*good, json.dumps(row(id="last"))]), encoding="utf-8")
    broken = {number for number, line in enumerate(lines, start=1) if line}
    if not broken:
        assert len(load_golden(path).questions) == lines.count(None) + 1
        return
    with pytest.raises(InputError) as caught:
        load_golden(path)
    assert {fault.line for fault in caught.value.faults} == broken
    assert {type(fault) for fault in caught.value.faults} == {Fault}
