"""whichhalf history: what it prints of a folder of runs, and what it leaves alone."""

import json
from pathlib import Path
from typing import Any

from night_makers import a_night, write_night


def test_a_folder_without_runs_is_told_and_left_as_it_was(call: Any, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    for more in ([], ["faithfulness"]):
        done = call("history", *more, "--runs", tmp_path)
        assert (done.code, done.out) == (2, "")
        assert done.err == f"whichhalf: {tmp_path} is no folder of runs; name one with --runs\n"
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_an_unknown_metric_names_those_there_are(call: Any, tmp_path: Path) -> None:
    write_night(tmp_path, "n1", a_night(), 0.5, "2026-11-29T06:00:00+00:00")
    done = call("history", "bleu", "--runs", tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err == "whichhalf: no run has 'bleu' under one name; there are faithfulness\n"


def test_rebuilding_as_json(call: Any, tmp_path: Path) -> None:
    write_night(tmp_path, "n1", a_night(), 0.5, "2026-11-29T06:00:00+00:00")
    assert json.loads(call("history", "rebuild", "--runs", tmp_path, "--json").out) == {"runs": 1}
    assert call("history", "rebuild", "--runs", tmp_path).out == f"1 runs in {tmp_path}\n"
