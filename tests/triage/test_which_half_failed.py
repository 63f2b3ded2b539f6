"""Every row of the default rule's table, the textbook rule, and their order."""

from typing import Any

import pytest

from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.claim import Claim, Evidence, Label, Verdict
from whichhalf.core.diagnosis import Diagnosis
from whichhalf.core.outcome import Failed, Outcome, Scored, Undefined, WrittenQuestion
from whichhalf.core.text_hash import text_hash
from whichhalf.triage.which_half_failed import which_half_failed

REFUSED = Undefined(because="refused")
FAILED = Failed(stage="faithfulness", error="judge_unreachable", message="no connection")
OFF_TOPIC_SKIPPED = "answer off topic: answer_relevance was not asked for"
INCOMPLETE_SKIPPED = "incomplete answer: context_utilization was not asked for"
STALE_SKIPPED = "stale source: the golden set holds no hashes of the labelled passages"
CONFLICT_SKIPPED = "conflicting passages: context_conflict was not asked for"
CLAIMS_SKIPPED = "unsupported claims: faithfulness was not asked for"
MISLED_SKIPPED = "misled by a passage: noise_sensitivity_irrelevant was not asked for"


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
    assert found.text == (
        "The passages contradict 1 claim, in a number alone: “It takes 60 days.” (n says “within 45 days”)"
    )
    assert (found.reason, found.detail) == ("contradicts_context", "numbers_differ")


def test_checks_without_their_metric_are_listed_as_skipped() -> None:
    later = (MISLED_SKIPPED, OFF_TOPIC_SKIPPED, INCOMPLETE_SKIPPED)
    assert label(EVIDENCE_HERE).skipped == (STALE_SKIPPED, CONFLICT_SKIPPED, *later)
    assert label(EVIDENCE_HERE, None).skipped == (
        "false refusal: faithfulness was not asked for",
        STALE_SKIPPED,
        CONFLICT_SKIPPED,
        CLAIMS_SKIPPED,
        *later,
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


def verdict(number: int, label: Label, passage: str, quote: str) -> Verdict:
    evidence = (Evidence(passage=passage, quote=quote, start=0),)
    return Verdict(claim=Claim(id=number, text=f"Claim {number}."), label=label, evidence=evidence)


CONFLICT = (verdict(1, "supported", "n", "It is so"), verdict(1, "contradicted", "a", "It is not so"))


def test_passages_that_disagree_are_for_a_person() -> None:
    outcomes: dict[str, Outcome] = {
        "faithfulness": ALL_SUPPORTED,
        "context_conflict": Scored(value=0.5, verdicts=CONFLICT),
    }
    found = which_half_failed(EVIDENCE_HERE, outcomes)
    assert (found.half, found.reason, found.basis) == ("manual", "conflicting_passages", "judged")
    assert found.text == "The passages disagree: “Claim 1.” (n says “It is so”; yet a says “It is not so”)"
    with_another: dict[str, Outcome] = {**outcomes, "faithfulness": scored("supported", "contradicted")}
    assert which_half_failed(EVIDENCE_HERE, with_another).reason == "conflicting_passages"
    agreed: dict[str, Outcome] = {**outcomes, "context_conflict": Scored(value=0.0)}
    assert which_half_failed(EVIDENCE_HERE, agreed).reason == "all_checks_passed"
    lost = which_half_failed(EVIDENCE_HERE, {**outcomes, "context_conflict": FAILED})
    assert (lost.reason, lost.text) == (
        "cannot_tell",
        "No context_conflict (judge_unreachable) tells whether the passages agree.",
    )


def test_a_passage_without_a_reference_fact_misled_the_model() -> None:
    """bug-071: support from a passage about something else is no support."""
    misled = Scored(value=0.5, verdicts=(verdict(2, "supported", "a", "ten hours"),))
    outcomes: dict[str, Outcome] = {"faithfulness": ALL_SUPPORTED, "noise_sensitivity_irrelevant": misled}
    found = which_half_failed(EVIDENCE_HERE, outcomes)
    assert (found.half, found.reason, found.basis) == ("generation", "misled_by_passage", "judged")
    assert found.text == (
        "Passages without a fact of the reference answer led to 1 claim that it does not bear out: "
        "“Claim 2.” (a says “ten hours”)"
    )
    both: dict[str, Outcome] = {**outcomes, "faithfulness": scored("supported", "not_mentioned")}
    worse = which_half_failed(EVIDENCE_HERE, both)
    assert (worse.reason, [one.reason for one in worse.also]) == ("unsupported_claims", ["misled_by_passage"])
    nothing: dict[str, Outcome] = {**outcomes, "noise_sensitivity_irrelevant": Undefined(because="no_reference_answer")}
    unknown = which_half_failed(EVIDENCE_HERE, nothing)
    assert unknown.reason == "all_checks_passed"
    assert "misled by a passage: noise_sensitivity_irrelevant has no number (no_reference_answer)" in unknown.skipped


NOW = "The limit is Rs 60."
FROZEN: dict[str, Any] = {"relevant": {"n": 1}, "passage_sha256": {"n": text_hash("n")}}
REWRITTEN: dict[str, Any] = {"relevant": {"n": 1}, "passage_sha256": {"n": text_hash("The limit was Rs 50.")}}


def test_a_labelled_passage_whose_text_has_changed() -> None:
    found = label(build(**REWRITTEN))
    assert (found.half, found.reason, found.basis) == ("manual", "stale_source", "labels")
    assert found.text == "The text of n is no longer the one that was labelled: check the labels and the reference."
    assert label(build(**REWRITTEN), scored("contradicted")).reason == "stale_source"
    assert label(build(**REWRITTEN), REFUSED).reason == "false_refusal"
    lost = label(build(context="a b", **REWRITTEN))
    assert (lost.reason, [one.reason for one in lost.also]) == ("cut_by_context_limit", ["stale_source"])
    same = label(build(**FROZEN))
    assert same.reason == "all_checks_passed"
    assert STALE_SKIPPED not in same.skipped


def test_what_the_model_saw_is_compared_before_what_the_corpus_says() -> None:
    old = build(context="n a", **FROZEN)
    assert label(old, known=(Passage(id="n", text=NOW),)).reason == "all_checks_passed"
    bare = old.model_copy(update={"context": (Passage(id="n"),), "retrieved": None})
    assert label(bare, known=(Passage(id="n", text=NOW),)).reason == "stale_source"
    unread = label(bare)
    assert unread.reason == "all_checks_passed"
    assert "stale source: the texts of the labelled passages are not at hand" in unread.skipped


def test_a_label_that_the_corpus_no_longer_holds() -> None:
    gone = label(build(retrieved="a b", context="a b"), known=(Passage(id="a", text="a"),))
    assert (gone.half, gone.reason) == ("retrieval", "not_retrieved")
    assert [(one.reason, one.text) for one in gone.also] == [
        ("stale_source", "The corpus no longer holds n: check the labels and the reference.")
    ]
    quoted = build(relevant={}, evidence=({"quote": "The deposit is paid back in ten days."},))
    nowhere = label(quoted, known=(Passage(id="a", text="a"),))
    assert [one.reason for one in nowhere.also] == ["stale_source"]


def far(cosine: float | None, *, evasive: bool = False) -> Scored:
    return Scored(value=0.3, questions=(WrittenQuestion(text="Why?", evasive=evasive, cosine=cosine),))


@pytest.mark.parametrize(
    ("relevance", "line", "reason"),
    [
        (far(0.3), None, "all_checks_passed"),
        (far(0.3), 0.4, "off_topic"),
        (far(0.4), 0.4, "all_checks_passed"),
        (far(None), 0.4, "all_checks_passed"),
        (Scored(value=0.0), 0.4, "all_checks_passed"),
    ],
    ids=["no line", "below", "on the line", "not embedded", "a refusal"],
)
def test_a_cosine_line_counts_only_where_it_is_set(relevance: Outcome, line: float | None, reason: str) -> None:
    outcomes: dict[str, Outcome] = {"faithfulness": ALL_SUPPORTED, "answer_relevance": relevance}
    found = which_half_failed(EVIDENCE_HERE, outcomes, off_topic_cosine=line)
    assert found.reason == reason
    assert found.thresholds.get("off_topic_cosine") == line
    if reason == "off_topic":
        assert found.text == "Questions written from the answer have a mean cosine of 0.3 with the real one, below 0.4."


def test_a_refusal_for_want_of_evidence_is_told_beside_the_loss() -> None:
    """bug-237"""
    assert label(EVIDENCE_LOST, REFUSED).text.endswith("The assistant declined, as it should without them.")


def test_another_metric_tells_of_a_refusal_where_faithfulness_was_not_asked_for() -> None:
    declined: dict[str, Outcome] = {"refusal_rate": Scored(value=1.0)}
    assert which_half_failed(EVIDENCE_HERE, declined).reason == "false_refusal"
    refused: dict[str, Outcome] = {"no_answer_accuracy": Scored(value=1.0)}
    assert which_half_failed(build(**NO_ANSWER), refused).reason == "refused_as_it_should"
    answered: dict[str, Outcome] = {"no_answer_accuracy": Scored(value=0.0)}
    assert which_half_failed(build(**NO_ANSWER), answered).reason == "missed_refusal"
