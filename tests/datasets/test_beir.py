"""BEIR folders: questions with the labels of one split, and their corpus."""

import gzip
import hashlib
import json
from pathlib import Path

import pytest

from whichhalf.core.case import Passage, Question
from whichhalf.datasets.corpus import load_corpus
from whichhalf.datasets.golden import load_golden
from whichhalf.errors import Fault, InputError

HEADER = "query-id\tcorpus-id\tscore\n"
QUERIES = [
    {"_id": "q1", "text": "How long?", "metadata": {"a": 1}},
    {"_id": "q 2", "text": "How much?"},
    {"_id": "q3", "text": "Who?"},
]


def make(folder: Path, queries: list[object] | None = None, **splits: str) -> Path:
    (folder / "qrels").mkdir()
    text = "".join(json.dumps(row) + "\n" for row in (QUERIES if queries is None else queries))
    (folder / "queries.jsonl").write_text(text, encoding="utf-8")
    for name, rows in splits.items():
        (folder / "qrels" / f"{name}.tsv").write_text(HEADER + rows, encoding="utf-8")
    return folder


def faults_of(folder: Path) -> list[Fault]:
    with pytest.raises(InputError) as caught:
        load_golden(folder)
    return list(caught.value.faults)


def test_questions_with_labels(tmp_path: Path) -> None:
    folder = make(tmp_path, test="q1\tdoc, 1\t2\nq1\td2\t0\nq 2\td2\t1\n")
    golden = load_golden(folder, {"id": "of the outputs"})
    assert golden.questions == (
        Question(id="q1", text="How long?", relevant={"doc, 1": 2, "d2": 0}),
        Question(id="q 2", text="How much?", relevant={"d2": 1}),
        Question(id="q3", text="Who?"),
    )
    assert (golden.header, golden.notices) == ({}, ())
    read = (folder / "queries.jsonl").read_bytes() + (folder / "qrels" / "test.tsv").read_bytes()
    assert golden.sha256 == hashlib.sha256(read).hexdigest()


SPLITS = {
    "test before all": (("dev", "test", "train"), "test"),
    "dev before the rest": (("dev", "train"), "dev"),
    "the only one": (("train",), "train"),
}


@pytest.mark.parametrize(("names", "chosen"), SPLITS.values(), ids=SPLITS.keys())
def test_the_split(tmp_path: Path, names: tuple[str, ...], chosen: str) -> None:
    golden = load_golden(make(tmp_path, None, **{name: f"q1\tof {name}\t1\n" for name in names}))
    assert golden.questions[0].relevant == {f"of {chosen}": 1}
    assert len(golden.questions) == 3


def test_questions_of_another_split_are_left_out_and_said(tmp_path: Path) -> None:
    golden = load_golden(make(tmp_path, test="q1\td1\t1\n", train="q1\td1\t1\nq3\td1\t1\n"))
    assert [question.id for question in golden.questions] == ["q1", "q 2"]
    assert golden.notices == ("1 question(s) left out: labelled in train, not in test",)


def test_several_splits_of_other_names(tmp_path: Path) -> None:
    folder = make(tmp_path, b="q1\td1\t1\n", a="q1\td1\t1\n")
    assert faults_of(folder) == [Fault("has the splits a, b, none of them test or dev", str(folder / "qrels"))]


def test_a_folder_of_something_else(tmp_path: Path) -> None:
    message = "holds no qrels/*.tsv; a golden set is a file, or a folder laid out as BEIR's"
    assert faults_of(tmp_path) == [Fault(message, str(tmp_path))]


def test_gzipped_files(tmp_path: Path) -> None:
    folder = make(tmp_path, test="q1\td1\t1\n")
    for path in (folder / "queries.jsonl", folder / "qrels" / "test.tsv"):
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    assert load_golden(folder).questions[0] == Question(id="q1", text="How long?", relevant={"d1": 1})


def test_whole_number_ids_meet_their_text(tmp_path: Path) -> None:
    golden = load_golden(make(tmp_path, [{"_id": 7, "text": "?"}], test="7\t1\t1\n"))
    assert golden.questions == (Question(id="7", text="?", relevant={"1": 1}),)
    assert golden.notices == ("queries.jsonl: 1 whole-number id(s) converted to text",)


def test_every_fault_of_every_file(tmp_path: Path) -> None:
    queries: list[object] = [
        *QUERIES,
        {"_id": "q1", "text": "Again?"},
        {"id": "q4", "text": "?"},
        {"_id": "q5", "text": " "},
    ]
    folder = make(tmp_path, queries, dev="q1\td1\tx\n", test="q1\td1\t1\n\nq9\td1\t1\nq3\td2\t901\n")
    names = [str(folder / "queries.jsonl"), *(str(folder / "qrels" / f"{one}.tsv") for one in ("dev", "test"))]
    assert faults_of(folder) == [
        Fault("'q1' is used twice", names[0], 4, "_id"),
        Fault("is missing", names[0], 5, "_id"),
        Fault("is blank", names[0], 6, "text"),
        Fault("must be a whole number, not 'x'", names[1], 2, "score"),
        Fault("'q9' is no query of queries.jsonl", names[2], 4),
        Fault("is 901; grades go up to 900", names[2], 5, "score"),
    ]


def test_no_queries(tmp_path: Path) -> None:
    folder = make(tmp_path, [], test="q1\td1\t1\n")
    assert Fault("holds no question", str(folder / "queries.jsonl")) in faults_of(folder)
    (folder / "queries.jsonl").unlink()
    assert faults_of(folder) == [Fault("the file does not exist", str(folder / "queries.jsonl"))]


CORPUS = [
    {"_id": "d1", "title": "Fees", "text": "12 EUR.", "metadata": {}},
    {"_id": "d2", "title": " ", "text": "No title."},
    {"_id": 3, "text": "None either."},
    {"_id": "d4", "title": None, "text": ""},
]


@pytest.mark.parametrize("name", ["", "corpus.jsonl"], ids=["the folder", "its file"])
def test_a_corpus(tmp_path: Path, name: str) -> None:
    (tmp_path / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in CORPUS), encoding="utf-8")
    corpus = load_corpus(tmp_path / name)
    assert corpus == {
        "d1": Passage(id="d1", text="Fees\n12 EUR."),
        "d2": Passage(id="d2", text="No title."),
        "3": Passage(id="3", text="None either."),
        "d4": Passage(id="d4", text=""),
    }
    assert corpus.notices == ("corpus.jsonl: 1 whole-number id(s) converted to text",)


def test_faults_of_a_corpus(tmp_path: Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text('{"_id": "d1", "text": "a"}\n{"_id": "d1", "text": "b"}\n{"id": "d2"}\n', encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_corpus(tmp_path)
    assert caught.value.faults == (
        Fault("'d1' is used twice", str(path), 2, "_id"),
        Fault("is missing", str(path), 3, "_id"),
        Fault("is missing", str(path), 3, "text"),
    )
