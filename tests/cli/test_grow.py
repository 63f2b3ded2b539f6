"""`whichhalf triage RUN --verdicts FILE --grow NEW`: the next version of a golden set."""

import json
from pathlib import Path
from typing import Any

import pytest

from whichhalf.datasets.golden import load_golden

FIXTURE = Path(__file__).parents[2] / "fixtures" / "tax_assistant"
VERDICTS = "id,expert_half,expert_note\nq01,retrieval,\nq13,retrieval,the note was missing\nq19,manual,\nq20,,\n"


@pytest.fixture
def verdicts(tmp_path: Path) -> Path:
    path = tmp_path / "verdicts.csv"
    path.write_text(VERDICTS, encoding="utf-8")
    return path


def test_the_runs_own_golden_set(call: Any, run_folder: Path, verdicts: Path, tmp_path: Path) -> None:
    old = FIXTURE / "golden.jsonl"
    before, new = old.read_bytes(), tmp_path / "golden-next.jsonl"
    done = call("triage", run_folder, "--verdicts", verdicts, "--grow", new)
    assert (done.code, done.err) == (0, "")
    version = int(load_golden(old).header["version"])
    assert f"{new}: tax_assistant, version {version + 1}, 30 questions\n" in done.out
    assert "  Were there, now marked confirmed_failure: q01, q13\n" in done.out
    assert "  Left out, no verdict yet: q03, q06, q08, q11, q14, q17, q20, q22, q25\n" in done.out
    assert "  Left out, the expert confirmed neither half: q19\n" in done.out
    assert old.read_bytes() == before
    marked = {one.id: one for one in load_golden(new).questions if "confirmed_failure" in one.tags}
    assert {name: one.tags["confirmed_failure"] for name, one in marked.items()} == {
        "q01": "retrieval",
        "q13": "retrieval",
    }
    assert marked["q13"].origin == {
        "run": "run",
        "flagged_by": "CA Meera",
        "flag_note": "Never heard of a 15-day wait before selling. Rest is okay.",
        "label": "generation: unsupported_claims",
        "expert_half": "retrieval",
        "expert_note": "the note was missing",
    }
    assert marked["q13"].model_copy(update={"origin": {}, "tags": {}}) in [
        one.model_copy(update={"tags": {}}) for one in load_golden(old).questions
    ]


def test_another_golden_set_gains_the_question(call: Any, run_folder: Path, verdicts: Path, tmp_path: Path) -> None:
    base, new = tmp_path / "frozen.csv", tmp_path / "frozen-1.jsonl"
    base.write_text("id,question,relevant\nk1,Which form?,c12\n", encoding="utf-8")
    options = ("--verdicts", verdicts, "--golden", base, "--grow", new)
    facts = json.loads(call("triage", run_folder, *options, "--json").out)["grown"]
    assert facts["file"] == str(new)
    assert facts["header"] == {"golden_set": "frozen", "version": "1"}
    assert (facts["added"], facts["marked"], facts["present"]) == (["q01", "q13"], [], [])
    assert facts["skipped"]["q19"] == "the expert confirmed neither half"
    assert [one.id for one in load_golden(new).questions] == ["k1", "q01", "q13"]


def test_a_second_time_there_is_nothing_new(call: Any, run_folder: Path, verdicts: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    call("triage", run_folder, "--verdicts", verdicts, "--grow", first)
    done = call("triage", run_folder, "--verdicts", verdicts, "--grow", second, "--golden", first)
    assert done.code == 0
    assert "No new golden set: nothing was confirmed that is not there already\n" in done.out
    assert "  Were there and marked before: q01, q13\n" in done.out
    assert not second.exists()


def test_the_frozen_file_is_never_overwritten(call: Any, run_folder: Path, verdicts: Path) -> None:
    old = FIXTURE / "golden.jsonl"
    before = old.read_bytes()
    done = call("triage", run_folder, "--verdicts", verdicts, "--grow", old)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"whichhalf: {old}: already exists; golden sets are frozen, so name another file\n"
    assert old.read_bytes() == before


def test_a_run_whose_golden_set_is_gone(call: Any, run_folder: Path, verdicts: Path, tmp_path: Path) -> None:
    manifest = json.loads((run_folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["config"]["data"]["golden"] = str(tmp_path / "gone.jsonl")
    (run_folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    done = call("triage", run_folder, "--verdicts", verdicts, "--grow", tmp_path / "n.jsonl")
    assert (done.code, done.err) == (
        2,
        "whichhalf: the golden set of the run is not there any more: name the one to grow with --golden\n",
    )


def test_options_that_would_do_nothing(call: Any, run_folder: Path, verdicts: Path) -> None:
    done = call("triage", run_folder, "--grow", "n.jsonl")
    assert (done.code, done.err) == (
        2,
        "whichhalf: --grow needs --verdicts: only what an expert confirmed is added\n",
    )
    done = call("triage", run_folder, "--verdicts", verdicts, "--golden", "g.jsonl")
    assert (done.code, done.err) == (
        2,
        "whichhalf: --golden is the golden set to grow: name the new file with --grow\n",
    )
