"""A golden set that is written is the golden set that is read again, under a raised version."""

import string
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.core.case import EvidenceQuote, Question, Turn
from whichhalf.datasets.golden import load_golden
from whichhalf.errors import InputError
from whichhalf.running.golden_file import check_new_golden, next_header, write_golden

words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: text.strip())
names = st.text(string.ascii_letters + "é保", min_size=1)
questions = st.builds(
    Question,
    id=names,
    text=words,
    relevant=st.dictionaries(names, st.integers(-1, 4)),
    evidence=st.lists(st.builds(EvidenceQuote, doc=st.none() | names, quote=words)).map(tuple),
    reference_answers=st.lists(words, max_size=3).map(tuple),
    history=st.lists(st.builds(Turn, role=names, content=words), max_size=2).map(tuple),
    tags=st.dictionaries(names, words),
    split=st.sampled_from([None, "tune", "held_out"]),
    passage_sha256=st.dictionaries(names, names),
    origin=st.dictionaries(names, words),
) | st.builds(Question, id=names, text=words, answerable=st.just(False))
HEADER = {"golden_set": "g", "version": "2", "corpus_version": "5"}


@given(rows=st.lists(questions, min_size=1, unique_by=lambda one: one.id), header=st.sampled_from([HEADER, {}]))
def test_what_is_written_is_read_again(rows: list[Question], header: dict[str, str]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "g.jsonl"
        write_golden(path, header, rows)
        again = load_golden(path)
        assert (again.questions, again.header, again.notices) == (tuple(rows), header, ())
        assert [one.name for one in Path(folder).iterdir()] == ["g.jsonl"]


@pytest.mark.parametrize(
    ("version", "raised"),
    [
        ("1", "2"),
        ("9", "10"),
        ("v1.9", "v1.10"),
        ("2026-09", "2026-10"),
        ("3 (draft)", "4 (draft)"),
        ("draft", "draft-2"),
    ],
)
def test_the_version_is_raised(version: str, raised: str) -> None:
    header = {"golden_set": "g", "version": version, "corpus_version": "7"}
    assert next_header(header, "file") == {"golden_set": "g", "version": raised, "corpus_version": "7"}


def test_a_golden_set_without_a_version_becomes_version_1() -> None:
    assert next_header({}, "file") == {"golden_set": "file", "version": "1"}
    assert next_header({"golden_set": "g"}, "file") == {"golden_set": "g", "version": "1"}


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "g.jsonl"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="already exists"):
        write_golden(path, HEADER, [Question(id="q", text="?")])
    assert path.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("name", "message"), [("g.csv", "let its name end in .jsonl"), ("none/g.jsonl", "the folder does not exist")]
)
def test_places_that_hold_no_golden_set(tmp_path: Path, name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_new_golden(tmp_path / name)
