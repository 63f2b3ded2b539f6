"""Reference answers: several right ones, and one that is the answer itself."""

import json
from typing import Any

import pytest

from judge_replies import asked_prompts, case, passages, split, tables, verdict, verdicts
from whichhalf.catalogue import JUDGED
from whichhalf.core.case import Case
from whichhalf.core.metric import MetricName
from whichhalf.core.outcome import Outcome, Scored, Undefined
from whichhalf.judged.family import JudgedMetric
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import JudgeQuestion

ANSWER = "Fee is 12. Due in May."
FULL = "Fee is 12. Due in May. Pay by card."
HALF = "Fee is 12. Ask Anna. Ask Bert. Ask Carl."


def contained(question: JudgeQuestion[Any]) -> str:
    """Claims are sentences; a claim is supported by the passages that hold it word for word."""
    variables: Any = question.variables
    if question.prompt.name == "split_claims":
        return split(*[f"{one}." for one in variables["answer"].rstrip(".").split(". ") if one[:1].isupper()])
    rows = []
    for claim in variables["claims"]:
        places = [(one["number"], claim["text"]) for one in variables["passages"] if claim["text"] in one["text"]]
        rows.append(verdict(claim["number"], "supported" if places else "not_mentioned", *places))
    return verdicts(*rows)


def score(name: str, given: Case) -> tuple[Outcome, ScriptedJudge]:
    judge = ScriptedJudge(contained)
    return JudgedMetric(JUDGED[name], MetricName(name), tables(CachingJudge(judge))).score(given), judge


def value(name: str, given: Case) -> float:
    outcome, _ = score(name, given)
    assert isinstance(outcome, Scored)
    return outcome.value


@pytest.mark.parametrize("references", [(FULL, HALF), (HALF, FULL)], ids=["better first", "better last"])
@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("answer_precision", 1.0),
        ("answer_recall", 2 / 3),
        ("answer_correctness", 0.8),
        ("context_recall", 1.0),
        ("context_precision", 1.0),
        ("hallucination", 0.0),
        ("context_utilization", 2 / 3),
    ],
)
def test_the_reference_met_best_counts_whatever_the_order(
    references: tuple[str, ...], name: str, wanted: float
) -> None:
    context = passages("Fee is 12. Due in May. Pay by card.")
    assert value(name, case(ANSWER, context, reference_answers=references)) == pytest.approx(wanted)


def test_references_without_facts_or_words_do_not_count() -> None:
    given = case(ANSWER, passages("Fee is 12."), reference_answers=(" ", "well.", FULL))
    assert value("answer_recall", given) == pytest.approx(2 / 3)
    outcome, _ = score("answer_recall", case(ANSWER, passages("Fee is 12."), reference_answers=(" ", "well.")))
    assert outcome == Undefined(because="no_reference_claims")


def test_each_reference_is_split_once() -> None:
    judge = ScriptedJudge(contained)
    known = tables(CachingJudge(judge))
    given = case(ANSWER, passages(FULL), reference_answers=(FULL, HALF))
    for name in JUDGED:
        if name != "answer_relevance":
            JudgedMetric(JUDGED[name], MetricName(name), known).score(given)
    asked = [one.variables["answer"] for one in judge.asked if one.prompt.name == "split_claims"]
    assert sorted(str(one) for one in asked) == sorted([ANSWER, FULL, HALF])


@pytest.mark.parametrize("answer", [ANSWER, "fee is 12.  Due in\nMay", "**Fee is 12.** Due in May."])
@pytest.mark.parametrize("name", ["answer_precision", "answer_recall", "answer_correctness"])
def test_bug_088_the_reference_itself_is_right_without_a_judge(answer: str, name: str) -> None:  # bug-088
    outcome, judge = score(name, case(answer, None, reference_answers=(HALF, ANSWER)))
    assert isinstance(outcome, Scored)
    assert (outcome.value, judge.asked) == (1.0, [])


def test_an_identical_answer_needs_no_verdict_on_it() -> None:
    given = case(ANSWER, passages(FULL), reference_answers=(ANSWER,))
    for name in ("hallucination", "self_knowledge", "context_utilization"):
        outcome, judge = score(name, given)
        assert isinstance(outcome, Scored)
        against = [one.variables["passages"] for one in judge.asked if one.prompt.name == "verify_claims"]
        assert against == [[{"number": 1, "text": FULL}]] * len(against), "only the passages are asked about"
        assert outcome.value == (1.0 if name == "context_utilization" else 0.0)


def test_bug_087_unequal_claim_counts() -> None:  # bug-087
    given = case("Fee is 12. Due in May.", None, reference_answers=("Fee is 12. Due in May. Pay by card. Ask Anna.",))
    found = [value(name, given) for name in ("answer_precision", "answer_recall", "answer_correctness")]
    assert found == pytest.approx([1.0, 0.5, 2 / 3])


def test_bug_091_the_parts_give_the_whole() -> None:  # bug-091
    given = case("Fee is 12. Ask Anna. Due in June.", None, reference_answers=(FULL,))
    outcome, _ = score("answer_correctness", given)
    precision, recall = value("answer_precision", given), value("answer_recall", given)
    assert isinstance(outcome, Scored)
    assert outcome.value == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-12)
    assert outcome.notes == (f"answer_precision {precision:.4g}, answer_recall {recall:.4g}",)
    assert "harmonic mean of answer_precision and answer_recall" in JUDGED["answer_correctness"].meaning


def test_a_refusal_is_not_correct_and_costs_one_question() -> None:
    judge = ScriptedJudge([json.dumps({"refuses": True, "claims": []})] * 3)
    for name, wanted in (
        ("answer_correctness", Scored(value=0.0, notes=("the answer refuses",))),
        ("answer_recall", Scored(value=0.0, notes=("the answer refuses",))),
        ("answer_precision", Undefined(because="refused")),
    ):
        metric = JudgedMetric(JUDGED[name], MetricName(name), tables(judge))
        assert metric.score(case("No idea.", None, reference_answers=(FULL,))) == wanted
    assert asked_prompts(judge) == ["split_claims"] * 3
