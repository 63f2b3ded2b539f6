"""A run folder is strict JSON, and whole or not there."""

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scored_runs import scored_run
from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.claim import Claim, Evidence, Verdict
from whichhalf.core.diagnosis import Diagnosis, LostPassage
from whichhalf.core.outcome import Failed, Scored, Undefined
from whichhalf.core.run import CallRecord, CaseResult, Cost, MetricSummary, Run, RunManifest
from whichhalf.errors import InputError
from whichhalf.running.run_folder import add_triage, read_run, write_run
from whichhalf.triage.flagged import Flag, FlaggedAnswer

HARD_TEXT = 'The NaN store; Infinity Pool. Grüße, 保修 🎉 “smart”\u2028line\r\n"quoted" \x1b[31m'
VERDICT = Verdict(
    claim=Claim(id=1, text=HARD_TEXT, quote="NaN"),
    label="supported",
    evidence=(Evidence(passage="c1", quote="NaN", start=4),),
)


def a_run() -> Run:
    """Every kind of outcome, every optional field once with and once without a value."""
    question = Question(id="q1", text=HARD_TEXT, relevant={"c1": 1, "c2": 0}, reference_answers=("a",), tags={"t": "x"})
    full = Case(
        question=question,
        retrieved=(Passage(id="c1", text=HARD_TEXT, doc="note", score=0.1),),
        reranked=(),
        context=(Passage(id="c1"),),
        answer=HARD_TEXT,
        meta={"nested": [None, {"a": None, "b": 1.5}], "none": None},
    )
    bare = Case(question=Question(id="q2", text="b"), has_output=False)
    results = (
        CaseResult(
            case=full, outcomes={"f": Scored(value=1 / 3, bounds=(0.0, 1.0), verdicts=(VERDICT,), notes=("n",))}
        ),
        CaseResult(case=bare, outcomes={"f": Undefined(because="missing_output")}),
        CaseResult(
            case=bare.model_copy(update={"question": Question(id="q3", text="c")}),
            outcomes={"f": Failed(stage="f", error="reply_unreadable", message="m", raw=HARD_TEXT)},
        ),
    )
    summary = MetricSummary(
        mean=1 / 3,
        scored=1,
        undefined={"missing_output": 1},
        failed={"reply_unreadable": 1},
        if_failed_were=(1 / 6, 2 / 3),
        contract="c",
    )
    empty = summary.model_copy(update={"mean": None, "scored": 0, "if_failed_were": None})
    call = CallRecord(
        prompt="split_claims",
        version="v1",
        prompt_sha256="0",
        repeat=0,
        model_asked="m",
        model_returned=None,
        cached=False,
        attempts=2,
        latency_seconds=0.25,
        prompt_tokens=None,
        completion_tokens=7,
        cost_usd=None,
        result="ok",
    )
    manifest = RunManifest(
        whichhalf="0",
        created="2024-01-01T00:00:00+00:00",
        config={"triage": {"k": 5, "flags": None}},
        data={"golden": "1"},
        golden_set={"golden_set": "g"},
        prompts={"split_claims/v1": "0"},
        judge={"model": "m", "endpoint": None},
        metrics={"f": "c"},
        notices=(HARD_TEXT,),
    )
    return Run(manifest, results, {"f": summary, "g": empty}, Cost(judge_calls=2), (call,))


def labelled(one: str = "q1") -> FlaggedAnswer:
    diagnosis = Diagnosis(
        half="retrieval",
        reason="not_retrieved",
        basis="labels",
        text=HARD_TEXT,
        lost=(LostPassage(passage="c1", lost="not_retrieved", ranks={"retrieved": None, "context": 2}),),
        rule="default",
        thresholds={"k": 5},
    )
    return FlaggedAnswer(flag=Flag(id=one, note=HARD_TEXT), diagnosis=diagnosis)


def strict(text: str) -> Any:
    def refuse(name: str) -> object:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


WHOLE = ["calls.jsonl", "cases.jsonl", "manifest.json", "summary.json"]


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    """bug-218: words such as NaN in a text stay as they are."""
    write_run(a_run(), tmp_path / "out" / "run")
    assert read_run(tmp_path / "out" / "run") == a_run()
    assert names(tmp_path / "out") == ["run"]
    assert names(tmp_path / "out" / "run") == WHOLE


def test_every_line_is_strict_json_in_utf_8(tmp_path: Path) -> None:
    """bug-217, bug-206"""
    write_run(a_run(), tmp_path / "run", [labelled()])
    assert names(tmp_path / "run") == [*WHOLE, "triage.jsonl"]
    for path in (tmp_path / "run").iterdir():
        text = path.read_bytes().decode("utf-8")
        assert text.endswith("\n")
        assert "\r" not in text
        for part in text.split("\n")[:-1] if path.suffix == ".jsonl" else [text]:
            assert isinstance(strict(part), dict)
    summary = strict((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    assert list(summary) == ["metrics", "slices", "curves", "judge_noise", "triage", "cost"]
    assert summary["metrics"]["g"]["mean"] is None
    assert summary["metrics"]["f"]["if_failed_were"] == [1 / 6, 2 / 3]
    assert summary["triage"] == {"retrieval": 1, "generation": 0, "manual": 0}
    assert summary["cost"]["usd"] is None


def test_a_labelled_answer_is_read_back(tmp_path: Path) -> None:
    write_run(a_run(), tmp_path / "run", [labelled()])
    text = (tmp_path / "run" / "triage.jsonl").read_text(encoding="utf-8")
    assert FlaggedAnswer.model_validate_json(text) == labelled()


@pytest.mark.parametrize(
    ("triage", "counts"),
    [(None, {}), ([], {"retrieval": 0, "generation": 0, "manual": 0})],
    ids=["not asked for", "nobody flagged"],
)
def test_no_labels(tmp_path: Path, triage: list[FlaggedAnswer] | None, counts: dict[str, int]) -> None:
    write_run(a_run(), tmp_path / "run", triage)
    assert strict((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))["triage"] == counts
    assert (tmp_path / "run" / "triage.jsonl").exists() is (triage is not None)


def test_an_existing_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "mine.txt").write_text("keep", encoding="utf-8")
    with pytest.raises(InputError, match="already exists"):
        write_run(a_run(), folder)
    assert names(folder) == ["mine.txt"]


def crash(*_: object) -> None:
    raise OSError("the disk is full")


def crash_at(call: int) -> Callable[[object], None]:
    calls: list[object] = []

    def fsync(file: object) -> None:
        calls.append(file)
        if len(calls) == call:
            raise OSError("the disk is full")

    return fsync


CRASHES: dict[str, tuple[str, Callable[..., None]]] = {
    "at the first file": ("os.fsync", crash),
    "at the last file": ("os.fsync", crash_at(4)),
    "when a file gets its name": ("pathlib.Path.replace", crash),
    "when the folder gets its name": ("pathlib.Path.rename", crash),
}


@pytest.mark.parametrize(("what", "action"), CRASHES.values(), ids=CRASHES.keys())
def test_a_crash_leaves_no_folder_and_the_next_write_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, action: Callable[..., None]
) -> None:
    """bug-151, bug-153"""
    with monkeypatch.context() as patched:
        patched.setattr(what, action)
        with pytest.raises(OSError, match="the disk is full"):
            write_run(a_run(), tmp_path / "run")
    assert names(tmp_path) == []
    write_run(a_run(), tmp_path / "run")
    assert read_run(tmp_path / "run") == a_run()
    assert names(tmp_path) == ["run"]


def test_what_a_killed_process_left_is_not_in_the_way(tmp_path: Path) -> None:
    """bug-152"""
    left = tmp_path / f".run.{os.getpid()}.partial"
    left.mkdir()
    (left / "cases.jsonl").write_text("half a li", encoding="utf-8")
    write_run(a_run(), tmp_path / "run")
    assert names(tmp_path) == ["run"]
    assert names(tmp_path / "run") == WHOLE
    assert read_run(tmp_path / "run") == a_run()


def test_a_folder_that_another_process_finished_first_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = Path.rename

    def too_late(partial: Path, folder: Path) -> Path:
        folder.mkdir()
        (folder / "theirs.txt").write_text("keep", encoding="utf-8")
        return rename(partial, folder)

    with monkeypatch.context() as patched:
        patched.setattr("pathlib.Path.rename", too_late)
        with pytest.raises(InputError, match="already exists"):
            write_run(a_run(), tmp_path / "run")
    assert names(tmp_path) == ["run"]
    assert names(tmp_path / "run") == ["theirs.txt"]


def test_the_summary_is_replaced_in_one_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash in the middle of a second triage leaves the summary of the first, whole."""
    folder = tmp_path / "run"
    write_run(a_run(), folder, [labelled()])
    before = (folder / "summary.json").read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", crash_at(2))
        with pytest.raises(OSError, match="the disk is full"):
            add_triage(folder, a_run(), [labelled(), labelled("q2")])
    assert (folder / "summary.json").read_bytes() == before
    assert read_run(folder) == a_run()
    add_triage(folder, a_run(), [labelled(), labelled("q2")])
    assert strict((folder / "summary.json").read_text(encoding="utf-8"))["triage"]["retrieval"] == 2
    assert len((folder / "triage.jsonl").read_bytes().splitlines()) == 2
    assert names(folder) == [*WHOLE, "triage.jsonl"]


def test_no_run_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_run(tmp_path / "none")
    assert str(caught.value) == f"{tmp_path / 'none'} is no run folder: it holds no manifest.json"


DAMAGE: dict[str, tuple[str, Callable[[str], str], int | None, str]] = {
    "a cut line": ("cases.jsonl", lambda text: text[:-40], 3, ""),
    "a value that is out of range": (
        "cases.jsonl",
        lambda text: text.replace('"value":0.33', '"value":7.33'),
        1,
        "outcomes.f.scored.value",
    ),
    "an outcome of no known kind": (
        "cases.jsonl",
        lambda text: text.replace('"kind":"scored"', '"kind":"guessed"', 1),
        1,
        "outcomes.f",
    ),
    "a bare NaN (bug-217)": ("calls.jsonl", lambda text: text.replace("0.25", "NaN"), 1, "latency_seconds"),
    "an unknown key": ("manifest.json", lambda text: text.replace('"created"', '"made"'), None, "created"),
    "no JSON": ("summary.json", lambda _: "summary", None, ""),
}


@pytest.mark.parametrize(("file", "change", "line", "field"), DAMAGE.values(), ids=DAMAGE.keys())
def test_damage_names_file_and_line(
    tmp_path: Path, file: str, change: Callable[[str], str], line: int | None, field: str
) -> None:
    path = tmp_path / "run" / file
    write_run(a_run(), tmp_path / "run")
    text = path.read_text(encoding="utf-8")
    assert change(text) != text
    path.write_text(change(text), encoding="utf-8", newline="\n")
    with pytest.raises(InputError) as caught:
        read_run(tmp_path / "run")
    [fault] = caught.value.faults
    assert (fault.file, fault.line, fault.field) == (str(path), line, field)
    is_cut = fault.message == "is cut off or damaged: no whole JSON"
    assert is_cut or fault.message.endswith("; it is damaged, or was written by another version")
    assert not re.search("Input|should|Unable|discriminator", fault.message), "no words of the library"


@pytest.mark.parametrize("file", ["manifest.json", "summary.json", "cases.jsonl", "calls.jsonl"])
def test_a_file_that_is_cut_off_is_called_so(tmp_path: Path, file: str) -> None:
    path = tmp_path / "run" / file
    write_run(a_run(), tmp_path / "run")
    text = path.read_text(encoding="utf-8").rstrip("\n")
    path.write_text(text[: len(text) - 2], encoding="utf-8")
    line = f":{text.count(chr(10)) + 1}" if file.endswith(".jsonl") else ""
    with pytest.raises(InputError) as caught:
        read_run(tmp_path / "run")
    assert str(caught.value) == f"{path}{line}: is cut off or damaged: no whole JSON"


def test_questions_that_are_gone_are_missed(tmp_path: Path) -> None:
    """A file cut off at the end of a line is JSON as before."""
    run = scored_run({"recall@5": [1.0, 0.5, 0.0]})
    write_run(replace(run, manifest=run.manifest.model_copy(update={"questions": 3})), tmp_path / "run")
    path = tmp_path / "run" / "cases.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:2]), encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_run(tmp_path / "run")
    assert str(caught.value) == f"{path}: is cut off or damaged: it holds 2 of 3 questions"


def test_a_file_that_is_gone_is_named(tmp_path: Path) -> None:
    write_run(a_run(), tmp_path / "run")
    (tmp_path / "run" / "cases.jsonl").unlink()
    with pytest.raises(InputError) as caught:
        read_run(tmp_path / "run")
    assert str(caught.value) == f"{tmp_path / 'run' / 'cases.jsonl'}: the file does not exist"
