"""Every row of the default rule's table, the textbook rule, and their order."""

from typing import Any

import pytest

from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.claim import Claim, Evidence, Label, Verdict
from whichhalf.core.diagnosis import Diagnosis
from whichhalf.core.outcome import Failed, Outcome, Scored, Undefined, WrittenQuestion
from whichhalf.triage.which_half_failed import which_half_failed

REFUSED = Undefined(because="refused")
FAILED = Failed(stage="faithfulness", error="judge_unreachable", message="no connection")
OFF_TOPIC_SKIPPED = "answer off topic: answer_relevance was not asked for"
INCOMPLETE_SKIPPED = "incomplete answer: context_utilization was not asked for"
SOURCES_SKIPPED = "stale or conflicting sources: not compared yet"


def scored(*labels: Label) -> Scored:
    verdicts = tuple(
        Verdict(claim=Claim(id=number, text=f"Claim {number}."), label=label)
        for number, label in enumerate(labels, start=1)
    )
    return Scored(value=labels.count("supported") / len(labels), verdicts=verdicts)


ALL_SUPPORTED = scored("supported", "supported")


def build(context: str | None = "n a", retrieved: str | None = "n a b", **question: Any) -> Case:
    def passages(text: str | None) -> tuple[Passage, ...] | None:
        return None if text is None else tuple(Passage(id=one, text=one) for one in text.split())

    asked = Question(**{"id": "q", "text": "?", "relevant": {"n": 1}, **question})
    return Case(question=asked, retrieved=passages(retrieved), context=passages(context), answer="An answer.")


def label(case: Case, outcome: Outcome | None = ALL_SUPPORTED, **options: Any) -> Diagnosis:
    return which_half_failed(case, {} if outcome is None else {"faithfulness": outcome}, **options)


NO_ANSWER: dict[str, Any] = {"relevant": {}, "answerable": False}
UNLABELLED: dict[str, Any] = {"relevant": {}}
REFERENCE: dict[str, Any] = {"relevant": {}, "reference_answers": ("It is 12.",)}
EVIDENCE_HERE = build()
EVIDENCE_LOST = build(context="a b")


@pytest.mark.parametrize(
    ("case", "outcome", "half", "reason"),
    [
        # 1: no answer in the corpus
        (build(**NO_ANSWER), ALL_SUPPORTED, "generation", "missed_refusal"),
        (build(**NO_ANSWER), scored("not_mentioned"), "generation", "missed_refusal"),
        (build(**NO_ANSWER), REFUSED, "manual", "refused_as_it_should"),
        (build(**NO_ANSWER), FAILED, "manual", "cannot_tell"),
        (build(**NO_ANSWER), None, "manual", "cannot_tell"),
        # 2: needed passages lost, whatever the answer says
        (EVIDENCE_LOST, ALL_SUPPORTED, "retrieval", "cut_by_context_limit"),
        (EVIDENCE_LOST, scored("contradicted"), "retrieval", "cut_by_context_limit"),
        (EVIDENCE_LOST, REFUSED, "retrieval", "cut_by_context_limit"),  # bug-237
        (EVIDENCE_LOST, FAILED, "retrieval", "cut_by_context_limit"),
        (build(context=None, retrieved="a b c d e n"), ALL_SUPPORTED, "retrieval", "ranked_below_cut"),
        (build(context="", retrieved=""), ALL_SUPPORTED, "retrieval", "not_retrieved"),  # bug-234
        (build(context="n", relevant={"n": 1, "m": 2}), ALL_SUPPORTED, "retrieval", "not_retrieved"),  # bug-243
        (build(context=None, retrieved=None), ALL_SUPPORTED, "manual", "cannot_tell"),
        # 2b, 2c: no labels
        (build(**REFERENCE), ALL_SUPPORTED, "manual", "cannot_tell"),
        (build(**UNLABELLED), ALL_SUPPORTED, "manual", "cannot_tell"),
        (build(**UNLABELLED), scored("contradicted"), "manual", "cannot_tell"),
        (build(relevant={"n": 0}), ALL_SUPPORTED, "manual", "cannot_tell"),
        # 3: refused with the evidence in hand
        (EVIDENCE_HERE, REFUSED, "generation", "false_refusal"),
        # 5: claims
        (EVIDENCE_HERE, scored("supported", "contradicted", "not_mentioned"), "generation", "contradicts_context"),
        (EVIDENCE_HERE, scored("supported", "not_mentioned"), "generation", "unsupported_claims"),
        (EVIDENCE_HERE, scored("supported", "unsure"), "generation", "unsupported_claims"),
        (EVIDENCE_HERE, FAILED, "manual", "cannot_tell"),  # bug-241
        (EVIDENCE_HERE, Undefined(because="context_not_logged"), "manual", "cannot_tell"),
        (EVIDENCE_HERE, Undefined(because="missing_output"), "manual", "cannot_tell"),
        # 7: nothing found
        (EVIDENCE_HERE, ALL_SUPPORTED, "manual", "all_checks_passed"),
        (EVIDENCE_HERE, Undefined(because="no_claims"), "manual", "all_checks_passed"),
        (EVIDENCE_HERE, None, "manual", "all_checks_passed"),
    ],
)
def test_default_rule(case: Case, outcome: Outcome | None, half: str, reason: str) -> None:
    found = label(case, outcome)
    assert (found.half, found.reason) == (half, reason)


def test_judged_context_recall_stands_in_for_labels() -> None:
    outcomes: dict[str, Outcome] = {
        "faithfulness": ALL_SUPPORTED,
        "context_recall": scored("supported", "not_mentioned"),
    }
    found = which_half_failed(build(**REFERENCE), outcomes)
    assert (found.half, found.reason, found.basis) == ("retrieval", "facts_missing", "judged")
    assert [verdict.claim.id for verdict in found.verdicts] == [2]
    complete = which_half_failed(build(**REFERENCE), {**outcomes, "context_recall": scored("supported")})
    assert (complete.half, complete.reason) == ("manual", "all_checks_passed")
    lost = which_half_failed(build(**REFERENCE), {**outcomes, "context_recall": FAILED})
    assert (lost.half, lost.reason) == ("manual", "cannot_tell")
    assert "judge_unreachable" in lost.text


def test_facts_left_out_of_the_answer() -> None:
    outcomes: dict[str, Outcome] = {
        "faithfulness": ALL_SUPPORTED,
        "context_utilization": scored("supported", "not_mentioned"),
    }
    found = which_half_failed(EVIDENCE_HERE, outcomes)
    assert (found.half, found.reason, found.basis) == ("generation", "incomplete", "judged")
    assert found.text == "The passages held 1 fact that the answer leaves out: “Claim 2.”"
    whole: dict[str, Outcome] = {**outcomes, "context_utilization": scored("supported")}
    assert which_half_failed(EVIDENCE_HERE, whole).reason == "all_checks_passed"
    assert which_half_failed(EVIDENCE_HERE, {**outcomes, "context_utilization": FAILED}).reason == "cannot_tell"
    nothing: dict[str, Outcome] = {**outcomes, "context_utilization": Undefined(because="nothing_to_use")}
    assert which_half_failed(EVIDENCE_HERE, nothing).reason == "all_checks_passed"


def test_later_findings_are_kept_as_also() -> None:
    found = label(EVIDENCE_LOST, scored("supported", "not_mentioned"))
    assert [(one.half, one.reason) for one in found.also] == [("generation", "unsupported_claims")]
    assert [verdict.claim.id for verdict in found.also[0].verdicts] == [2]
    unlabelled = label(build(**UNLABELLED), scored("contradicted"))
    assert [one.reason for one in unlabelled.also] == ["contradicts_context"]


def test_a_refusal_for_want_of_evidence_is_no_false_refusal() -> None:
    assert label(EVIDENCE_LOST, REFUSED).also == ()


def test_labels_carry_their_evidence() -> None:
    lost = label(EVIDENCE_LOST)
    assert lost.basis == "labels"
    assert [(one.passage, one.ranks) for one in lost.lost] == [("n", {"retrieved": 1, "context": None})]
    assert lost.text == (
        "Needed, but not seen by the model: n (retrieved rank 1), ranked high enough, yet not in the context."
    )
    wrong = label(EVIDENCE_HERE, scored("contradicted", "supported", "contradicted"))
    assert wrong.basis == "judged"
    assert wrong.text == "The passages contradict 2 claims: “Claim 1.” · “Claim 3.”"


def test_lost_passages_are_told_by_place() -> None:
    needed = {"x": 1, "y": 1, "n": 1}
    found = label(build(retrieved="a b c d e n", context="a b c d e", relevant=needed))
    assert found.text == (
        "Needed, but not seen by the model: x, y, not returned by the search; "
        "n (retrieved rank 6), ranked below the cut."
    )


def test_a_contradicted_claim_is_shown_beside_the_words_against_it() -> None:
    against = Verdict(
        claim=Claim(id=1, text="It takes 60 days."),
        label="contradicted",
        evidence=(Evidence(passage="n", quote="within 45 days", start=0),),
    )
    found = label(EVIDENCE_HERE, Scored(value=0.0, verdicts=(against,)))
    assert found.text == "The passages contradict 1 claim: “It takes 60 days.” (n says “within 45 days”)"


def test_checks_without_their_metric_are_listed_as_skipped() -> None:
    assert label(EVIDENCE_HERE).skipped == (SOURCES_SKIPPED, OFF_TOPIC_SKIPPED, INCOMPLETE_SKIPPED)
    assert label(EVIDENCE_HERE, None).skipped == (
        SOURCES_SKIPPED,
        "unsupported claims: faithfulness was not asked for",
        OFF_TOPIC_SKIPPED,
        INCOMPLETE_SKIPPED,
    )


def test_cannot_tell_names_the_metric_and_why() -> None:
    assert label(EVIDENCE_HERE, FAILED).text == "No faithfulness (judge_unreachable) clears the answer."


def test_the_floor_is_a_setting_printed_with_the_label() -> None:
    half = scored("supported", "not_mentioned")
    assert label(EVIDENCE_HERE, half, faithfulness_floor=0.5).reason == "all_checks_passed"
    assert label(EVIDENCE_HERE, half, faithfulness_floor=0.5, k=3).thresholds == {"k": 3, "faithfulness_floor": 0.5}
    assert label(EVIDENCE_HERE).thresholds == {"k": 5, "faithfulness_floor": 1.0}
    assert label(EVIDENCE_HERE, rule="textbook").thresholds == {"k": 5, "faithfulness_floor": 0.8}


def test_options_in_the_metric_name_do_not_hide_it() -> None:
    found = which_half_failed(EVIDENCE_HERE, {"faithfulness(no_claims=one)": scored("not_mentioned")})
    assert found.reason == "unsupported_claims"


FOUR_OF_FIVE = scored("supported", "supported", "supported", "supported", "not_mentioned")
THREE_OF_FOUR = scored("supported", "supported", "supported", "not_mentioned")


@pytest.mark.parametrize(
    ("case", "outcome", "half", "reason"),
    [
        (build(**NO_ANSWER), ALL_SUPPORTED, "manual", "no_answer_question"),
        (build(**UNLABELLED), ALL_SUPPORTED, "manual", "no_answer_question"),
        (build(retrieved="a b c d e n", context="n"), ALL_SUPPORTED, "retrieval", "recall_below_1"),
        (build(retrieved="n", relevant={"n": 1, "m": 1}), ALL_SUPPORTED, "retrieval", "recall_below_1"),
        (build(retrieved="a b c d n", context="a"), ALL_SUPPORTED, "manual", "check_by_hand"),
        (EVIDENCE_HERE, THREE_OF_FOUR, "generation", "faithfulness_below_floor"),
        (EVIDENCE_HERE, FOUR_OF_FIVE, "manual", "check_by_hand"),
        (EVIDENCE_HERE, REFUSED, "manual", "check_by_hand"),
        (EVIDENCE_HERE, Undefined(because="no_claims"), "manual", "check_by_hand"),
        (EVIDENCE_HERE, FAILED, "manual", "cannot_tell"),
        (EVIDENCE_HERE, None, "manual", "check_by_hand"),
        (build(retrieved=None), ALL_SUPPORTED, "manual", "cannot_tell"),
    ],
)
def test_textbook_rule(case: Case, outcome: Outcome | None, half: str, reason: str) -> None:
    found = label(case, outcome, rule="textbook")
    assert (found.half, found.reason, found.rule) == (half, reason, "textbook")


def test_the_textbook_says_which_passages_are_missing() -> None:
    found = label(build(retrieved="n", relevant={"n": 1, "m": 1}), rule="textbook")
    assert found.text == "recall@5 is 0.5: m not among the first 5 retrieved."


def written(*evasive: bool) -> Scored:
    return Scored(
        value=0.0,
        questions=tuple(WrittenQuestion(text=f"{number}?", evasive=one) for number, one in enumerate(evasive)),
    )


@pytest.mark.parametrize(
    ("relevance", "reason"),
    [
        (written(True, True, False), "off_topic"),
        (written(True, False), "all_checks_passed"),
        (written(False, False, False), "all_checks_passed"),  # a low cosine alone is no proof
        (Scored(value=0.0), "all_checks_passed"),
        (Undefined(because="no_answer_question"), "all_checks_passed"),
        (Failed(stage="embedding", error="embedding", message="zeros"), "cannot_tell"),
    ],
    ids=["most evasive", "half evasive", "low cosine", "refusal", "undefined", "failed"],
)
def test_an_answer_that_evades_the_question(relevance: Outcome, reason: str) -> None:
    outcomes: dict[str, Outcome] = {"faithfulness": ALL_SUPPORTED, "answer_relevance(questions=5)": relevance}
    found = which_half_failed(EVIDENCE_HERE, outcomes)
    assert found.reason == reason
    if reason == "off_topic":
        assert (found.half, found.basis) == ("generation", "judged")
        assert found.text == "The answer is evasive on 2 of 3 questions that were written from it."
    if reason == "cannot_tell":
        assert found.text == "No answer_relevance (embedding) tells whether it replies at all."
