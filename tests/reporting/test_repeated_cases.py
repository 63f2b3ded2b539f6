"""What a mean over repeats hides: a case that always fails, and cases that the judge cannot settle."""

import io
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console

from page_reader import read_page
from run_makers import a_run, failed, refused
from whichhalf.core.outcome import Outcome, Scored
from whichhalf.core.run import JudgeNoise, RepeatedResult, Run
from whichhalf.reporting.repeated_cases import RepeatedCases, repeated_cases
from whichhalf.reporting.run_page import run_page
from whichhalf.reporting.summary_text import print_summary

NOISE = JudgeNoise(repeats=1, cases=1, lost=0, claims=0, flipped=0, flip_rate=None, low=None, high=None, deviation=0.0)


def repeated(*times: Sequence[float | Outcome]) -> Run:
    """Scores of q1, q2, … under faithfulness, in the run and in each repeat."""
    run = a_run({"faithfulness": times[0]})
    rows = [
        RepeatedResult(
            id=f"q{number}",
            repeat=repeat,
            outcomes={
                "faithfulness": one if isinstance(one, Scored) or not isinstance(one, float) else Scored(value=one)
            },
        )
        for repeat, values in enumerate(times[1:], start=1)
        for number, one in enumerate(values, start=1)
    ]
    return replace(run, repeated=tuple(rows), noise={"faithfulness": NOISE})


def test_bug_199_a_row_that_always_fails_is_listed() -> None:
    run = repeated(*[[0.0] + [1.0] * 19] * 10)
    assert run.metrics["faithfulness"].mean == 0.95
    assert repeated_cases(run) == (RepeatedCases("faithfulness", (), 0, ("q1",), ()),)
    told = io.StringIO()
    print_summary(Console(file=told, width=120), run, "night")
    assert "faithfulness: 0 every time: q1" in told.getvalue()
    assert "faithfulness: 0 every time: q1" in " ".join(read_page(run_page("night", run)).text.split())


def test_the_scores_furthest_apart_come_first_and_lost_ones_are_no_zero() -> None:
    run = repeated([0.5, 1.0, failed(), failed(), 0.0, refused()], [0.75, 0.0, 0.5, failed(), failed(), refused()])
    moved = (("q2", (1.0, 0.0)), ("q1", (0.5, 0.75)))
    assert repeated_cases(run) == (RepeatedCases("faithfulness", moved, 2, (), ("q4",)),)
    shown = " ".join(read_page(run_page("night", run)).text.split())
    assert "moved most, of 2 that moved: q2 (1.000, 0.000), q1 (0.500, 0.750)" in shown
    assert "faithfulness: failed every time: q4" in shown


def test_five_are_named_and_all_are_counted() -> None:
    (only,) = repeated_cases(repeated([0.5] * 7, [0.0] * 7))
    assert ([case for case, _ in only.moved], only.all_moved) == (["q1", "q2", "q3", "q4", "q5"], 7)


def test_a_steady_judge_leaves_nothing_to_tell() -> None:
    assert repeated_cases(repeated([1.0, 0.5], [1.0, 0.5])) == ()
    assert repeated_cases(a_run({"faithfulness": [0.5]})) == ()
