"""Folders that nobody may write: commands that only read work, the others say in one line what is to be done."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from small_runs import Done
from whichhalf.judging.reply_store import ReplyStore, StoredReply

ROOT = Path(__file__).parents[2]
LONG = 100_000
"""Characters of a reply that the cache keeps in a file of its own."""


def bound_by_permissions() -> list[str]:
    """What a command begins with so that permissions hold for it, also where the tests run as root."""
    if os.geteuid() != 0:
        return []
    prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    if shutil.which("setpriv") is None or subprocess.run([*prefix, "true"], capture_output=True).returncode:
        pytest.skip("permissions do not hold for this user")
    return prefix


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a night, a cache and the data of both, none of which can be written."""
    folder = tmp_path_factory.mktemp("read_only")
    for name in ("configs", "fixtures"):
        shutil.copytree(ROOT / name, folder / name)
    night = whichhalf(folder, "nightly", "configs/nightly.toml", "--quiet", prefix=[])
    assert (night.code, night.err) == (0, "")
    store = ReplyStore(folder / ".whichhalf-cache")
    store.put(StoredReply(key="short", prompt="split_claims/v2", model="m", text="{}", cost_usd=0.5))
    store.put(StoredReply(key="long", prompt="split_claims/v2", model="m", text="x" * LONG))
    store.close()
    everything = [folder, *folder.rglob("*")]
    for path in everything:
        if not path.is_symlink():
            path.chmod(0o555 if path.is_dir() else 0o444)
    yield folder
    for path in everything:
        if path.is_dir() and not path.is_symlink():
            path.chmod(0o755)


def whichhalf(folder: Path, *arguments: str, prefix: list[str] | None = None) -> Done:
    code = "from whichhalf.cli import main; main()"
    start = bound_by_permissions() if prefix is None else prefix
    done = subprocess.run(
        [*start, sys.executable, "-c", code, *arguments],
        cwd=folder, capture_output=True, text=True, encoding="utf-8", env={**os.environ, "NO_COLOR": "1"},
    )  # fmt: skip
    return Done(done.returncode, done.stdout, done.stderr)


def test_the_cache_is_read(here: Path, tmp_path: Path) -> None:
    stats = whichhalf(here, "cache", "stats", "--json")
    assert (stats.code, stats.err) == (0, "")
    assert sum(row["replies"] for row in json.loads(stats.out)["counts"]) == 2
    verified = whichhalf(here, "cache", "verify")
    assert (verified.code, verified.out) == (0, "every row of .whichhalf-cache can be read\n")
    out = tmp_path / "replies.jsonl"
    assert whichhalf(here, "cache", "export", str(out)).code == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [(row["key"], len(row["text"])) for row in rows] == [("long", LONG), ("short", 2)]


def test_the_history_is_read(here: Path) -> None:
    table = whichhalf(here, "history", "--json")
    assert (table.code, table.err) == (0, "")
    assert [(run["job"], run["verdict"], run["usd"]) for run in json.loads(table.out)] == [("nightly", "green", 0.0)]
    trend = whichhalf(here, "history", "recall@5")
    assert (trend.code, trend.err) == (0, "")
    assert "0.750" in trend.out


def test_a_history_without_its_index_is_read_from_the_run_folders(here: Path, tmp_path: Path) -> None:
    runs = shutil.copytree(here / "runs", tmp_path / "runs", symlinks=True)
    runs.chmod(0o755)
    (runs / "history.sqlite").unlink()
    runs.chmod(0o555)
    table = whichhalf(tmp_path, "history", "--json")
    assert (table.code, [run["verdict"] for run in json.loads(table.out)]) == (0, ["green"])
    assert not (runs / "history.sqlite").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "runs/latest", "q01"],
        ["compare", "runs/latest", "runs/latest"],
        ["prompts", "list"],
        ["run", "configs/demo.toml", "--dry-run"],
        ["run", "configs/demo.toml", "--dry-run", "--judge", "openai/gpt-4o-mini"],
        ["nightly", "configs/nightly.toml", "--dry-run"],
    ],
    ids=" ".join,
)
def test_what_only_reads_works(here: Path, arguments: list[str]) -> None:
    done = whichhalf(here, *arguments)
    assert (done.code, done.err) == (0, "")
    assert done.out


CANNOT = "is not a folder that can be written; allow it, or name another\n"
REFUSED = {
    "run": (["run", "configs/demo.toml"], f"runs: [run] out: {CANNOT}"),
    "nightly": (["nightly", "configs/nightly.toml"], f"runs: [run] out: {CANNOT}"),
    "validate": (["validate", "configs/demo.toml"], f"runs: [run] out: {CANNOT}"),
    "report": (["report", "runs/latest"], f"runs/latest: {CANNOT}"),
    "triage": (["triage", "runs/latest", "--flags", "fixtures/tax_assistant/flags.csv"], f"runs/latest: {CANNOT}"),
    "rebuild": (["history", "rebuild"], f"runs: {CANNOT}"),
    "answer": (["answer", "configs/answer.toml"], f"runs: {CANNOT}"),
    "init": (["init", "new"], f"{{here}}: {CANNOT}"),
    "export": (["cache", "export", "out.jsonl"], f"{{here}}: {CANNOT}"),
    "freeze": (
        ["canary", "freeze", "runs/latest", "c.jsonl", "-c", "configs/nightly.toml", "--size", "20"],
        f"{{here}}: {CANNOT}",
    ),
    "golden": (["golden", "freeze", "configs/demo.toml", "g.jsonl"], f"{{here}}: {CANNOT}"),
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_what_writes_says_so_before_it_begins(here: Path, arguments: list[str], message: str) -> None:
    done = whichhalf(here, *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"whichhalf: {message.format(here=here)}"


def test_a_cache_that_cannot_be_written_is_a_fault_of_a_run_and_not_of_a_replay(here: Path, tmp_path: Path) -> None:
    text = (here / "configs" / "demo.toml").read_text(encoding="utf-8")
    text = text.replace('"../runs"', f'"{tmp_path}/runs"').replace('"../', f'"{here}/')
    config = tmp_path / "demo.toml"
    config.write_text(text, encoding="utf-8")
    judge = ["--judge", "openai/gpt-4o-mini"]
    asked = whichhalf(tmp_path, "run", str(config), *judge)
    assert asked.code == 2
    assert f"whichhalf: {here}/.whichhalf-cache: [run] cache: {CANNOT}" in asked.err
    replayed = whichhalf(tmp_path, "run", str(config), *judge, "--replay-only", "--quiet")
    assert replayed.code == 3, "no reply of this run is kept"
    assert "replies that are not kept: 30 of 30 questions lack outcomes" in replayed.err
    labels = tmp_path / "labels.jsonl"
    labels.write_text(
        '{"id": "l1", "claim": "It is.", "passages": [{"id": "p", "text": "It is."}], "supported": true}\n'
    )
    config.write_text(text.replace("recorded/tax-expert", judge[1]), encoding="utf-8")
    versions = ["verify_claims", "v2", "v3", "-c", str(config), "--labels", str(labels)]
    compared = whichhalf(tmp_path, "prompts", "compare", *versions, "--replay-only", "--json")
    assert compared.code == 3
    assert json.loads(compared.out)["labels"]["a"]["lost"] == {"reply_not_recorded": 1}
    changed = whichhalf(here, "cache", "forget", "--prompt", "split_claims", "--yes")
    assert changed.code == 3
    remedy = "allow it, name another folder under [run] cache, or run once without it: --no-cache"
    assert changed.err == f"whichhalf: the reply cache .whichhalf-cache cannot be written; {remedy}\n"
