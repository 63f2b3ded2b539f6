"""Gates decide on unrounded numbers and on intervals, and never call too little green."""

from typing import Any

import pytest
from pydantic import ValidationError

from scored_runs import scored_run
from whichhalf.core.run import Run
from whichhalf.running.gate import (
    Baseline,
    Baselines,
    GateSettings,
    GateVerdict,
    check_gate_names,
    check_gates,
    deciding,
    in_full,
)

NO_BASELINE = Baseline(None, "no green night yet")


def one_verdict(gate: GateSettings, run: Run, baseline: Baseline = NO_BASELINE) -> GateVerdict:
    [verdict] = check_gates([gate], run, Baselines(baseline, baseline), coverage_floor=0.95, quantities={})
    return verdict


def test_numbers_are_compared_unrounded_and_printed_so_that_the_verdict_can_be_seen() -> None:
    run = scored_run({"faithfulness": [0.7966]})
    verdict = one_verdict(GateSettings(metric="faithfulness", min=0.8), run)
    assert verdict.verdict == "failed"
    assert "0.7966 < 0.8" in verdict.sentence
    nearly = scored_run({"faithfulness": [0.79999999]})
    verdict = one_verdict(GateSettings(metric="faithfulness", min=0.8), nearly)
    assert (verdict.verdict, "0.79999999 < 0.8" in verdict.sentence) == ("failed", True)


@pytest.mark.parametrize(
    ("gate", "word"),
    [
        ({"min": 0.5}, "passed"),
        ({"min": 0.5000001}, "failed"),
        ({"max": 0.5}, "passed"),
        ({"max": 0.4999999}, "failed"),
    ],
)
def test_a_mean_on_the_line_passes(gate: dict[str, Any], word: str) -> None:
    run = scored_run({"hallucination": [0.25, 0.75]})
    assert one_verdict(GateSettings(metric="hallucination", **gate), run).verdict == word


def test_nothing_scored_is_never_green() -> None:
    run = scored_run({"faithfulness": [None, None]})
    verdict = one_verdict(GateSettings(metric="faithfulness", min=0.0), run)
    assert verdict.verdict == "incomplete"
    assert "nothing was scored" in verdict.sentence


def test_under_the_coverage_floor_a_good_mean_does_not_count() -> None:
    run = scored_run({"faithfulness": [0.9] * 5 + [None] * 5})
    verdict = one_verdict(GateSettings(metric="faithfulness", min=0.8), run)
    assert verdict.verdict == "incomplete"
    assert "5 of 10 cases scored, under the coverage floor 0.95" in verdict.sentence
    own_floor = GateSettings(metric="faithfulness", min=0.8, coverage_floor=0.5)
    assert one_verdict(own_floor, run).verdict == "passed"


def test_a_gate_may_look_at_one_slice() -> None:
    run = scored_run({"recall@5[retrieved]": [1.0, 0.0, 1.0, 0.5]})
    rent = GateSettings(metric="recall@5", min=0.5, slice={"topic": "rent"})
    verdict = one_verdict(rent, run)
    assert verdict.verdict == "failed"
    assert "where topic = rent: 0.25 < 0.5 over 2 cases" in verdict.sentence
    assert one_verdict(GateSettings(metric="recall@5", min=1.0, slice={"topic": "salary"}), run).verdict == "passed"
    not_drawn = one_verdict(GateSettings(metric="recall@5", min=0.5, slice={"topic": "tea"}), run)
    assert not_drawn.verdict == "incomplete"
    assert not_drawn.sentence == "recall@5 where topic = tea: the run has none of these questions"


def test_a_drop_fails_when_it_is_real_and_larger_than_allowed() -> None:
    before = scored_run({"faithfulness": [1.0, 0.9, 0.8, 1.0] * 10})
    now = scored_run({"faithfulness": [0.8, 0.7, 0.6, 0.8] * 10})
    verdict = one_verdict(GateSettings(metric="faithfulness", max_drop=0.1), now, Baseline(before, "night-1"))
    assert verdict.verdict == "failed"
    assert "a real loss, larger than 0.1 (since night-1)" in verdict.sentence
    allowed = one_verdict(GateSettings(metric="faithfulness", max_drop=0.3), now, Baseline(before, "night-1"))
    assert (allowed.verdict, "within the 0.3 allowed" in allowed.sentence) == ("passed", True)


def test_one_changed_question_of_forty_is_no_drop() -> None:
    before = scored_run({"faithfulness": [1.0] * 40})
    now = scored_run({"faithfulness": [1.0] * 39 + [0.0]})
    verdict = one_verdict(GateSettings(metric="faithfulness", max_drop=0.0), now, Baseline(before, "night-1"))
    assert verdict.verdict == "passed"
    assert "could be chance" in verdict.sentence


def test_where_less_is_better_a_rise_is_the_loss() -> None:
    low, high = {"hallucination": [0.0, 0.1, 0.2, 0.1] * 10}, {"hallucination": [0.4, 0.5, 0.6, 0.5] * 10}
    gate = GateSettings(metric="hallucination", max_drop=0.1)
    worse = one_verdict(gate, scored_run(high), Baseline(scored_run(low), "n"))
    assert (worse.verdict, "rose by 0.4 over" in worse.sentence) == ("failed", True)
    better = one_verdict(gate, scored_run(low), Baseline(scored_run(high), "n"))
    assert (better.verdict, "no loss" in better.sentence) == ("passed", True)


def test_without_a_night_to_compare_with_a_drop_cannot_fail_and_says_so() -> None:
    run = scored_run({"faithfulness": [0.1, 0.1]})
    verdict = one_verdict(GateSettings(metric="faithfulness", max_drop=0.0), run)
    assert verdict.verdict == "not_compared"
    assert "no green night yet" in verdict.sentence


def test_another_judge_makes_judged_metrics_incomparable_and_leaves_arithmetic_alone() -> None:
    before = scored_run({"recall@5[retrieved]": [1.0] * 40, "faithfulness": [1.0] * 40})
    now = scored_run({"recall@5[retrieved]": [0.0] * 40, "faithfulness": [0.0] * 40})
    gates = [GateSettings(metric="recall@5", max_drop=0.1), GateSettings(metric="faithfulness", max_drop=0.1)]
    baselines = Baselines(arithmetic=Baseline(before, "n"), judged=Baseline(None, "since n changed: judge model"))
    found = check_gates(gates, now, baselines, coverage_floor=0.95, quantities={})
    assert [one.verdict for one in found] == ["failed", "not_compared"]


def test_only_questions_scored_in_both_nights_are_compared() -> None:
    before = scored_run({"faithfulness": [1.0] * 40})
    now = scored_run({"faithfulness": [1.0] * 39 + [None]})
    verdict = one_verdict(GateSettings(metric="faithfulness", max_drop=0.0), now, Baseline(before, "n"))
    assert "no loss over 39 questions" in verdict.sentence


def test_what_was_spent_has_a_gate_and_unknown_is_not_zero() -> None:
    run = scored_run({"faithfulness": [1.0]})
    gates = [GateSettings(metric="judge_calls", max=7), GateSettings(metric="usd", max=1.0)]
    calls, price = check_gates(
        gates,
        run,
        Baselines(NO_BASELINE, NO_BASELINE),
        coverage_floor=0.95,
        quantities={"judge_calls": 7.0, "usd": None},
    )
    assert (calls.verdict, calls.sentence) == ("passed", "judge_calls: 7 ≤ 7")
    assert (price.verdict, price.sentence) == ("incomplete", "usd: unknown for this run")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"metric": "faithfulness"}, "needs min, max or max_drop"),
        ({"metric": "usd", "min": 1.0}, "takes max only"),
        ({"metric": "f", "min": 0.5, "slice": {"a": "1", "b": "2"}}, "one tag and its value"),
        ({"metric": "f", "max_drop": -0.1}, "greater than or equal to 0"),
    ],
)
def test_a_gate_that_cannot_decide_is_refused(fields: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        GateSettings.model_validate(fields)


def test_names_and_slices_are_checked_before_anything_is_asked() -> None:
    gates = [GateSettings(metric="recall@5", min=0.5, slice={"topic": "tea"}), GateSettings(metric="bleu", min=0.5)]
    faults = check_gate_names(gates, ["recall@5[retrieved]"], {"topic": {"rent"}})
    assert faults == [
        "gate 1: no question has topic = 'tea'; there are rent",
        "gate 2: 'bleu' is not in this run; it has recall@5[retrieved]",
    ]


@pytest.mark.parametrize(("value", "text"), [(0.5, "0.5"), (1 / 3, repr(1 / 3)), (7.0, "7"), (0.7966, "0.7966")])
def test_numbers_in_full(value: float, text: str) -> None:
    assert in_full(value) == text


@pytest.mark.parametrize(
    ("value", "bound", "text"),
    [
        (0.9266666666666667, 0.85, "0.9267"),
        (0.849999, 0.85, "0.849999"),  # four decimals would say 0.85
        (0.85, 0.85, "0.85"),
        (1 / 3, 0.3333, "0.33333"),
        (0.30000000000000004, 0.3, "0.30000000000000004"),
    ],
)
def test_a_number_shows_on_which_side_of_the_bound_it_lies(value: float, bound: float, text: str) -> None:
    assert deciding(value, bound) == text


def test_a_gate_is_named_in_the_numbers_of_its_config() -> None:
    assert GateSettings(metric="judge_calls", max=500).name == "judge_calls max 500"
    assert GateSettings(metric="rr", min=0.9000001, max_drop=0.05).name == "rr min 0.9000001, max_drop 0.05"
