"""What the assistant left: stages, passages in every shape, error rows."""

import json
from pathlib import Path
from typing import Any

import pytest

from whichhalf.core.case import Passage
from whichhalf.datasets.outputs import Outputs, load_outputs
from whichhalf.datasets.rows import OutputRow
from whichhalf.errors import InputError


def load(folder: Path, *rows: object, columns: dict[str, str] | None = None) -> Outputs:
    path = folder / "outputs.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return load_outputs(path, columns)


def faults_of(folder: Path, *rows: object, columns: dict[str, str] | None = None) -> list[tuple[int | None, str, str]]:
    with pytest.raises(InputError) as caught:
        load(folder, *rows, columns=columns)
    return [(fault.line, fault.field, fault.message) for fault in caught.value.faults]


CONTEXTS = {
    "absent: not logged": ({}, None),
    "null: not logged": ({"context": None}, None),
    "an empty list: nothing reached the model": ({"context": []}, ()),
    "ids": ({"context": ["c1", "c2"]}, (Passage(id="c1"), Passage(id="c2"))),
    "objects": (
        {"context": [{"id": "c1", "text": "Fees.", "score": 0.5, "doc": "note"}, {"id": 2}]},
        (Passage(id="c1", text="Fees.", score=0.5, doc="note"), Passage(id="2")),
    ),
    "both": ({"context": ["c1", {"id": "c2", "text": ""}]}, (Passage(id="c1"), Passage(id="c2", text=""))),
    "a text that holds a list (bug-202)": (
        {"context": '["c1", {"id": "c2", "text": "Second text."}]'},
        (Passage(id="c1"), Passage(id="c2", text="Second text.")),
    ),
}


@pytest.mark.parametrize(("fields", "context"), CONTEXTS.values(), ids=CONTEXTS.keys())
@pytest.mark.parametrize("stage", ["retrieved", "reranked", "context"])
def test_passages(tmp_path: Path, stage: str, fields: dict[str, Any], context: tuple[Passage, ...] | None) -> None:
    row = {"id": "q1", **({stage: fields["context"]} if fields else {})}
    found = load(tmp_path, row).rows["q1"]
    assert found == OutputRow(id="q1").model_copy(update={stage: context})


def test_conversions_are_said_once(tmp_path: Path) -> None:
    """bug-033, bug-202"""
    outputs = load(tmp_path, {"id": 1, "retrieved": [101, 102]}, {"id": "q2", "retrieved": '["c1"]'})
    assert outputs.notices == (
        "outputs.jsonl: 3 whole-number id(s) converted to text",
        "outputs.jsonl: 1 passage list(s) parsed from text",
    )
    assert [passage.id for passage in outputs.rows["1"].retrieved or ()] == ["101", "102"]


BAD = {
    "one plain text, never read by character (bug-203)": (
        "The fee is 12 EUR.",
        [("context", "must be a list of passage ids or of {id, text}, not one text")],
    ),
    "a text that holds an object": (
        '{"id": "c1"}',
        [("context", "must be a list of passage ids or of {id, text}, not one text")],
    ),
    "an object": ({"id": "c1"}, [("context", "must be a list of passage ids or of {id, text}")]),
    "a number": (5, [("context", "must be a list of passage ids or of {id, text}")]),
    "a decimal id": ([1.0], [("context", "id must be text or a whole number, but 1.0 is a decimal number")]),
    "an id of null": ([None], [("context", "id must be text or a whole number, but None is null")]),
    "a passage without id": ([{"text": "a"}], [("context", "id must be text or a whole number, but None is null")]),
    "an unknown key": (
        [{"id": "c1", "rank": 1, "body": "a"}],
        [("context", "a passage has id, text, doc and score; unknown: body, rank")],
    ),
    "a text of another type": (["c1", {"id": "c2", "text": 5}], [("context.1.text", "must be text in quotes")]),
}


@pytest.mark.parametrize(("context", "found"), BAD.values(), ids=BAD.keys())
def test_refused_passages(tmp_path: Path, context: object, found: list[tuple[str, str]]) -> None:
    rows = ({"id": "q1"}, {"id": "q2", "context": context})
    assert faults_of(tmp_path, *rows) == [(2, field, message) for field, message in found]


def test_every_field_of_a_row(tmp_path: Path) -> None:
    fields: dict[str, Any] = {
        "id": "q1",
        "answer": "14 days.",
        "prompt": "answer/v1",
        "model": "assistant",
        "latency_ms": 12.5,
        "cost_usd": 0.001,
        "error": None,
        "meta": {"trace": ["a", {"b": None}]},
    }
    assert load(tmp_path, fields).rows == {"q1": OutputRow(**fields)}


def test_an_error_row_keeps_its_error(tmp_path: Path) -> None:
    assert load(tmp_path, {"id": "q1", "error": "timed out"}).rows["q1"].error == "timed out"


def test_a_repeated_id_names_both_lines(tmp_path: Path) -> None:
    assert faults_of(tmp_path, {"id": "q1"}, {"id": "q2"}, {"id": "q1"}) == [
        (3, "id", "'q1' is already used on line 1")
    ]


def test_no_row_at_all(tmp_path: Path) -> None:
    assert faults_of(tmp_path) == [(None, "", "holds no output")]


def test_a_name_of_another_tool_gets_a_hint(tmp_path: Path) -> None:
    message = 'unknown key; did you mean context? Map it with [data.columns] context = "contexts"'
    assert faults_of(tmp_path, {"id": "q1", "contexts": []}) == [(1, "contexts", message)]


def test_columns(tmp_path: Path) -> None:
    theirs = {"id": "q1", "question": "ignored", "response": {"text": "14 days."}, "contexts": ["c1"], "meta": "x"}
    columns = {"answer": "response.text", "context": "contexts", "meta": "", "reference_answer": "of.the.golden.set"}
    outputs = load(tmp_path, theirs, columns=columns)
    assert outputs.rows == {"q1": OutputRow(id="q1", answer="14 days.", context=(Passage(id="c1"),))}


def test_a_path_that_no_row_has_is_a_fault(tmp_path: Path) -> None:
    found = faults_of(tmp_path, {"id": "q1", "contexts": []}, columns={"context": "context_list"})
    assert found == [(None, "[data.columns] context", "no row has 'context_list'")]
