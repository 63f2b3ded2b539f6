"""Whatever stands in the data, a terminal shows it as text; whatever a terminal can show, nothing crashes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HOSTILE = "\x1b[2J\x1b[31mred\x9b0m\x07 [red]loud[/red] :boom: \u202egnp.exe\u2066 \r\nnext \x00 保修 🎉"
SHOWN = "[2J[31mred0m [red]loud[/red] :boom: gnp.exe"
DANGEROUS = "\x1b\x9b\x07\u202e\u2066\x00\r"


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def hostile_config(demo_config: Any, tmp_path: Path) -> Path:
    """A run in which every text that a person or a model wrote is hostile."""
    passage = {"id": HOSTILE, "text": f"Rule one. {HOSTILE}"}
    row = {"id": HOSTILE, "retrieved": [passage], "context": [passage], "answer": f"Nothing of it holds. {HOSTILE}."}
    return Path(
        demo_config(
            data_golden=write(
                tmp_path / "golden.jsonl",
                {"id": HOSTILE, "question": HOSTILE, "relevant": [HOSTILE]},
                {"id": f"{HOSTILE} two", "question": HOSTILE, "relevant": [f"{HOSTILE} two"]},
            ),
            data_outputs=write(
                tmp_path / "outputs.jsonl",
                row,
                {"id": f"{HOSTILE} two", "retrieved": [], "context": []},
                {"id": "stranger\x1b"},
            ),
            data_corpus=None,
            judge_model="offline",
            judge_replies=None,
            run_coverage_floor=0.0,
            triage_flags=write(
                tmp_path / "flags.jsonl",
                {"id": HOSTILE, "note": HOSTILE, "by": HOSTILE},
                {"id": f"{HOSTILE} two", "note": HOSTILE, "by": "\u202e"},
                {"id": "unknown\x1b[0m"},
            ),
        )
    )


def test_a_run_shows_it_inert(call: Any, hostile_config: Path) -> None:
    done = call("run", hostile_config)
    assert (done.code, done.err) == (0, "")
    assert [mark for mark in DANGEROUS if mark in done.out] == []
    assert done.out.count("[red]loud[/red]") >= 2
    assert ":boom:" in done.out
    assert "not in the run: unknown[0m" in done.out
    assert "stranger" in done.out


def test_json_gives_it_back_unchanged(call: Any, hostile_config: Path) -> None:
    done = call("run", hostile_config, "--json")
    assert "\x1b" not in done.out
    answer = json.loads(done.out)["triage"]["answers"][0]
    assert (answer["id"], answer["note"], answer["by"]) == (HOSTILE, HOSTILE, HOSTILE)


def test_an_error_message_shows_it_inert(call: Any, demo_config: Any, tmp_path: Path) -> None:
    golden = write(tmp_path / "golden.jsonl", {"id": "q", "question": "?", HOSTILE: 1}, {"id": HOSTILE, "question": 5})
    done = call("run", demo_config(data_golden=golden))
    assert (done.code, done.out) == (2, "")
    assert [mark for mark in DANGEROUS if mark in done.err] == []
    assert SHOWN in done.err
    assert len(done.err.splitlines()) == 2


def test_retrieval_shows_it_inert(call: Any, hostile_config: Path) -> None:
    folder = hostile_config.parent
    done = call(
        "retrieval",
        "--qrels",
        write(
            folder / "g.jsonl",
            {"id": HOSTILE, "question": "?", "relevant": ["a"]},
            {"id": "gone\x1b", "question": "?", "relevant": ["a"]},
        ),
        "--run",
        write(folder / "o.jsonl", {"id": HOSTILE, "retrieved": ["a"]}, {"id": "\u202eextra", "retrieved": ["a"]}),
        "--per-question",
    )
    assert (done.code, done.err) == (0, "")
    assert [mark for mark in DANGEROUS if mark in done.out] == []
    assert "[red]loud[/red]" in done.out


def shell(encoding: str, *arguments: object) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    command = [sys.executable, "-c", "from whichhalf.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, check=False)


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_narrow_terminal_does_not_crash(hostile_config: Path, encoding: str) -> None:
    """bug-229"""
    done = shell(encoding, "run", hostile_config)
    assert (done.returncode, done.stderr) == (0, b"")
    text = done.stdout.decode(encoding)
    assert "[red]loud[/red]" in text
    assert "?? ?" in text


def test_help_on_a_narrow_terminal() -> None:
    assert [shell("ascii", command, "--help").returncode for command in ("run", "retrieval")] == [0, 0]


def test_an_error_on_a_narrow_terminal(tmp_path: Path) -> None:
    done = shell("ascii", "run", tmp_path / "保修.toml")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode("ascii").strip() == f"whichhalf: {tmp_path}/??.toml: the file does not exist"


def test_json_is_utf_8_on_every_terminal(hostile_config: Path) -> None:
    """bug-206"""
    done = shell("cp1252", "run", hostile_config, "--json")
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout.decode("utf-8"))["triage"]["answers"][0]["note"] == HOSTILE
