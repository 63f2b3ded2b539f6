"""Where a needed passage was lost, one row a place."""

import pytest

from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.diagnosis import LostPassage
from whichhalf.triage.lost_passages import lost_passages


def ids(text: str | None) -> tuple[Passage, ...] | None:
    return None if text is None else tuple(Passage(id=one) for one in text.split())


def build(retrieved: str | None, reranked: str | None, context: str | None, needed: str = "n") -> Case:
    return Case(
        question=Question(id="q", text="?", relevant=dict.fromkeys(needed.split(), 1)),
        retrieved=ids(retrieved),
        reranked=ids(reranked),
        context=ids(context),
    )


@pytest.mark.parametrize(
    ("retrieved", "reranked", "context", "place"),
    [
        ("a b c", None, "a b", "not_retrieved"),
        ("a b c", "a c", "a", "not_retrieved"),
        ("a n c", "a c", "a", "dropped_by_reranker"),
        ("a b n", None, "a b", "ranked_below_cut"),
        ("n a b", "a b n", "a b", "ranked_below_cut"),
        ("a b n", "a n b", "a", "cut_by_context_limit"),
        ("n a b", None, "a b", "cut_by_context_limit"),
        ("n a b", None, "", "cut_by_context_limit"),
        ("", None, "", "not_retrieved"),
        (None, "a b n", "a", "ranked_below_cut"),
        (None, None, "a", "not_retrieved"),
        ("a b n", None, None, "ranked_below_cut"),
        ("a b c", None, None, "not_retrieved"),
    ],
)
def test_the_place_of_loss(retrieved: str | None, reranked: str | None, context: str | None, place: str) -> None:
    (lost,) = lost_passages(build(retrieved, reranked, context), k=2)
    assert (lost.passage, lost.lost) == ("n", place)


@pytest.mark.parametrize(
    ("retrieved", "reranked", "context"),
    [("a b c", None, "b n"), ("a n", None, None), ("a b n", "n a", None), (None, None, "n")],
)
def test_nothing_is_lost_when_it_reached_the_model(
    retrieved: str | None, reranked: str | None, context: str | None
) -> None:
    assert lost_passages(build(retrieved, reranked, context), k=2) == []


def test_ranks_at_every_logged_stage() -> None:
    (lost,) = lost_passages(build("a b n", "a c n b", "a c"), k=2)
    assert lost == LostPassage(
        passage="n", lost="ranked_below_cut", ranks={"retrieved": 3, "reranked": 3, "context": None}
    )


def test_the_one_lost_earliest_comes_first() -> None:
    lost = lost_passages(build("a x y z", "a x b", "a", needed="x y gone"), k=2)
    assert [(one.passage, one.lost) for one in lost] == [
        ("gone", "not_retrieved"),
        ("y", "dropped_by_reranker"),
        ("x", "cut_by_context_limit"),
    ]


def test_passages_judged_not_relevant_are_not_needed() -> None:
    question = Question(id="q", text="?", relevant={"n": 0, "m": -1})
    assert lost_passages(Case(question=question, retrieved=(), context=()), k=5) == []
