"""Which failures are added to a golden set, which are marked there, and which are left out."""

from typing import Any

import pytest

from whichhalf.core.case import Question
from whichhalf.core.diagnosis import Diagnosis, GuiltyHalf
from whichhalf.triage.expert_verdicts import ExpertVerdict
from whichhalf.triage.flagged import Flag, FlaggedAnswer
from whichhalf.triage.growing import Growth, grow


def question(name: str, text: str = "How long?", **more: Any) -> Question:
    return Question(id=name, text=text, **{"relevant": {"c1": 1}, **more})


def grown(golden: list[Question], asked: Question, half: GuiltyHalf | None = "retrieval", note: str = "") -> Growth:
    """One answer, labelled `generation: off_topic`, with the expert's verdict on it."""
    diagnosis = Diagnosis(
        half="generation", reason="off_topic", basis="judged", text="Beside the point.", rule="default", thresholds={}
    )
    answer = FlaggedAnswer(flag=Flag(id=asked.id, note="No.", by="Meera"), diagnosis=diagnosis)
    verdict = ExpertVerdict(id=asked.id, expert_half=half, expert_note=note)
    return grow(golden, {asked.id: asked}, [answer], [verdict], "run-7")


ORIGIN = {
    "run": "run-7",
    "flagged_by": "Meera",
    "flag_note": "No.",
    "label": "generation: off_topic",
    "expert_half": "retrieval",
    "expert_note": "look again",
}


def test_a_question_that_is_not_there_is_added_as_it_stands_in_the_run() -> None:
    old, new = question("q1"), question("q2", "How much?", tags={"topic": "fees"}, passage_sha256={"c1": "ab"})
    found = grown([old], new, note="look again")
    assert (found.added, found.marked, found.present, found.skipped) == (("q2",), (), (), {})
    tags = {"topic": "fees", "confirmed_failure": "retrieval"}
    assert found.questions == (old, new.model_copy(update={"tags": tags, "origin": ORIGIN}))


def test_one_that_is_there_is_marked_and_keeps_its_labels() -> None:
    """The golden set's own labels stay, also where the run was scored on older ones; so does a known origin."""
    old = question("q1", relevant={"c9": 2}, origin={"flag_note": "from the help desk"})
    found = grown([old], question("q1"), note="look again")
    assert (found.added, found.marked) == ((), ("q1",))
    (marked,) = found.questions
    assert marked.relevant == {"c9": 2}
    assert marked.tags == {"confirmed_failure": "retrieval"}
    assert marked.origin == {**ORIGIN, "flag_note": "from the help desk"}


def test_growing_twice_changes_nothing_more() -> None:
    once = grown([question("q1")], question("q1"))
    twice = grown(list(once.questions), question("q1"), half="generation")
    assert (twice.questions, twice.present, twice.is_new) == (once.questions, ("q1",), False)


LEFT_OUT: dict[str, tuple[Question, GuiltyHalf | None, str]] = {
    "no verdict": (question("q1"), None, "no verdict yet"),
    "manual": (question("q1"), "manual", "the expert confirmed neither half"),
    "another question": (
        question("q1", "How often?"),
        "retrieval",
        "the golden set has another question under this id",
    ),
    "another id": (question("q7"), "retrieval", "the golden set asks it as q1"),
    "nothing to score by": (
        question("q7", "Why?", relevant={}),
        "retrieval",
        "it has neither labels nor a reference answer, so nothing could score it",
    ),
}


@pytest.mark.parametrize(("asked", "half", "reason"), LEFT_OUT.values(), ids=LEFT_OUT.keys())
def test_what_is_left_out(asked: Question, half: GuiltyHalf | None, reason: str) -> None:
    found = grown([question("q1")], asked, half)
    assert (found.questions, found.is_new) == ((question("q1"),), False)
    assert found.skipped == {asked.id: reason}


def test_a_question_without_an_answer_needs_no_labels() -> None:
    found = grown([question("q1")], question("q7", "Taxes in Norway?", relevant={}, answerable=False), "generation")
    assert found.added == ("q7",)
