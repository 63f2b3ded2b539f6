"""What went wrong in other tools when they named the guilty half, by kind; ids are those of the collected cases."""

from typing import Any

import pytest

from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.claim import Claim, Evidence, Label, Verdict
from whichhalf.core.diagnosis import Diagnosis
from whichhalf.core.options import Rule
from whichhalf.core.outcome import Failed, Outcome, Scored, Undefined
from whichhalf.errors import JudgeError
from whichhalf.triage.which_half_failed import which_half_failed

RULES: tuple[Rule, ...] = ("default", "textbook")
REFUSED: dict[str, Outcome] = {"faithfulness": Undefined(because="refused")}


def claim(label: Label, *passages: str) -> Verdict:
    places = tuple(Evidence(passage=one, quote=f"words of {one}", start=0) for one in passages)
    return Verdict(claim=Claim(id=1, text="Battery life is 10 hours."), label=label, evidence=places)


FAITHFUL: dict[str, Outcome] = {"faithfulness": Scored(value=1.0, verdicts=(claim("supported", "a"),))}


def answer(seen: str, *, needed: str = "n", searched: str | None = None, **question: Any) -> Case:
    """`seen` reached the model; `searched`, by default the same, came back from the search."""

    def passages(ids: str) -> tuple[Passage, ...]:
        return tuple(Passage(id=one, text=f"words of {one}") for one in ids.split())

    asked = Question(id="q", text="?", relevant=dict.fromkeys(needed.split(), 1), **question)
    return Case(question=asked, retrieved=passages(searched or seen), context=passages(seen), answer="It is 10 hours.")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seen", ["", "a", "a b c"])
def test_faithful_to_the_wrong_text_is_a_retrieval_fault(seen: str, rule: Rule) -> None:
    """bug-234"""
    found = which_half_failed(answer(seen), FAITHFUL, rule=rule)
    assert (found.half, found.basis, found.also) == ("retrieval", "labels", ())
    assert "n" in found.text


@pytest.mark.parametrize("seen", ["", "a", "a b c"])
def test_a_refusal_without_the_evidence_is_no_fault_of_the_generator(seen: str) -> None:
    """bug-237"""
    found = which_half_failed(answer(seen), REFUSED)
    assert (found.half, found.reason) == ("retrieval", "not_retrieved")
    assert found.text.endswith("The assistant declined, as it should without them.")
    assert [one for one in found.also if one.half == "generation"] == []
    assert which_half_failed(answer(seen), REFUSED, rule="textbook").half == "retrieval"


@pytest.mark.parametrize(
    "outcomes", [REFUSED, {"no_answer_accuracy": Scored(value=1.0)}, {"refusal_rate": Scored(value=1.0)}]
)
@pytest.mark.parametrize("seen", ["", "a b c"])
def test_a_refusal_of_what_has_no_answer_is_right(seen: str, outcomes: dict[str, Outcome]) -> None:
    """bug-238: neither half failed, so a person looks at the flag."""
    found = which_half_failed(answer(seen, needed="", answerable=False), outcomes)
    assert (found.half, found.reason, found.also) == ("manual", "refused_as_it_should", ())


def kinds_of(error: type[JudgeError]) -> list[str]:
    return sorted({error.reason, *(reason for one in error.__subclasses__() for reason in kinds_of(one))})


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("reason", kinds_of(JudgeError))
def test_no_guess_without_a_verdict(reason: str, rule: Rule) -> None:
    """bug-241"""
    lost: dict[str, Outcome] = {"faithfulness": Failed(stage="verify_claims", error=reason, message="lost")}
    found = which_half_failed(answer("n a"), lost, rule=rule)
    assert (found.half, found.reason) == ("manual", "cannot_tell")
    assert f"No faithfulness ({reason})" in found.text


def test_a_lost_verdict_does_not_hide_a_loss_that_labels_show() -> None:
    """bug-241 and bug-234 at once: the labels need no judge."""
    lost: dict[str, Outcome] = {"faithfulness": Failed(stage="verify_claims", error="reply_cut", message="lost")}
    assert which_half_failed(answer("a"), lost).half == "retrieval"


PART: dict[str, tuple[str, str, str]] = {
    "one of two": ("n a", "m", "not_retrieved"),
    "found, not shown": ("n a", "m", "cut_by_context_limit"),
    "one of three": ("n m", "o", "not_retrieved"),
}


@pytest.mark.parametrize(("seen", "missing", "reason"), PART.values(), ids=PART.keys())
def test_part_of_the_evidence_is_not_enough(seen: str, missing: str, reason: str) -> None:
    """bug-243: retrieval, and only what is missing is named."""
    searched = f"{seen} {missing}" if reason == "cut_by_context_limit" else seen
    needed = " ".join([*(one for one in seen.split() if one != "a"), missing])
    found: Diagnosis = which_half_failed(answer(seen, needed=needed, searched=searched), FAITHFUL)
    assert (found.half, found.reason) == ("retrieval", reason)
    assert [one.passage for one in found.lost] == [missing]


def test_support_from_a_passage_about_something_else() -> None:
    """bug-071: a faithfulness of 1 does not clear an answer whose support no label calls relevant.

    With the needed passage lost that is retrieval's; with it in hand, and the reference against the claim, the model
    was misled; without a reference to compare with, a person looks.
    """
    other: dict[str, Outcome] = {
        **FAITHFUL,
        "noise_sensitivity_irrelevant": Scored(value=1.0, verdicts=(claim("supported", "a"),)),
    }
    assert which_half_failed(answer("a"), other).half == "retrieval"
    assert which_half_failed(answer("n a"), other).reason == "misled_by_passage"
    unknown: dict[str, Outcome] = {
        **FAITHFUL,
        "noise_sensitivity_irrelevant": Undefined(because="no_reference_answer"),
    }
    assert which_half_failed(answer("n a"), unknown).half == "manual"
