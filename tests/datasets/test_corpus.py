"""Passage texts by id."""

from pathlib import Path

import pytest

from whichhalf.core.case import Passage
from whichhalf.datasets.corpus import load_corpus
from whichhalf.errors import Fault, InputError


def write(folder: Path, text: str) -> Path:
    path = folder / "corpus.jsonl"
    path.write_text(text, encoding="utf-8")
    return path


def test_texts_by_id(tmp_path: Path) -> None:
    path = write(tmp_path, '{"id": "c1", "text": "Fees.", "doc": "note"}\n{"id": 2, "text": ""}\n')
    assert load_corpus(path) == {"c1": Passage(id="c1", text="Fees.", doc="note"), "2": Passage(id="2", text="")}


def test_every_fault_with_its_line(tmp_path: Path) -> None:
    path = write(
        tmp_path, '{"id": "c1", "text": "a"}\n{"id": "c1", "text": "b"}\n{"id": "c3"}\n{"id": 1.5, "text": "a"}\n'
    )
    with pytest.raises(InputError) as caught:
        load_corpus(path)
    assert caught.value.faults == (
        Fault("'c1' is used twice", str(path), 2, "id"),
        Fault("is missing", str(path), 3, "text"),
        Fault("id must be text or a whole number, but 1.5 is a decimal number", str(path), 4, "id"),
    )


def test_conversions_are_said(tmp_path: Path) -> None:
    """bug-033"""
    corpus = load_corpus(write(tmp_path, '{"id": 1, "text": "a"}\n{"id": 2, "text": "b"}\n{"id": "c", "text": ""}\n'))
    assert corpus.notices == ("corpus.jsonl: 2 whole-number id(s) converted to text",)
    assert load_corpus(write(tmp_path, '{"id": "c", "text": ""}')).notices == ()
