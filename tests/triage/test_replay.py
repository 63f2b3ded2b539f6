"""Replays: what is asked again, and what the new answers do to a label."""

from typing import Any

import pytest

from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.diagnosis import Diagnosis, Replay
from whichhalf.triage.replay import needed_passages, plan_replays, with_replays

CORPUS = {one: Passage(id=one, text=f"text of {one}") for one in ("c1", "c2", "c3")}


def case(context: tuple[str, ...] | None, relevant: dict[str, int], **question: Any) -> Case:
    asked = Question(**{"id": "q1", "text": "When?", "relevant": relevant, "reference_answers": ("At 9.",), **question})
    ranking = tuple(Passage(id=one) for one in ("c3", "c1", "c2"))
    return Case(
        question=asked,
        retrieved=ranking,
        context=None if context is None else tuple(Passage(id=one, text=f"seen {one}") for one in context),
        answer="At 10.",
    )


def ids(plan: Any) -> dict[str, list[str]]:
    return {given: [one.id for one in request.passages] for given, request in plan.items()}


def test_the_needed_alone_and_what_it_had_with_the_missing() -> None:
    plan = plan_replays(case(("c3", "c1"), {"c1": 1, "c2": 2, "c3": 0}), CORPUS, k=5)
    assert ids(plan) == {"needed": ["c2", "c1"], "seen_and_missing": ["c3", "c1", "c2"]}
    assert [(request.id, request.question) for request in plan.values()] == [
        ("q1/needed", "When?"),
        ("q1/seen_and_missing", "When?"),
    ]
    seen = plan["seen_and_missing"].passages
    assert seen is not None
    assert [one.text for one in seen] == ["seen c3", "seen c1", "text of c2"], "what it saw, as it saw it"


def test_nothing_missing_is_one_replay() -> None:
    assert ids(plan_replays(case(("c1", "c3"), {"c1": 1}), CORPUS, k=5)) == {"needed": ["c1"]}


def test_a_context_that_was_not_logged_is_the_first_k() -> None:
    plan = plan_replays(case(None, {"c2": 1}), CORPUS, k=2)
    assert ids(plan) == {"needed": ["c2"], "seen_and_missing": ["c3", "c1", "c2"]}


@pytest.mark.parametrize(
    ("relevant", "question"),
    [
        ({}, {}),
        ({"c1": 0}, {}),
        ({"c1": 1, "c9": 1}, {}),
        ({"c1": 1}, {"reference_answers": ()}),
        ({"c1": 1}, {"reference_answers": (" ",)}),
        ({"c1": 1}, {"answerable": False}),
    ],
    ids=["no labels", "grade 0", "a text is not known", "no reference", "a blank reference", "no answer in the corpus"],
)
def test_what_could_tell_nothing_is_not_asked(relevant: dict[str, int], question: dict[str, Any]) -> None:
    assert plan_replays(case(("c1",), relevant, **question), CORPUS, k=5) == {}


def test_logged_texts_stand_in_for_a_corpus() -> None:
    found = needed_passages(case(("c1",), {"c1": 1}), {})
    assert found == (Passage(id="c1", text="seen c1"),)
    assert needed_passages(case(("c1",), {"c2": 1}), {}) is None


def label(half: str, reason: str) -> Diagnosis:
    return Diagnosis.model_validate(
        {"half": half, "reason": reason, "basis": "labels", "text": "Why.", "rule": "default", "thresholds": {"k": 5}}
    )


def replay(given: str, correctness: float | None) -> Replay:
    right = None if correctness is None else correctness >= 0.7
    return Replay.model_validate({"given": given, "passages": ["c1"], "correctness": correctness, "right": right})


# half, reason, correctness with the needed passages and with all → half, basis, words of the text, halves in `also`
TABLE: dict[str, tuple[tuple[str, str, float | None, float | None], tuple[str, str, str, list[str]]]] = {
    "retrieval, right": (
        ("retrieval", "not_retrieved", 0.7, 0.9),
        ("retrieval", "replayed", "retrieval confirmed", []),
    ),
    "retrieval, still wrong": (
        ("retrieval", "not_retrieved", 0.69, 0.1),
        ("retrieval", "labels", "Why.", ["wrong_with_evidence"]),
    ),
    "retrieval, right alone only": (
        ("retrieval", "ranked_below_cut", 1.0, 0.2),
        ("retrieval", "replayed", "retrieval confirmed", ["distracted"]),
    ),
    "generation, still wrong": (
        ("generation", "unsupported_claims", 0.0, None),
        ("generation", "replayed", "generation confirmed", []),
    ),
    "generation, right alone": (
        ("generation", "unsupported_claims", 1.0, None),
        ("generation", "labels", "the assistant answers right", []),
    ),
    "cannot tell, right": (
        ("manual", "cannot_tell", 1.0, None),
        ("retrieval", "replayed", "the assistant answers right", []),
    ),
    "cannot tell, still wrong": (
        ("manual", "cannot_tell", 0.0, None),
        ("generation", "replayed", "still answers wrong", []),
    ),
    "all passed, still wrong": (
        ("manual", "all_checks_passed", 0.0, None),
        ("manual", "labels", "still answers wrong", []),
    ),
    "no number": (("retrieval", "not_retrieved", None, None), ("retrieval", "labels", "Why.", [])),
}


@pytest.mark.parametrize(("given", "expected"), TABLE.values(), ids=TABLE.keys())
def test_the_label(given: Any, expected: Any) -> None:
    half, reason, needed, both = given
    replays = [replay("needed", needed), replay("seen_and_missing", both)]
    settled = with_replays(label(half, reason), replays, 0.7)
    new_half, basis, words, also = expected
    assert (settled.half, settled.basis) == (new_half, basis)
    assert words in settled.text
    assert [one.reason for one in settled.also] == also
    assert all((one.half, one.basis) == ("generation", "replayed") for one in settled.also)
    assert settled.replays == tuple(replays)
    assert settled.thresholds == {"k": 5, "replay_correctness": 0.7}


def test_without_replays_the_label_stands() -> None:
    settled = with_replays(label("retrieval", "not_retrieved"), [], 0.7)
    assert settled.model_dump(exclude={"thresholds"}) == label("retrieval", "not_retrieved").model_dump(
        exclude={"thresholds"}
    )
