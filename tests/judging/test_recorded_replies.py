"""Replies in a file: the same bytes for the same replies, every fault named, and never half a file."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.errors import InputError
from whichhalf.judging.recorded_replies import read_recorded, write_recorded
from whichhalf.judging.reply_store import StoredReply


def stored(key: str = "k" * 64, text: str = '{"word": "x"}') -> StoredReply:
    return StoredReply(key=key, prompt="name_it/v1", model="judge-a", text=text)


def test_recorded_replies_are_read_back(tmp_path: Path) -> None:
    replies = {key: stored(key, "é\u2028\n") for key in ("b", "a")}
    write_recorded(tmp_path / "replies.jsonl", replies)
    assert read_recorded(tmp_path / "replies.jsonl") == replies
    lines = (tmp_path / "replies.jsonl").read_bytes().decode("utf-8").split("\n")
    assert [json.loads(line)["key"] for line in lines if line] == ["a", "b"]


def test_recorded_replies_may_have_a_byte_order_mark_and_empty_lines(tmp_path: Path) -> None:
    text = f"\ufeff{stored().model_dump_json()}\r\n\r\n"
    (tmp_path / "replies.jsonl").write_text(text, encoding="utf-8", newline="")
    assert read_recorded(tmp_path / "replies.jsonl") == {stored().key: stored()}


@pytest.mark.parametrize(
    "line", ["{", '{"key": "k"}', '{"key": "k", "prompt": "p", "model": "m", "text": "t", "x": 1}']
)
def test_a_bad_line_is_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text(f"{stored().model_dump_json()}\n\n{line}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_recorded(path)
    assert [(fault.file, fault.line) for fault in caught.value.faults] == [(str(path), 3)]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_recorded(tmp_path / "none.jsonl")
    assert [(fault.file, fault.line) for fault in caught.value.faults] == [(str(tmp_path / "none.jsonl"), None)]


def test_every_bad_line_is_named_with_its_field(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text('{"key": 5}\n[]\n' + stored().model_dump_json(), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_recorded(path)
    assert [(fault.line, fault.field) for fault in caught.value.faults] == [(1, "key"), (2, "")]


def test_one_reply_may_stand_there_twice_and_two_may_not(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text(f"{stored().model_dump_json()}\n" * 2, encoding="utf-8")
    assert read_recorded(path) == {stored().key: stored()}
    path.write_text(f"{stored().model_dump_json()}\n{stored(text='other').model_dump_json()}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_recorded(path)
    assert str(caught.value) == f"{path}:2: another reply stands above under the same key {'k' * 12}"


def test_a_file_that_is_no_text_is_named(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="recorded replies cannot be read"):
        read_recorded(tmp_path / "replies.jsonl")


def test_a_file_that_cannot_be_replaced_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").mkdir()
    with pytest.raises(OSError, match="replies"):
        write_recorded(tmp_path / "replies.jsonl", {"a": stored("a")})
    assert [path.name for path in tmp_path.iterdir()] == ["replies.jsonl"]


TEXT = st.text(st.characters(codec="utf-8"), max_size=20)


@given(pairs=st.lists(st.tuples(TEXT, TEXT), unique_by=lambda pair: pair[0]))
def test_the_same_replies_are_the_same_bytes_in_any_order(
    pairs: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "any-order.jsonl"
    replies = {key: stored(key, text) for key, text in pairs}
    write_recorded(path, replies)
    first = path.read_bytes()
    assert read_recorded(path) == replies
    write_recorded(path, dict(reversed(replies.items())))
    assert path.read_bytes() == first
