"""whichhalf cache: what is kept, what is damaged, and replies on their way in and out."""

import io
import json
import os
import pickle
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from whichhalf.judging.reply_store import ReplyStore, StoredReply


def reply(key: str, prompt: str = "split_claims/v1", text: str = "{}", usd: float | None = 0.5) -> StoredReply:
    return StoredReply(
        key=key, prompt=prompt, model="judge-a", text=text, prompt_tokens=1000, completion_tokens=10, cost_usd=usd
    )


THREE = (reply("a"), reply("b", usd=None), reply("c", "verify_claims/v1"))


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return filled(tmp_path / "cache", *THREE)


def filled(folder: Path, *replies: StoredReply) -> Path:
    store = ReplyStore(folder)
    store.put_all(replies)
    store.close()
    return folder


def kept(folder: Path) -> list[StoredReply]:
    store = ReplyStore(folder)
    replies = list(store)
    store.close()
    return replies


def damage(folder: Path) -> None:
    connection = sqlite3.connect(folder / "cache.db")
    with connection:
        connection.execute("UPDATE Cache SET value = 'x' WHERE key = 'a'")
        connection.execute("UPDATE Cache SET mode = 4, value = ? WHERE key = 'b'", [pickle.dumps(1)])
    connection.close()


def test_stats(call: Any, cache: Path) -> None:
    done = call("cache", "stats", "--cache", cache)
    assert (done.code, done.err) == (0, "")
    rows = [line.split() for line in done.out.splitlines()]
    assert ["split_claims/v1", "judge-a", "2", "4", "2,000", "20", "0.5000", "USD", "(1", "unknown)"] in rows
    assert ["verify_claims/v1", "judge-a", "1", "2", "1,000", "10", "0.5000", "USD"] in rows
    assert "3 replies, 6 bytes of text; price 1.0000 USD (1 unknown)" in done.out


def test_stats_for_machines(call: Any, cache: Path) -> None:
    found = json.loads(call("cache", "stats", "--cache", cache, "--json").out)
    assert found["damaged"] == 0
    assert found["counts"][0] == {
        "prompt": "split_claims/v1",
        "model": "judge-a",
        "replies": 2,
        "bytes": 4,
        "prompt_tokens": 2000,
        "completion_tokens": 20,
        "usd": 0.5,
        "without_price": 1,
    }


def test_a_hostile_name_is_shown_inert(call: Any, tmp_path: Path) -> None:
    folder = filled(tmp_path / "cache", reply("a", "\x1b[2J[red]/v1"))
    assert "\x1b" not in call("cache", "stats", "--cache", folder).out
    assert "\x1b" not in call("cache", "forget", "--cache", folder, "--prompt", "\x1b[2J[red]", "--yes").err


def test_verify_a_sound_cache(call: Any, cache: Path) -> None:
    done = call("cache", "verify", "--cache", cache)
    assert (done.code, done.out, done.err) == (0, f"every row of {cache} can be read\n", "")
    assert json.loads(call("cache", "verify", "--cache", cache, "--json").out) == []


def test_verify_names_damaged_rows_by_key(call: Any, cache: Path) -> None:
    damage(cache)
    done = call("cache", "verify", "--cache", cache)
    assert done.code == 3
    assert [line[:2] for line in done.out.splitlines()] == ["a:", "b:"]
    assert done.err.startswith(f"whichhalf: 2 fault(s) in {cache}")
    found = json.loads(call("cache", "verify", "--cache", cache, "--json").out)
    assert [one["key"] for one in found] == ["a", "b"]
    assert "pickled" in found[1]["problem"]


def test_forget_damaged_rows(call: Any, cache: Path) -> None:
    damage(cache)
    assert call("cache", "forget", "--damaged", "--cache", cache, "--yes").code == 0
    assert call("cache", "verify", "--cache", cache).code == 0
    assert kept(cache) == [THREE[2]]


def test_forget_one_version(call: Any, tmp_path: Path) -> None:
    folder = filled(tmp_path / "cache", *THREE, reply("d", "split_claims/v2"))
    done = call("cache", "forget", "--prompt", "split_claims", "--version", "v1", "--cache", folder, "--yes", "--json")
    assert (done.code, json.loads(done.out)) == (0, {"forgotten": 2, "usd": 0.5, "without_price": 1})
    assert done.err == "whichhalf: 2 replies to split_claims/v1 go, price 0.5000 USD (1 unknown)\n"
    assert [one.key for one in kept(folder)] == ["c", "d"]


@pytest.mark.parametrize(("said", "left"), [("y\n", ["c"]), ("n\n", ["a", "b", "c"]), ("", ["a", "b", "c"])])
def test_forget_asks_first(said: str, left: list[str], call: Any, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(said))
    done = call("cache", "forget", "--prompt", "split_claims", "--cache", cache)
    assert done.code == (0 if left == ["c"] else 2)
    assert done.out == ""
    assert "2 replies to split_claims go, price 0.5000 USD (1 unknown)" in done.err
    assert [one.key for one in kept(cache)] == left


def test_out_and_in_again(call: Any, cache: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "replies.jsonl", tmp_path / "other"
    done = call("cache", "export", file, "--cache", cache)
    assert (done.code, done.out) == (0, f"3 replies written to {file}\n")
    done = call("cache", "import", file, "--cache", other, "--json")
    assert (done.code, json.loads(done.out)) == (0, {"added": 3, "same": 0, "replaced": 0})
    assert kept(other) == list(THREE)
    first = file.read_bytes()
    call("cache", "export", file, "--cache", other)
    assert file.read_bytes() == first


def test_an_export_holds_what_can_be_read_and_says_what_it_lacks(call: Any, cache: Path, tmp_path: Path) -> None:
    damage(cache)
    done = call("cache", "export", tmp_path / "replies.jsonl", "--cache", cache)
    assert done.code == 3
    assert "2 row(s) cannot be read and are not in it" in done.err
    assert [json.loads(line)["key"] for line in (tmp_path / "replies.jsonl").read_text().splitlines()] == ["c"]


def test_an_import_that_conflicts_changes_nothing(call: Any, cache: Path, tmp_path: Path) -> None:
    file = tmp_path / "replies.jsonl"
    file.write_text(reply("a", text="other").model_dump_json() + "\n" + reply("z").model_dump_json() + "\n")
    done = call("cache", "import", file, "--cache", cache)
    assert (done.code, done.out) == (2, "")
    assert "1 of 2 replies differ" in done.err
    assert "--replace" in done.err
    assert kept(cache) == list(THREE)
    assert call("cache", "import", file, "--cache", cache, "--replace").code == 0
    assert [one.text for one in kept(cache)] == ["other", "{}", "{}", "{}"]


@pytest.mark.parametrize("command", [["stats"], ["verify"], ["forget", "--damaged"], ["export", "out.jsonl"]])
def test_looking_makes_no_cache(command: list[str], call: Any, tmp_path: Path) -> None:
    done = call("cache", *command, "--cache", tmp_path / "none")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"whichhalf: {tmp_path / 'none'}: holds no reply cache\n"
    assert not (tmp_path / "none").exists()


def test_a_destroyed_cache_is_named_and_left_alone(call: Any, cache: Path) -> None:
    (cache / "cache.db").write_bytes(b"no database" * 100)
    for command in (["stats"], ["verify"], ["forget", "--damaged", "--yes"], ["export", "out.jsonl"]):
        done = call("cache", *command, "--cache", cache)
        assert (done.code, done.out) == (3, "")
        assert done.err.startswith(f"whichhalf: the reply cache {cache} cannot be opened (file is not a database)")
    assert (cache / "cache.db").read_bytes() == b"no database" * 100


@pytest.mark.parametrize(
    "arguments", [[], ["--damaged", "--prompt", "p"], ["--version", "v1"]], ids=["nothing", "both", "version alone"]
)
def test_forget_must_be_told_what(arguments: list[str], call: Any, cache: Path) -> None:
    done = call("cache", "forget", *arguments, "--cache", cache)
    assert done.code == 2
    assert "say what to forget" in done.err


def test_the_folder_is_that_of_the_config(call: Any, demo_config: Any, tmp_path: Path) -> None:
    folder = filled(tmp_path / "cache", *THREE)
    config = demo_config(run_cache=folder)
    assert "3 replies" in call("cache", "stats", "-c", config).out
    done = call("cache", "stats", "-c", config, "--cache", folder)
    assert (done.code, done.err) == (2, "whichhalf: give --cache or --config, not both\n")


def test_without_a_folder_it_is_the_default_of_a_run(
    call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(tmp_path / ".whichhalf-cache", *THREE)
    monkeypatch.chdir(tmp_path)
    assert "3 replies" in call("cache", "stats").out


def test_a_file_that_cannot_be_written_is_named(call: Any, cache: Path, tmp_path: Path) -> None:
    done = call("cache", "export", tmp_path / "none" / "replies.jsonl", "--cache", cache)
    assert done.code == 3
    assert os.fspath(tmp_path / "none") in done.err
