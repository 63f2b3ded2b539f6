"""Replies cost money: the store drops none, runs nothing planted, and says what is wrong with a damaged folder."""

import os
import pickle
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.errors import CacheError
from whichhalf.judging.reply_store import DamagedRow, ReplyStore, StoredReply

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


def test_the_reply_to_another_key_is_an_error_of_the_cache(tmp_path: Path) -> None:
    folder = filled(tmp_path / "cache", stored("a", "one"), stored("b", "two"))
    plant(folder, "UPDATE Cache SET value = (SELECT value FROM Cache WHERE key = 'b') WHERE key = 'a'")
    store = ReplyStore(folder)
    with pytest.raises(CacheError, match="reply to another key under a"):
        store.get("a")
    assert store.get("b") == stored("b", "two")
    store.close()


@pytest.mark.parametrize("name", ["../secret", "/secret", "a\0b", None], ids=["above", "elsewhere", "no name", "none"])
def test_a_file_outside_the_folder_is_neither_read_nor_removed(name: str | None, tmp_path: Path) -> None:
    folder = filled(tmp_path / "cache")
    secret = tmp_path / "secret"
    secret.write_text(stored().model_dump_json(), encoding="utf-8")
    planted = str(secret) if name == "/secret" else name
    plant(folder, "UPDATE Cache SET mode = 3, value = NULL, filename = ?", planted)
    store = ReplyStore(folder)
    with pytest.raises(CacheError, match="outside its folder"):
        store.get(stored().key)
    store.forget([stored().key])
    assert secret.exists()
    assert list(store.rows()) == []
    store.close()


def test_a_reply_whose_file_cannot_be_read_is_no_missing_one(tmp_path: Path) -> None:
    """It was paid for: to ask again would hide what can be mended."""
    folder = filled(tmp_path / "cache")
    (folder / "x.val").mkdir()
    plant(folder, "UPDATE Cache SET mode = 3, value = NULL, filename = 'x.val'")
    store = ReplyStore(folder)
    with pytest.raises(CacheError, match=r"failed \(.*x\.val"):
        store.get(stored().key)
    store.close()


def test_an_emptied_database_is_named_and_left_alone(tmp_path: Path) -> None:
    """SQLite takes an empty file for a new database: the run would quietly pay for everything again."""
    folder = filled(tmp_path / "cache")
    (folder / "cache.db").write_bytes(b"")
    with pytest.raises(CacheError, match="its database is an empty file"):
        ReplyStore(folder)
    assert (folder / "cache.db").read_bytes() == b""


def test_the_message_says_how_to_go_on(tmp_path: Path) -> None:
    folder = filled(tmp_path / "cache")
    (folder / "cache.db").write_bytes(b"no database" * 100)
    with pytest.raises(CacheError) as caught:
        ReplyStore(folder)
    assert str(caught.value) == (
        f"the reply cache {folder} cannot be opened (file is not a database); it was not changed. "
        "Restore it from a copy, move it away to start afresh, or run once without it: --no-cache"
    )


def _a_file(folder: Path) -> None:
    folder.write_text("mine")


def _below_a_file(folder: Path) -> None:
    folder.parent.rmdir()
    folder.parent.write_text("mine")


def _no_place_for_the_locks(folder: Path) -> None:
    (folder / "locks").mkdir(parents=True)


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (_a_file, "File exists"),
        (_below_a_file, "Not a directory"),
        (_no_place_for_the_locks, "Is a directory"),
    ],
)
def test_a_folder_that_cannot_be_made_is_said_in_words(tmp_path: Path, spoil: Callable[[Path], None], why: str) -> None:
    folder = tmp_path / "parent" / "cache"
    folder.parent.mkdir()
    spoil(folder)
    with pytest.raises(CacheError) as caught:
        ReplyStore(folder)
    assert str(caught.value) == (
        f"the reply cache {folder} cannot be written ({why}); allow it, name another folder under [run] cache, or run "
        "once without it: --no-cache"
    )


def test_every_row_is_listed_readable_or_not(tmp_path: Path) -> None:
    folder = filled(tmp_path / "cache", *(stored(key) for key in "abcd"), stored("e", "x" * 100_000))
    plant(folder, "UPDATE Cache SET mode = 4, value = ? WHERE key = 'a'", pickle.dumps(Trap(tmp_path / TRAP)))
    plant(folder, "UPDATE Cache SET raw = 0, key = ? WHERE key = 'b'", pickle.dumps(Trap(tmp_path / TRAP)))
    plant(folder, "UPDATE Cache SET value = '{' WHERE key = 'c'")
    for path in folder.rglob("*.val"):
        path.unlink()
    store = ReplyStore(folder)
    rows = list(store.rows())
    damaged = {row.key: row.problem for row in rows if isinstance(row, DamagedRow)}
    assert [row for row in rows if isinstance(row, StoredReply)] == [stored("d")]
    assert set(damaged) == {"a", "", "c", "e"}
    assert "pickled row" in damaged["a"]
    assert "pickled key" in damaged[""]
    assert "no reply" in damaged["c"]
    assert "gone" in damaged["e"]
    store.forget_damaged([row for row in rows if isinstance(row, DamagedRow)])
    assert list(store.rows()) == [stored("d")]
    assert not (tmp_path / TRAP).exists()
    store.close()


def test_a_file_that_is_no_text_is_a_damaged_row(tmp_path: Path) -> None:
    folder = filled(tmp_path / "cache", stored("a", "x" * 100_000))
    for path in folder.rglob("*.val"):
        path.write_bytes(b"\xff\xfe\xff")
    store = ReplyStore(folder)
    assert [row.key for row in store.rows() if isinstance(row, DamagedRow)] == ["a"]
    store.close()


def test_a_sound_database_has_no_faults_and_a_torn_one_has(tmp_path: Path) -> None:
    folder = filled(tmp_path / "cache", *[stored(f"{number:03}", "x" * 3_000) for number in range(200)])
    store = ReplyStore(folder)
    assert store.database_faults() == []
    store.close()
    database = folder / "cache.db"
    data = bytearray(database.read_bytes())
    for page in range(20, 60):
        data[page * 4096 : page * 4096 + 200] = bytes(200)
    database.write_bytes(data)
    store = ReplyStore(folder)
    try:
        faults = store.database_faults()
    except CacheError as error:
        faults = [str(error)]
    assert faults
    store.close()


def test_all_or_none_are_put(tmp_path: Path) -> None:
    store = ReplyStore(filled(tmp_path / "cache", stored("a", "old")))

    def broken() -> Iterator[StoredReply]:
        yield stored("a", "new")
        yield stored("b", "new")
        raise OSError("the file ends here")

    with pytest.raises(CacheError, match="the file ends here"):
        store.put_all(broken())
    assert list(store) == [stored("a", "old")]
    store.put_all([stored("b"), stored("c")])
    store.forget(["a", "c", "not there"])
    assert list(store) == [stored("b")]
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
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, folder, str(one)]) for one in range(8)]
    assert [writer.wait(timeout=120) for writer in writers] == [0] * 8
    store = ReplyStore(folder)
    keys = {reply.key for reply in store}
    assert keys == {"shared", *(f"{writer}-{number}" for writer in range(8) for number in range(25))}
    store.close()


def test_what_may_wait_is_kept_together_and_at_the_latest_on_closing(tmp_path: Path) -> None:
    def some(first: int, count: int) -> list[StoredReply]:
        return [StoredReply(key=f"{at:064x}", prompt="p/v1", model="m", text="1") for at in range(first, first + count)]

    writing, reading = ReplyStore(tmp_path), ReplyStore(tmp_path)
    writing.put_later(some(0, 400))
    writing.put_later(some(400, 400))
    assert list(reading) == [], "until many wait"
    writing.put_later(some(800, 200))
    assert len(list(reading)) == 1000
    writing.put_later(some(1000, 7))
    writing.close()
    assert list(reading) == some(0, 1007)
    reading.close()
    only = ReplyStore(tmp_path, read_only=True)
    only.put_later(some(2000, 3))
    only.close()
    again = ReplyStore(tmp_path)
    assert len(list(again)) == 1007
    again.close()


def test_what_threads_put_at_once_is_on_disk_when_their_call_returns(tmp_path: Path) -> None:
    store, other = ReplyStore(tmp_path), ReplyStore(tmp_path)

    def put(number: int) -> bool:
        reply = stored(f"{number:064}", "long" * 20_000 if number % 50 == 7 else f"text {number}")
        store.put(reply)
        return other.get(reply.key) == reply

    with ThreadPoolExecutor(32) as pool:
        assert all(pool.map(put, range(400)))
    assert [reply.key for reply in store] == [f"{number:064}" for number in range(400)]


def test_everyone_whose_reply_could_not_be_written_is_told(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path)
    store.put(stored("a"))
    plant(tmp_path, "CREATE TRIGGER no BEFORE INSERT ON Cache BEGIN SELECT RAISE(FAIL, 'the disk is full'); END")

    def put(number: int) -> str:
        with pytest.raises(CacheError, match="the disk is full") as caught:
            store.put(stored(f"b{number}"))
        return str(caught.value)

    with ThreadPoolExecutor(8) as pool:
        assert len(list(pool.map(put, range(40)))) == 40
    assert [reply.key for reply in ReplyStore(tmp_path)] == ["a"]


def test_a_forked_copy_of_us_puts_its_own(tmp_path: Path) -> None:
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from whichhalf.judging.reply_store import ReplyStore, StoredReply\n"
        "store = ReplyStore(Path(sys.argv[1]))\n"
        "put = lambda key: store.put(StoredReply(key=key, prompt='p/v1', model='m', text='t'))\n"
        "put('before')\n"
        "assert store.get('before')\n"
        "inherited = store._reader._connection\n"
        "with store._reader._guard:\n"  # as another thread may hold it
        "    copy = os.fork()\n"
        "put('theirs' if copy == 0 else 'ours')\n"
        "assert store.get('before') and store.get('theirs' if copy == 0 else 'ours')\n"
        "assert (store._reader._connection is inherited) == (copy != 0)\n"
        "copy or os._exit(0)\n"
        "assert os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1]) == 0\n"
    )
    subprocess.run([sys.executable, "-c", code, os.fspath(tmp_path)], check=True, timeout=60)
    assert [reply.key for reply in ReplyStore(tmp_path)] == ["before", "ours", "theirs"]


def test_what_arrives_while_the_interpreter_ends_is_kept(tmp_path: Path) -> None:
    code = (
        "import sys, threading, time\nfrom pathlib import Path\n"
        "from whichhalf.judging.reply_store import ReplyStore, StoredReply\n"
        "store = ReplyStore(Path(sys.argv[1]))\n"
        "def late():\n    time.sleep(0.5)\n"
        "    store.put(StoredReply(key='late', prompt='p/v1', model='m', text='t'))\n"
        "threading.Thread(target=late).start()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, os.fspath(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr == ""
    assert [reply.key for reply in ReplyStore(tmp_path)] == ["late"]


def test_what_is_put_after_closing_is_kept(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path)
    store.close()
    store.put(stored("a"))
    assert [reply.key for reply in ReplyStore(tmp_path)] == ["a"]


def test_many_at_once_are_put_whatever_sqlite_takes_in_one_statement(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path)
    store._writer.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999)  # as before SQLite 3.32
    for many in (1, 199, 200, 201, 700):
        store.put_all([stored(f"{many} {number}") for number in range(many)])
    assert len(list(store)) == 1301


def test_it_is_empty_until_something_is_put(tmp_path: Path) -> None:
    store = ReplyStore(tmp_path)
    assert store.is_empty
    store.put(stored())
    assert not store.is_empty


def test_a_store_that_is_dropped_leaves_no_thread(tmp_path: Path) -> None:
    before = threading.active_count()
    for _ in range(3):
        ReplyStore(tmp_path).put(stored())
    until = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.01)
    assert threading.active_count() <= before
