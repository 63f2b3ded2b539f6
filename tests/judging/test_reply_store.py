"""Replies cost money: the store drops none, runs nothing planted, and says what is wrong with a damaged folder."""

import json
import os
import pickle
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.errors import CacheError, InputError
from whichhalf.judging.reply_store import ReplyStore, StoredReply, read_recorded, write_recorded

TRAP = "trap-was-sprung"


class Trap:
    """Whoever unpickles it creates a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str, str]]:
        return open, (os.fspath(self.path), "w")


def stored(key: str = "k" * 64, text: str = '{"word": "x"}') -> StoredReply:
    return StoredReply(key=key, prompt="name_it/v1", model="judge-a", text=text)


def plant(folder: Path, statement: str, *values: object) -> None:
    """Change the database as someone with write access could."""
    connection = sqlite3.connect(folder / "cache.db")
    with connection:
        connection.execute(statement, values)
    connection.close()


def filled(folder: Path, *replies: StoredReply) -> Path:
    store = ReplyStore(folder)
    for reply in replies or (stored(),):
        store.put(reply)
    store.close()
    return folder


def test_what_is_put_is_got(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path / "cache")
    reply = StoredReply(
        key="a",
        prompt="p/v1",
        model="m",
        text="कर\u2028\r\n\x00\\",
        prompt_tokens=1,
        completion_tokens=0,
        cost_usd=0.25,
    )
    store.put(reply)
    assert store.get("a") == reply
    assert store.get("b") is None
    store.close()


def test_another_process_finds_it(tmp_path: Path) -> None:
    filled(tmp_path / "cache")
    store = ReplyStore(tmp_path / "cache")
    assert list(store) == [stored()]
    store.close()


def test_the_last_reply_under_a_key_counts(tmp_path: Path) -> None:
    store = ReplyStore(filled(tmp_path / "cache", stored(text="old"), stored(text="new")))
    assert list(store) == [stored(text="new")]
    store.close()


@given(
    text=st.text(st.characters(codec="utf-8")),
    tokens=st.none() | st.integers(0, 10**9),
    cost=st.none() | st.floats(0, 1e6),
)
def test_every_reply_survives(
    text: str, tokens: int | None, cost: float | None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / "every-reply"
    store = ReplyStore(folder)
    reply = StoredReply(key="k", prompt="p/v1", model="m", text=text, prompt_tokens=tokens, cost_usd=cost)
    store.put(reply)
    assert store.get("k") == reply
    store.close()


def test_nothing_is_dropped(tmp_path: Path) -> None:
    """diskcache's own settings would keep some 100 of these: its limit is part of the database."""
    folder = tmp_path / "cache"
    filled(folder, stored("first"))
    plant(folder, "UPDATE Settings SET value = 1000 WHERE key = 'size_limit'")
    plant(folder, "UPDATE Settings SET value = 10 WHERE key = 'cull_limit'")
    plant(folder, "UPDATE Settings SET value = 'least-recently-stored' WHERE key = 'eviction_policy'")
    store = ReplyStore(folder)
    for number in range(400):
        store.put(stored(str(number), "x" * 8_000))
    assert sorted(reply.key for reply in store) == sorted(["first", *map(str, range(400))])
    store.close()


def test_long_replies_are_kept_whole(tmp_path: Path) -> None:
    long = stored(text="é\r\n" * 200_000)
    store = ReplyStore(filled(tmp_path / "cache", long))
    assert store.get(long.key) == long
    store.close()


def test_only_its_owner_may_read_the_folder(tmp_path: Path) -> None:
    filled(tmp_path / "cache")
    assert stat.S_IMODE((tmp_path / "cache").stat().st_mode) == 0o700


def test_a_planted_pickle_is_refused_and_not_run(tmp_path: Path) -> None:
    folder = filled(tmp_path / "cache")
    plant(folder, "UPDATE Cache SET mode = 4, value = ?", pickle.dumps(Trap(tmp_path / TRAP)))
    store = ReplyStore(folder)
    with pytest.raises(CacheError, match="pickled row"):
        store.get(stored().key)
    with pytest.raises(CacheError, match="pickled row"):
        list(store)
    assert not (tmp_path / TRAP).exists()
    store.close()


def test_a_planted_pickle_in_a_file_is_refused_and_not_run(tmp_path: Path) -> None:
    folder = filled(tmp_path / "cache")
    (folder / "planted.val").write_bytes(pickle.dumps(Trap(tmp_path / TRAP)))
    plant(folder, "UPDATE Cache SET mode = 4, value = NULL, filename = 'planted.val'")
    store = ReplyStore(folder)
    with pytest.raises(CacheError, match="pickled row"):
        store.get(stored().key)
    assert not (tmp_path / TRAP).exists()
    store.close()


def test_a_planted_pickled_key_is_refused_and_not_run(tmp_path: Path) -> None:
    folder = filled(tmp_path / "cache")
    plant(folder, "UPDATE Cache SET raw = 0, key = ?", pickle.dumps(Trap(tmp_path / TRAP)))
    store = ReplyStore(folder)
    with pytest.raises(CacheError, match="pickled key"):
        list(store)
    assert store.get(stored().key) is None
    assert not (tmp_path / TRAP).exists()
    store.close()


def test_the_trap_works(tmp_path: Path) -> None:
    pickle.loads(pickle.dumps(Trap(tmp_path / TRAP))).close()
    assert (tmp_path / TRAP).exists()


@pytest.mark.parametrize(
    "value",
    ["no JSON", "{}", '{"key": "k"}', "[]", 5, b"\xff\x00"],
    ids=["prose", "empty", "part", "list", "int", "bytes"],
)
def test_a_row_that_is_no_reply_is_an_error_of_the_cache(value: object, tmp_path: Path) -> None:
    folder = filled(tmp_path / "cache")
    plant(folder, "UPDATE Cache SET mode = 1, value = ?", value)
    store = ReplyStore(folder)
    with pytest.raises(CacheError) as caught:
        store.get(stored().key)
    assert str(caught.value) == f"the reply cache {folder} holds a row that is no reply (key {'k' * 12})"
    store.close()


def test_a_lost_value_file_is_a_miss(tmp_path: Path) -> None:
    folder = filled(tmp_path / "cache", stored(text="x" * 100_000))
    for path in folder.rglob("*.val"):
        path.unlink()
    store = ReplyStore(folder)
    assert store.get(stored().key) is None
    store.close()


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"this is no database" * 100,
        lambda data: b"\x00" * 100 + data[100:],
        lambda data: data[:1000],
        lambda data: data[: len(data) // 2],
    ],
    ids=["garbage", "header", "cut in the first page", "cut in half"],
)
def test_bug_183_a_damaged_database_is_named_and_left_alone(damage: object, tmp_path: Path) -> None:
    """The case wants the run to go on without a cache. The design decides otherwise: replies are paid for, so the
    run stops before it pays for them again, and the old file stays for its owner to restore."""
    folder = filled(tmp_path / "cache", *[stored(str(number), "x" * 3_000) for number in range(20)])
    database = folder / "cache.db"
    assert callable(damage)
    database.write_bytes(damage(database.read_bytes()))
    before = database.read_bytes()
    with pytest.raises(CacheError) as caught:
        list(ReplyStore(folder))
    assert str(folder) in str(caught.value)
    assert database.read_bytes() == before


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file", encoding="utf-8")
    with pytest.raises(CacheError) as caught:
        ReplyStore(tmp_path / "cache")
    assert str(tmp_path / "cache") in str(caught.value)
    assert (tmp_path / "cache").read_text(encoding="utf-8") == "a file"


def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    if os.access(tmp_path, os.W_OK):
        pytest.skip("this user may write to read-only folders")
    with pytest.raises(CacheError) as caught:
        ReplyStore(tmp_path / "cache")
    assert str(tmp_path / "cache") in str(caught.value)


def test_a_read_only_database_is_named(tmp_path: Path) -> None:
    folder = filled(tmp_path / "cache")
    (folder / "cache.db").chmod(0o400)
    folder.chmod(0o500)
    if os.access(folder, os.W_OK):
        pytest.skip("this user may write to read-only folders")
    with pytest.raises(CacheError) as caught:
        ReplyStore(folder).put(stored("another"))
    assert str(folder) in str(caught.value)


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs a file system that nobody may write to")
def test_a_place_that_cannot_be_written_is_named() -> None:
    with pytest.raises(CacheError) as caught:
        ReplyStore(Path("/proc/self/cache"))
    assert "/proc/self/cache" in str(caught.value)


WRITER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from whichhalf.judging.reply_store import ReplyStore, StoredReply

folder, writer = Path(sys.argv[1]), sys.argv[2]
store = ReplyStore(folder)

def put(number):
    store.put(StoredReply(key=f"{writer}-{number}", prompt="p/v1", model="m", text="x" * 100))
    store.put(StoredReply(key="shared", prompt="p/v1", model="m", text="same"))

with ThreadPoolExecutor(4) as pool:
    list(pool.map(put, range(25)))
"""


def test_several_processes_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, folder, str(one)]) for one in range(4)]
    assert [writer.wait(timeout=60) for writer in writers] == [0, 0, 0, 0]
    store = ReplyStore(folder)
    keys = {reply.key for reply in store}
    assert keys == {"shared", *(f"{writer}-{number}" for writer in range(4) for number in range(25))}
    store.close()


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
