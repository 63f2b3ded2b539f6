"""The file that grows while an assistant is asked: torn lines, failures, other settings, the end."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from whichhalf.assistants.seam import AssistantIdentity, AssistantRequest
from whichhalf.core.case import Passage
from whichhalf.datasets.outputs import load_outputs
from whichhalf.datasets.rows import OutputRow
from whichhalf.errors import InputError
from whichhalf.running.recorded_outputs import ASKED_WITH, RecordedOutputs, asked_with, is_recorded

WANTED = {"q1": "a" * 16, "q2": "b" * 16, "q3": "c" * 16}
CORPUS = {"c1": Passage(id="c1", text="It opens at 9.", doc="hours")}


def row(one: str, answer: str | None = "Yes.", fingerprint: str | None = None, **fields: Any) -> OutputRow:
    return OutputRow(id=one, answer=answer, meta={ASKED_WITH: fingerprint or WANTED[one]}, **fields)


def opened(path: Path, **options: Any) -> RecordedOutputs:
    return RecordedOutputs(path, WANTED, CORPUS, **options)


def test_rows_are_there_as_soon_as_they_are_added_and_whole_in_order_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "new" / "outputs.jsonl"
    recorded = opened(path)
    recorded.add(row("q2"))
    assert not path.exists()
    assert opened(path).answered == {"q2"}
    recorded.add(row("q1"))
    recorded.finish(WANTED)
    assert [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()] == ["q1", "q2"]
    assert [one.name for one in path.parent.iterdir()] == ["outputs.jsonl"]
    assert opened(path).answered == {"q1", "q2"}


def test_a_killed_process_loses_half_a_line_at_most(tmp_path: Path) -> None:
    """bug-151, bug-153"""
    path = tmp_path / "outputs.jsonl"
    first = opened(path)
    first.add(row("q1"))
    first.add(row("q2", "Grüße 保修"))
    whole = first.part.read_bytes()
    first.part.write_bytes(whole[:-9])
    again = opened(path)
    assert again.answered == {"q1"}
    again.add(row("q3"))
    assert opened(path).answered == {"q1", "q3"}


def test_failures_are_asked_again_and_the_last_word_counts(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    first = opened(path)
    first.add(row("q1", None, error="unreachable: no luck"))
    first.finish(WANTED)
    second = opened(path)
    assert second.answered == set()
    second.add(row("q1"))
    assert opened(path).answered == {"q1"}
    second.finish(WANTED)
    assert load_outputs(path).rows["q1"].error is None


@pytest.mark.parametrize("finished", [True, False])
def test_answers_of_other_settings_are_never_overwritten(tmp_path: Path, finished: bool) -> None:
    path = tmp_path / "outputs.jsonl"
    recorded = opened(path)
    recorded.add(row("q1", fingerprint="d" * 16, model="bot", prompt="answer/v1"))
    if finished:
        recorded.finish(WANTED)
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(InputError, match="already holds outputs of bot with answer/v1, and 'q1' was asked with other"):
        opened(path)
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
    assert opened(path, set_aside=True).answered == set()
    assert [file.name for file in tmp_path.iterdir()] == [f"{next(iter(before)).name}.old-1"]


def test_a_file_that_is_not_ours_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    path.write_text('{"id": "q1", "answer": "by hand"}\n', encoding="utf-8")
    with pytest.raises(InputError, match="already holds outputs of another kind"):
        opened(path)
    assert not is_recorded(path)


def test_failures_of_other_settings_are_worth_nothing(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    opened(path).add(row("q1", None, "d" * 16, error="exception: no luck"))
    assert opened(path).rows == {}


def test_the_name_must_be_that_of_json_lines(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"let its name end in \.jsonl"):
        opened(tmp_path / "outputs.csv")


def test_texts_of_the_corpus_are_written_by_id(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    seen = (CORPUS["c1"], Passage(id="c2", text="Own text."), Passage(id="c1", text="Another text.", score=0.5))
    recorded = opened(path)
    recorded.add(row("q1", context=seen, retrieved=()))
    recorded.finish(WANTED)
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["context"] == [
        "c1",
        {"id": "c2", "text": "Own text."},
        {"id": "c1", "text": "Another text.", "score": 0.5},
    ]
    assert data["retrieved"] == []
    assert set(data) == {"id", "retrieved", "context", "answer", "meta"}
    assert is_recorded(path)
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert is_recorded(path)


REQUEST = AssistantRequest("q1", "When?")
IDENTITY = AssistantIdentity("model", "bot", {"prompt_sha256": "1"})


@pytest.mark.parametrize(
    ("identity", "request_"),
    [
        (AssistantIdentity("url", "bot", {"prompt_sha256": "1"}), REQUEST),
        (AssistantIdentity("model", "bot-2", {"prompt_sha256": "1"}), REQUEST),
        (AssistantIdentity("model", "bot", {"prompt_sha256": "2"}), REQUEST),
        (IDENTITY, AssistantRequest("q1", "Where?")),
        (IDENTITY, AssistantRequest("q1", "When?", passages=(CORPUS["c1"],))),
        (IDENTITY, AssistantRequest("q1", "When?", passages=())),
    ],
)
def test_anything_that_could_change_the_reply_changes_the_mark(
    identity: AssistantIdentity, request_: AssistantRequest
) -> None:
    assert asked_with(identity, request_) != asked_with(IDENTITY, REQUEST)
    assert asked_with(IDENTITY, REQUEST) == asked_with(IDENTITY, AssistantRequest("q1", "When?"))
