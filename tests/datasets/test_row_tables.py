"""Golden sets, outputs and corpora as tables: the same rows as their JSON Lines twins, the same faults."""

import csv
import gzip
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whichhalf.core.case import EvidenceQuote, Passage, Question, Turn
from whichhalf.datasets.corpus import load_corpus
from whichhalf.datasets.golden import load_golden
from whichhalf.datasets.outputs import load_outputs
from whichhalf.datasets.rows import OutputRow
from whichhalf.errors import Fault, InputError


def write(folder: Path, text: str, name: str = "rows.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def table(header: Sequence[str], *rows: Mapping[str, str]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, header, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def faults_of(call: Any, path: Path, **options: Any) -> list[tuple[int | None, str, str]]:
    with pytest.raises(InputError) as caught:
        call(path, **options)
    assert {fault.file for fault in caught.value.faults} == {str(path)}
    return [(fault.line, fault.field, fault.message) for fault in caught.value.faults]


def test_every_cell_of_a_question(tmp_path: Path) -> None:
    cells = {
        "id": " q1 ",
        "question": "How long,\nplease?",
        "relevant": '{"c12": 2, "c 47": 0}',
        "evidence": '[{"doc": "note", "quote": "14 days"}]',
        "reference_answer": "14 days.",
        "reference_answers": '["Two weeks."]',
        "history": '[{"role": "user", "content": "Hello"}]',
        "answerable": "TRUE",
        "tag:topic": "refunds",
        "tag:year": "2024",
        "tag:empty": "",
        "tags": "",
        "split": "held_out",
    }
    golden = load_golden(write(tmp_path, table(list(cells), cells)))
    assert golden.questions == (
        Question(
            id="q1",
            text="How long,\nplease?",
            relevant={"c12": 2, "c 47": 0},
            evidence=(EvidenceQuote(doc="note", quote="14 days"),),
            reference_answers=("14 days.", "Two weeks."),
            history=(Turn(role="user", content="Hello"),),
            tags={"topic": "refunds", "year": "2024"},
            split="held_out",
        ),
    )
    assert golden.notices == ()


LABELS: dict[str, tuple[str, dict[str, int], tuple[str, ...]]] = {
    "one id": ("c12", {"c12": 1}, ()),
    "semicolons": ("c 12; c,47", {"c 12": 1, "c,47": 1}, ()),
    "a JSON list": ('["c;1", "c2"]', {"c;1": 1, "c2": 1}, ()),
    "a JSON map": ('{"c1": 3}', {"c1": 3}, ()),
    "none": ("", {}, ()),
    "an empty list": ("[]", {}, ()),
    "numbers in JSON (bug-033)": ("[7]", {"7": 1}, ("rows.csv: 1 whole-number id(s) converted to text",)),
    "numbers in a cell are text already": ("7;8", {"7": 1, "8": 1}, ()),
}


@pytest.mark.parametrize(("cell", "relevant", "notices"), LABELS.values(), ids=LABELS.keys())
def test_labels(tmp_path: Path, cell: str, relevant: dict[str, int], notices: tuple[str, ...]) -> None:
    row = {"id": "1", "question": "?", "relevant": cell}
    golden = load_golden(write(tmp_path, table(list(row), row)))
    assert golden.questions == (Question(id="1", text="?", relevant=relevant),)
    assert golden.notices == notices


CONTEXTS: dict[str, tuple[str, tuple[Passage, ...] | None]] = {
    "an empty cell: not logged": ("", None),
    "an empty list: nothing reached the model": ("[]", ()),
    "semicolons": ("c1; c 2", (Passage(id="c1"), Passage(id="c 2"))),
    "a JSON list": (
        '["c1", {"id": "c2", "text": "a; b", "score": 1}]',
        (Passage(id="c1"), Passage(id="c2", text="a; b", score=1)),
    ),
}


@pytest.mark.parametrize("stage", ["retrieved", "reranked", "context"])
@pytest.mark.parametrize(("cell", "passages"), CONTEXTS.values(), ids=CONTEXTS.keys())
def test_passages(tmp_path: Path, stage: str, cell: str, passages: tuple[Passage, ...] | None) -> None:
    row = {"id": "q1", stage: cell}
    outputs = load_outputs(write(tmp_path, table(list(row), row)))
    assert outputs.rows == {"q1": OutputRow(id="q1").model_copy(update={stage: passages})}
    assert outputs.notices == ()


def test_every_cell_of_an_output(tmp_path: Path) -> None:
    cells = {"id": "q1", "answer": "[1] 14 days; at most.", "model": "m", "latency_ms": "12.5", "meta": '{"a": [1]}'}
    outputs = load_outputs(write(tmp_path, table(list(cells), cells, {"id": "q2"})))
    assert outputs.rows == {
        "q1": OutputRow(id="q1", answer="[1] 14 days; at most.", model="m", latency_ms=12.5, meta={"a": [1]}),
        "q2": OutputRow(id="q2"),
    }


def test_tabs_and_gzip(tmp_path: Path) -> None:
    path = tmp_path / "golden.tsv.gz"
    path.write_bytes(gzip.compress(b"id\tquestion\trelevant\nq1\tHow long, please?\tc1;c2\n"))
    assert load_golden(path).questions == (Question(id="q1", text="How long, please?", relevant={"c1": 1, "c2": 1}),)


def test_a_corpus(tmp_path: Path) -> None:
    path = write(tmp_path, 'id,text,doc\nc1,"Fees, in\nEUR",note\nc2,More,\n')
    assert load_corpus(path) == {
        "c1": Passage(id="c1", text="Fees, in\nEUR", doc="note"),
        "c2": Passage(id="c2", text="More"),
    }


BAD_GOLDEN: dict[str, tuple[str, list[tuple[int | None, str, str]]]] = {
    "a column missing": (
        "question,passage,grade\nq1,d1,1\n",
        [
            (1, "", "needs a column 'id'; it has question, passage, grade"),
            (1, "passage", "unknown column; there are {known}"),
            (1, "grade", "unknown column; there are {known}"),
        ],
    ),
    "a name of another tool, told once (bug-205)": (
        "id,question,ground_truth\nq1,?,a\nq2,?,b\n",
        [
            (
                1,
                "ground_truth",
                "unknown column; did you mean reference_answer? Map it with [data.columns] "
                'reference_answer = "ground_truth"',
            )
        ],
    ),
    "several faults, each at its line": (
        'id,question,relevant,answerable\nq1,"a\nb","{""c1"": 0.5}",perhaps\n'
        ",?,c1,\nq3, ,c1,\nq4,?,c1;c1,\nq5,?,c1;,\n",
        [
            (2, "relevant", "the grade of 'c1' is 0.5; grades are whole numbers"),
            (2, "answerable", "must be true or false"),
            (4, "id", "is missing"),
            (5, "question", "is missing"),
            (6, "relevant", "'c1' is listed twice"),
            (7, "relevant", "id must be text or a whole number, but '' is blank"),
        ],
    ),
    "broken JSON": (
        "id,question,relevant,evidence\nq1,?,[c1],\nq2,?,,14 days\n",
        [
            (2, "relevant", "not valid JSON (Expecting value, column 2)"),
            (3, "evidence", "not valid JSON (Extra data, column 4)"),
        ],
    ),
    "an id twice": ("id,question\nq1,?\nq2,?\nq1,?\n", [(4, "id", "'q1' is already used on line 2")]),
    "no answer, yet labels": (
        "id,question,relevant,answerable\nq1,?,c1,false\n",
        [(2, "", "the question has no answer (answerable = false) yet has relevant passages")],
    ),
    "a grade too large": (
        'id,question,relevant\nq1,?,"{""c1"": 901}"\n',
        [(2, "relevant", "the grade of 'c1' is 901; grades go up to 900")],
    ),
    "a header alone": ("id,question\n", [(None, "", "holds no question")]),
    "nothing": ("", [(None, "", "holds no question")]),
}
KNOWN = (
    "id, question, relevant, evidence, reference_answer, reference_answers, history, answerable, tags, split, "
    "passage_sha256, origin"
)


@pytest.mark.parametrize(("text", "found"), BAD_GOLDEN.values(), ids=BAD_GOLDEN.keys())
def test_faults_of_a_golden_set(tmp_path: Path, text: str, found: list[tuple[int | None, str, str]]) -> None:
    expected = [(line, field, message.replace("{known}", KNOWN)) for line, field, message in found]
    assert faults_of(load_golden, write(tmp_path, text)) == expected


def test_tags_are_for_questions(tmp_path: Path) -> None:
    (found,) = faults_of(load_outputs, write(tmp_path, "id,tag:topic\nq1,a\n"))
    assert found[:2] == (1, "tag:topic")


def test_columns(tmp_path: Path) -> None:
    path = write(tmp_path, "qid,q.text,gold,tag:topic,more\n5,How long?,c1;c2,rent,x\n")
    columns = {"id": "qid", "question": "q.text", "relevant": "gold", "answer": "of the outputs"}
    assert load_golden(path, columns).questions == (
        Question(id="5", text="How long?", relevant={"c1": 1, "c2": 1}, tags={"topic": "rent"}),
    )
    found = faults_of(load_golden, path, columns={**columns, "reference_answer": "truth"})
    assert found == [(None, "[data.columns] reference_answer", "no row has 'truth'")]


TEXT = st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"]), min_size=1, max_size=8).filter(
    str.strip
)
ID = TEXT.filter(lambda one: one == one.strip())
ROW = st.fixed_dictionaries(
    {"question": TEXT},
    optional={
        "relevant": st.dictionaries(ID, st.integers(-1, 5), max_size=3),
        "reference_answer": TEXT,
        "tags": st.dictionaries(ID, TEXT, max_size=2),
        "answerable": st.just(True),
    },
)


@settings(deadline=None, max_examples=40)
@given(st.dictionaries(ID, ROW, min_size=1, max_size=4))
def test_a_table_and_its_json_lines_twin_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, questions: dict[str, dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("twins")
    rows = [{"id": one, **fields} for one, fields in questions.items()]
    lines = write(folder, "".join(json.dumps(row) + "\n" for row in rows), "golden.jsonl")
    cells = [
        {
            **{name: value if isinstance(value, str) else json.dumps(value) for name, value in row.items()},
            "tags": "",
            **{f"tag:{name}": value for name, value in row.get("tags", {}).items()},
        }
        for row in rows
    ]
    header = list(dict.fromkeys(name for row in cells for name in row))
    assert load_golden(write(folder, table(header, *cells))).questions == load_golden(lines).questions


def test_a_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "golden.csv"
    with pytest.raises(InputError) as caught:
        load_golden(path)
    assert caught.value.faults == (Fault("the file does not exist", str(path)),)
