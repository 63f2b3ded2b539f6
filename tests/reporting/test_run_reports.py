"""A run as text and as JSON: a mean never stands without its counts."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from whichhalf.core.case import Case, Question
from whichhalf.core.diagnosis import Diagnosis
from whichhalf.core.outcome import Undefined
from whichhalf.core.run import CaseResult, Cost, MetricSummary, Run, RunManifest
from whichhalf.reporting.run_json import run_as_json
from whichhalf.reporting.run_words import coverage_in_words
from whichhalf.reporting.summary_text import print_summary
from whichhalf.reporting.triage_text import print_triage
from whichhalf.triage.flagged import Flag, FlaggedAnswer
from whichhalf.triage.label_flagged import Triage


def summary(**changes: Any) -> MetricSummary:
    facts: dict[str, Any] = {
        "mean": 0.5,
        "scored": 2,
        "undefined": {},
        "failed": {},
        "low": 0.0126,
        "high": 0.9874,
        "interval": "95 %, exact (Clopper–Pearson)",
        "if_failed_were": (0.5, 0.5),
        "contract": "meaning; conventions",
        **changes,
    }
    return MetricSummary(**facts)


def a_run(metrics: dict[str, MetricSummary], cost: Cost | None = None, **judge: Any) -> Run:
    manifest = RunManifest(
        whichhalf="0",
        created="2024-01-01T00:00:00+00:00",
        config={},
        data={},
        prompts={},
        judge=judge,
        metrics={name: one.contract for name, one in metrics.items()},
        notices=("a notice",),
    )
    case = Case(question=Question(id="q1", text="?"))
    outcomes = {name: Undefined(because="refused") for name in metrics}
    return Run(manifest, (CaseResult(case=case, outcomes=outcomes),), metrics, cost or Cost())


def printed(show: Any, *arguments: Any) -> str:
    file = io.StringIO()
    show(Console(file=file, width=200, highlight=False, markup=False, emoji=False), *arguments)
    return file.getvalue()


ROWS = {
    "all scored": (summary(), ["0.500", "0.013–0.987", "2", "–", "–"]),
    "nothing scored": (
        summary(mean=None, low=None, high=None, interval=None, scored=0, undefined={"refused": 2}, if_failed_were=None),
        ["–", "–", "0", "2", "refused", "–"],
    ),
    "some failed: the bounds stand beside the mean": (
        summary(failed={"reply_cut": 1, "reply_unreadable": 1}, if_failed_were=(0.25, 0.75)),
        ["0.500", "(0.250", "to", "0.750)", "0.013–0.987", "2", "–", "1", "reply_cut,", "1", "reply_unreadable"],
    ),
    "all failed": (
        summary(
            mean=None, low=None, high=None, interval=None, scored=0, failed={"reply_cut": 2}, if_failed_were=(0.0, 1.0)
        ),
        ["–", "(0.000", "to", "1.000)", "–", "0", "–", "2", "reply_cut"],
    ),
}


@pytest.mark.parametrize(("one", "row"), ROWS.values(), ids=ROWS.keys())
def test_a_row_of_the_summary(one: MetricSummary, row: list[str]) -> None:
    lines = printed(print_summary, a_run({"rr[retrieved]": one}), "demo").splitlines()
    assert ["rr[retrieved]", *row] in [line.split() for line in lines]
    assert "demo · 1 questions · no judge asked" in lines
    told = [line.strip() for line in lines if line.strip().startswith("interval of")]
    assert told == (["interval of rr[retrieved]: 95 %, exact (Clopper–Pearson)"] if one.interval else [])
    assert "  • a notice" in [line.rstrip() for line in lines]
    assert not any(line.startswith("Cost") for line in lines)


COSTS = {
    "unknown price": (
        Cost(judge_calls=3, cached=1, prompt_tokens=10, completion_tokens=None),
        "Cost: 3 judge calls, 1 answered from kept replies, 10 prompt tokens, price unknown",
    ),
    "known price": (
        Cost(judge_calls=3, prompt_tokens=10, completion_tokens=5, usd=0.25),
        "Cost: 3 judge calls, 0 answered from kept replies, 10 prompt tokens, 5 completion tokens, 0.2500 USD",
    ),
    "nothing called": (Cost(cached=9), "Cost: 0 judge calls, 9 answered from kept replies"),
}


@pytest.mark.parametrize(("cost", "line"), COSTS.values(), ids=COSTS.keys())
def test_cost(cost: Cost, line: str) -> None:
    run = a_run({"faithfulness": summary()}, cost, model="m\x1b[31m", is_baseline=False)
    lines = printed(print_summary, run, "demo").splitlines()
    assert lines[-1] == line
    assert "demo · 1 questions · judge m[31m" in lines


COVERAGE = {
    "failures": (
        summary(scored=7, failed={"reply_cut": 2, "judge_refused": 1}),
        "7 of 10 cases scored, under the coverage floor 0.95; lost: 2 reply_cut, 1 judge_refused",
    ),
    "missing outputs": (
        summary(scored=7, undefined={"missing_output": 1, "refused": 5}),
        "7 of 8 cases scored, under the coverage floor 0.95; lost: 1 missing_output",
    ),
}


@pytest.mark.parametrize(("one", "words"), COVERAGE.values(), ids=COVERAGE.keys())
def test_coverage_is_told_in_whole_numbers(one: MetricSummary, words: str) -> None:
    """bug-200: no rounding hides the difference."""
    assert coverage_in_words(one, 0.95) == words


def answer(one: str, half: Any, **flag: Any) -> FlaggedAnswer:
    diagnosis = Diagnosis(
        half=half, reason="because", basis="labels", text="A reason.", rule="default", thresholds={"k": 5}
    )
    return FlaggedAnswer(flag=Flag(id=one, **flag), diagnosis=diagnosis)


def test_run_json_is_strict_and_complete() -> None:
    """bug-217: what has no number is null."""
    run = a_run({"rr[retrieved]": summary(mean=None, scored=0, if_failed_were=None)})
    triage = Triage((answer("q1", "manual", note="n"),), ("q9",), fine=2)
    text = run_as_json(run, Path("runs") / "demo", triage)
    assert "NaN" not in text
    facts = json.loads(text)
    assert facts["metrics"]["rr[retrieved]"]["mean"] is None
    assert (facts["questions"], facts["judge"], facts["notices"]) == (1, {}, ["a notice"])
    assert (facts["triage"]["retrieval"], facts["triage"]["generation"], facts["triage"]["manual"]) == (0, 0, 1)
    assert facts["triage"]["unknown"] == ["q9"]
    [labelled] = facts["triage"]["answers"]
    assert (labelled["id"], labelled["note"], labelled["half"], labelled["reason"]) == ("q1", "n", "manual", "because")
    assert "triage" not in json.loads(run_as_json(run, Path("runs"), None))


def test_triage_text() -> None:
    triage = Triage(
        (answer("q1", "retrieval", note="n", by="Meera"), answer("q2", "manual", note="m")), ("q9",), fine=1
    )
    lines = [line.rstrip() for line in printed(print_triage, triage).splitlines()]
    assert "Which half failed? 2 answers marked wrong, 1 checked and found right" in lines
    assert [line.split()[:2] for line in lines if "█" in line] == [["retrieval", "1"], ["manual", "1"]]
    assert "  generation  0     the passages were there and the model misused them" in lines
    assert [line.split() for line in lines if line.strip().startswith(("Meera", "note"))] == [
        ["Meera:", "n"],
        ["note:", "m"],
    ]
    assert lines[-2:] == ["Rule: default (k 5).", "Flagged, but not in the run: q9"]


def test_triage_of_nothing() -> None:
    lines = printed(print_triage, Triage((), (), fine=0)).splitlines()
    assert "Which half failed? 0 answers marked wrong" in lines
