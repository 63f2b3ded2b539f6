"""Every situation of the definitions in which a number could silently be a 0, under every judged metric."""

from typing import Any

import pytest

from judge_replies import FixedEmbedder, case, passages, questions, split, tables, verdict, verdicts
from whichhalf.catalogue import JUDGED
from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.metric import MetricName
from whichhalf.core.outcome import Failed, Outcome, Scored, Undefined
from whichhalf.errors import ContextTooLong, JudgeError, JudgeRefused, JudgeUnreachable, ReplyCut
from whichhalf.judged.family import JudgedMetric
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import JudgeQuestion
from whichhalf.running.score_case import score_case

CONTEXT = passages("The fee is 12 EUR.", "It renews yearly.")
REFERENCE = {"reference_answers": ("The right fee is 12 EUR.",)}
GROUPS = {
    "faithfulness": ("faithfulness",),
    "conflict": ("context_conflict",),
    "relevance": ("answer_relevance",),
    "context": ("context_precision", "context_precision_ranked", "context_recall"),
    "answer_precision": ("answer_precision",),
    "recall_and_f1": ("answer_recall", "answer_correctness"),
    "noise": ("hallucination", "self_knowledge", "noise_sensitivity_relevant", "noise_sensitivity_irrelevant"),
    "utilization": ("context_utilization",),
    "refusal_rate": ("refusal_rate",),
    "no_answer_accuracy": ("no_answer_accuracy",),
}


def judge(*, refuses: bool = False, claims: bool = True, facts: bool = True, label: str = "supported") -> ScriptedJudge:
    """Replies alike to every question: one claim, one fact, one label."""

    def reply(question: JudgeQuestion[Any]) -> str:
        variables: Any = question.variables
        if question.prompt.name == "write_questions":
            return questions("What is the fee?")
        if question.prompt.name == "split_claims":
            is_reference = variables["answer"].startswith("The right")
            if is_reference or not refuses:
                return split(*[variables["answer"]] * (facts if is_reference else claims))
            return split(refuses=True)
        places = [] if label == "not_mentioned" else [(1, variables["passages"][0]["text"])]
        return verdicts(*(verdict(one["number"], label, *places) for one in variables["claims"]))

    return ScriptedJudge(reply)


def outcomes(given: Case, asked: ScriptedJudge) -> dict[str, Outcome]:
    known = tables(CachingJudge(asked), embedder=FixedEmbedder())
    return score_case(
        given, [JudgedMetric(family, MetricName(name), known) for name, family in JUDGED.items()]
    ).outcomes


def answered(answer: str | None = "The fee is 12 EUR.", context: Any = CONTEXT, **question: Any) -> Case:
    return case(answer, context, **(question or REFERENCE))


NO_ANSWER: dict[str, Any] = {"answerable": False}
SITUATIONS: dict[str, tuple[Case, ScriptedJudge, dict[str, float | str]]] = {
    "all is well": (
        answered(),
        judge(),
        {
            **dict.fromkeys(GROUPS, 1.0),
            "conflict": 0.0,
            "context": 0.5,
            "noise": 0.0,
            "refusal_rate": 0.0,
            "no_answer_accuracy": "answerable_question",
        },
    ),
    "no claims, not a refusal": (
        answered("Good question!"),
        judge(claims=False),
        {
            **dict.fromkeys(GROUPS, "no_claims"),
            "context": 0.5,
            "relevance": 1.0,
            "refusal_rate": 0.0,
            "no_answer_accuracy": "answerable_question",
        },
    ),
    "the answer refuses": (
        answered("No idea."),
        judge(refuses=True),
        {
            **dict.fromkeys(GROUPS, "refused"),
            "context": 0.5,
            "relevance": 0.0,
            "recall_and_f1": 0.0,
            "refusal_rate": 1.0,
            "no_answer_accuracy": "answerable_question",
        },
    ),
    "claims, but no passage": (
        answered(context=()),
        judge(),
        {
            **dict.fromkeys(GROUPS, 1.0),
            "faithfulness": 0.0,
            "conflict": 0.0,
            "context": 0.0,
            "noise": 0.0,  # but self_knowledge, below
            "utilization": "nothing_to_use",
            "refusal_rate": 0.0,
            "no_answer_accuracy": "answerable_question",
        },
    ),
    "context not logged": (
        answered(context=None),
        judge(),
        {
            **dict.fromkeys(GROUPS, "context_not_logged"),
            "relevance": 1.0,
            "answer_precision": 1.0,
            "recall_and_f1": 1.0,
            "refusal_rate": 0.0,
            "no_answer_accuracy": "answerable_question",
        },
    ),
    "no reference answer": (
        answered(reference_answers=()),
        judge(),
        {
            **dict.fromkeys(GROUPS, "no_reference_answer"),
            "faithfulness": 1.0,
            "conflict": 0.0,
            "relevance": 1.0,
            "refusal_rate": 0.0,
            "no_answer_accuracy": "answerable_question",
        },
    ),
    "a blank reference answer": (
        answered(reference_answers=("  \n",)),
        judge(),
        {
            **dict.fromkeys(GROUPS, "no_reference_answer"),
            "faithfulness": 1.0,
            "conflict": 0.0,
            "relevance": 1.0,
            "refusal_rate": 0.0,
            "no_answer_accuracy": "answerable_question",
        },
    ),
    "a reference answer without facts": (
        answered(),
        judge(facts=False),
        {
            **dict.fromkeys(GROUPS, "no_reference_claims"),
            "faithfulness": 1.0,
            "conflict": 0.0,
            "relevance": 1.0,
            "refusal_rate": 0.0,
            "no_answer_accuracy": "answerable_question",
        },
    ),
    "no reference fact in the passages": (
        answered(),
        judge(label="not_mentioned"),
        {
            **dict.fromkeys(GROUPS, 0.0),
            "relevance": 1.0,
            "utilization": "nothing_to_use",  # hallucination, below
            "no_answer_accuracy": "answerable_question",
        },
    ),
    "no answer in the corpus, and one given": (
        answered(**NO_ANSWER),
        judge(),
        {
            **dict.fromkeys(GROUPS, "no_answer_question"),
            "faithfulness": 1.0,
            "conflict": 0.0,
            "no_answer_accuracy": 0.0,
        },
    ),
    "no answer in the corpus, and refused": (
        answered("No idea.", **NO_ANSWER),
        judge(refuses=True),
        {
            **dict.fromkeys(GROUPS, "no_answer_question"),
            "faithfulness": "refused",
            "conflict": "refused",
            "no_answer_accuracy": 1.0,
        },
    ),
    "no row": (
        Case(question=Question(id="q", text="?", reference_answers=("The right fee.",)), has_output=False),
        judge(),
        dict.fromkeys(GROUPS, "missing_output"),
    ),
    "no answer given": (
        answered(None),
        judge(),
        {**dict.fromkeys(GROUPS, "missing_output"), "context": 0.5},
    ),
}
EXCEPTIONS = {
    ("claims, but no passage", "self_knowledge"): 1.0,
    ("no reference fact in the passages", "hallucination"): 1.0,
}
ROWS = [
    (situation, name, EXCEPTIONS.get((situation, name), SITUATIONS[situation][2][group]))
    for situation in SITUATIONS
    for group, names in GROUPS.items()
    for name in names
]
RANKED = {0.5: 1.0}
"""Of two passages the first is useful: half of them, and all ranks right."""


def test_every_metric_is_in_the_table() -> None:
    assert sorted(name for names in GROUPS.values() for name in names) == sorted(JUDGED)


@pytest.mark.parametrize(("situation", "name", "wanted"), ROWS)
def test_each_metric_in_each_situation(situation: str, name: str, wanted: float | str) -> None:
    given, asked, _ = SITUATIONS[situation]
    outcome = outcomes(given, asked)[name]
    if isinstance(wanted, str):
        assert isinstance(outcome, Undefined)
        assert outcome.because == wanted
        return
    assert isinstance(outcome, Scored)
    doubled = name in ("context_precision_ranked", "context_recall")
    assert outcome.value == (RANKED.get(wanted, wanted) if doubled else wanted)


@pytest.mark.parametrize("context", [(), (Passage(id="a", text=" "), Passage(id="b", text="\n"))], ids=["[]", "blank"])
def test_without_passages_nothing_is_asked_of_the_context(context: tuple[Passage, ...]) -> None:  # bug-079
    asked = judge()
    for name in GROUPS["context"]:
        outcome = JudgedMetric(JUDGED[name], MetricName(name), tables(asked)).score(answered(context=context))
        assert outcome == Scored(value=0.0, notes=("no passage reached the model",))
    assert asked.asked == []


LOST = [
    (JudgeRefused("no"), "judge_refused"),
    (ReplyCut("cut", raw="{"), "reply_cut"),
    (JudgeUnreachable("down"), "judge_unreachable"),
    (ContextTooLong("long"), "context_too_long"),
]


@pytest.mark.parametrize("name", JUDGED)
@pytest.mark.parametrize(("error", "word"), LOST, ids=[word for _, word in LOST])
def test_a_lost_reply_is_failed_under_every_metric(name: str, error: JudgeError, word: str) -> None:
    given = answered(**NO_ANSWER) if name == "no_answer_accuracy" else answered()
    metric = JudgedMetric(JUDGED[name], MetricName(name), tables(ScriptedJudge([error] * 9)))
    outcome = score_case(given, [metric]).outcomes[name]
    assert isinstance(outcome, Failed)
    assert (outcome.error, outcome.raw) == (word, error.raw)


@pytest.mark.parametrize("name", [name for name in JUDGED if "verify_claims" in JUDGED[name].prompts])
def test_verdicts_still_missing_are_failed_under_every_metric(name: str) -> None:  # bug-246
    def reply(question: JudgeQuestion[Any]) -> str:
        return split("The fee is 12 EUR.", "It renews") if question.prompt.name == "split_claims" else verdicts()

    given = case("The fee is 12 EUR. It renews.", CONTEXT, reference_answers=("The fee is 12 EUR. It renews, yes.",))
    outcome = score_case(given, [JudgedMetric(JUDGED[name], MetricName(name), tables(ScriptedJudge(reply)))])
    failed = outcome.outcomes[name]
    assert isinstance(failed, Failed)
    assert failed.error == "verdicts_missing"
