"""whichhalf init: what it writes runs as it is, and nothing is overwritten."""

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def started(call: Any, tmp_path: Path) -> Path:
    folder = tmp_path / "new" / "evaluation"
    done = call("init", folder)
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith(f"Next: whichhalf run {folder / 'eval.toml'}\n")
    return folder


def test_the_written_config_is_valid_and_runs_without_a_key(call: Any, started: Path) -> None:
    assert sorted(path.name for path in started.iterdir()) == [
        "corpus.jsonl",
        "eval.toml",
        "flags.csv",
        "golden.jsonl",
        "outputs.jsonl",
    ]
    config = started / "eval.toml"
    validated = call("validate", config)
    assert (validated.code, validated.err) == (0, "")
    done = call("run", config, "--json")
    assert (done.code, done.err) == (0, "")
    facts = json.loads(done.out)
    # by hand: q1, q2, q4 are found in the first three; q3 is fourth, q5 nowhere; q6 has no answer
    assert facts["metrics"]["recall@3[retrieved]"]["mean"] == pytest.approx(3 / 5)
    assert facts["metrics"]["recall@3[retrieved]"]["undefined"] == {"no_answer_question": 1}
    labels = {one["id"]: (one["half"], one["reason"]) for one in facts["triage"]["answers"]}
    assert labels == {
        "q2": ("generation", "contradicts_context"),
        "q3": ("retrieval", "ranked_below_cut"),
        "q5": ("retrieval", "not_retrieved"),
    }


def test_its_assistant_answers_and_is_replayed(call: Any, started: Path) -> None:
    config = started / "eval.toml"
    assert json.loads(call("answer", config, "--json").out)["answered"] == 6
    run = json.loads(call("run", config, "--json").out)["run"]
    done = call("triage", run, "--flags", started / "flags.csv", "--replay", "--json")
    assert done.code == 0
    assert [len(one["replays"]) for one in json.loads(done.out)["answers"]] == [1, 2, 2]


def test_nothing_is_overwritten(call: Any, started: Path) -> None:
    (started / "golden.jsonl").write_text("mine", encoding="utf-8")
    for name in ("eval.toml", "corpus.jsonl", "flags.csv", "outputs.jsonl"):
        (started / name).unlink()
    done = call("init", started)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"whichhalf: {started / 'golden.jsonl'}: is there already, and is not overwritten\n"
    assert [path.name for path in started.iterdir()] == ["golden.jsonl"]


def test_a_file_is_no_folder(call: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = call("init", tmp_path / "file")
    assert (done.code, done.err) == (2, f"whichhalf: {tmp_path / 'file'}: is not a folder\n")
