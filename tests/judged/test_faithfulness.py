"""Faithfulness, down to every degenerate row of its definition."""

import pytest

from judge_replies import asked_prompts, case, passages, split, tables, verdict, verdicts
from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.metric import MetricName
from whichhalf.core.outcome import Failed, Scored, Undefined
from whichhalf.errors import ReplyCut
from whichhalf.judged.faithfulness import FAITHFULNESS
from whichhalf.judged.family import JudgedMetric
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.running.score_case import score_case

CONTEXT = passages("The fee is 12 EUR.", "It renews yearly.")
FOUR = [f"Claim {number} holds." for number in range(1, 5)]
ANSWER = " ".join(FOUR)


def faithfulness(judge: ScriptedJudge, no_claims: str | None = None) -> JudgedMetric:
    options = (("no_claims", no_claims),) if no_claims else ()
    return JudgedMetric(FAITHFULNESS, MetricName("faithfulness", options), tables(judge))


def test_three_of_four_claims_supported() -> None:
    supported = [verdict(number, "supported", (1, "The fee is 12 EUR")) for number in (1, 2, 4)]
    judge = ScriptedJudge([split(*FOUR), verdicts(*supported, verdict(3, "not_mentioned"))])
    outcome = faithfulness(judge).score(case(ANSWER, CONTEXT))
    assert isinstance(outcome, Scored)
    assert outcome.value == 0.75
    assert outcome.bounds is None
    assert [one.label for one in outcome.verdicts] == ["supported", "supported", "not_mentioned", "supported"]
    assert asked_prompts(judge) == ["split_claims", "verify_claims"]


def test_a_contradicted_claim_is_not_supported() -> None:
    judge = ScriptedJudge([split(FOUR[0]), verdicts(verdict(1, "contradicted", (1, "The fee is 12 EUR")))])
    outcome = faithfulness(judge).score(case(ANSWER, CONTEXT))
    assert isinstance(outcome, Scored)
    assert outcome.value == 0.0


def test_unsure_counts_as_not_supported_and_shows_its_bounds() -> None:
    bad = verdicts(verdict(1, "supported", (1, "The fee is 12 EUR")), verdict(2, "supported", (1, "forged words")))
    judge = ScriptedJudge([split(*FOUR[:2]), bad, bad])
    outcome = faithfulness(judge).score(case(ANSWER, CONTEXT))
    assert isinstance(outcome, Scored)
    assert (outcome.value, outcome.bounds) == (0.5, (0.5, 1.0))
    assert outcome.notes == ("1 of 2 verdicts unsure, counted as not supported",)


@pytest.mark.parametrize(
    ("given", "replies", "expected"),
    [
        (case(None, CONTEXT), [], Undefined(because="missing_output")),
        (case("  \n", CONTEXT), [], Undefined(because="missing_output")),
        (Case(question=Question(id="q", text="?"), has_output=False), [], Undefined(because="missing_output")),
        (case(ANSWER, None), [], Undefined(because="context_not_logged")),  # bug-049
        (case(ANSWER, CONTEXT), [split(refuses=True)], Undefined(because="refused")),  # bug-044, bug-045
        (case(ANSWER, ()), [split(refuses=True)], Undefined(because="refused")),  # bug-047
        (case(ANSWER, CONTEXT), [split()], Undefined(because="no_claims")),  # bug-131
    ],
    ids=["null answer", "blank answer", "no row", "context null", "refusal", "refusal without context", "no claims"],
)
def test_where_there_is_no_number(given: Case, replies: list[str], expected: Undefined) -> None:
    judge = ScriptedJudge(replies)
    assert faithfulness(judge).score(given) == expected
    assert len(judge.asked) == len(replies)


@pytest.mark.parametrize(
    "context", [(), (Passage(id="a", text=""), Passage(id="b", text="  \n"))], ids=["empty", "bug-050 blank"]
)
def test_claims_without_any_passage_are_0_and_the_judge_is_not_asked(context: tuple[Passage, ...]) -> None:
    judge = ScriptedJudge([split(*FOUR)])
    outcome = faithfulness(judge).score(case(ANSWER, context))
    assert isinstance(outcome, Scored)
    assert outcome.value == 0.0
    assert outcome.notes == ("no passage reached the model",)
    assert [one.label for one in outcome.verdicts] == ["not_mentioned"] * 4
    assert asked_prompts(judge) == ["split_claims"]


def test_no_claims_is_one_on_request_but_a_refusal_stays_undefined() -> None:
    outcome = faithfulness(ScriptedJudge([split()]), "one").score(case(ANSWER, CONTEXT))
    assert isinstance(outcome, Scored)
    assert outcome.value == 1.0
    refused = faithfulness(ScriptedJudge([split(refuses=True)]), "one").score(case(ANSWER, CONTEXT))
    assert refused == Undefined(because="refused")


def test_a_lost_reply_is_failed_with_its_own_reason_and_the_raw_text() -> None:
    judge = ScriptedJudge([split(*FOUR), ReplyCut("the reply ended at the token limit", raw='{"verdicts": [')])
    outcome = score_case(case(ANSWER, CONTEXT), [faithfulness(judge)]).outcomes["faithfulness"]
    assert outcome == Failed(
        stage="faithfulness",
        error="reply_cut",
        message="the reply ended at the token limit",
        raw='{"verdicts": [',
    )


def test_missing_verdicts_end_in_failed() -> None:
    judge = ScriptedJudge([split(*FOUR), verdicts(), verdicts()])
    outcome = score_case(case(ANSWER, CONTEXT), [faithfulness(judge)]).outcomes["faithfulness"]
    assert isinstance(outcome, Failed)
    assert outcome.error == "verdicts_missing"


def test_the_contract_says_what_no_claims_means() -> None:
    judge = ScriptedJudge([])
    assert "no claims = undefined" in faithfulness(judge).card.contract
    assert "no claims = one" in faithfulness(judge, "one").card.contract
    assert str(faithfulness(judge, "one").card.name) == "faithfulness(no_claims=one)"
