"""The metric core on plain dictionaries."""

from decimal import Decimal
from typing import Any

import pytest

from whichhalf.errors import InputError
from whichhalf.retrieval.family import Conventions
from whichhalf.running.evaluate_ranking import evaluate_ranking


def test_values_means_and_what_was_left_out() -> None:
    """bug-018: a labelled question that the run lacks is 0, in the mean, and listed."""
    scores = evaluate_ranking(
        {"q1": {"a": 1, "b": 2}, "q2": {"c": 1}, "q3": {"d": 0}},
        {"q1": ["x", "a", "a"], "q3": ["d"], "q4": ["e"]},
        ["recall@2", "rr"],
    )
    assert scores.per_question == {
        "q1": {"recall@2[retrieved]": 0.5, "rr[retrieved]": 0.5},
        "q2": {"recall@2[retrieved]": 0.0, "rr[retrieved]": 0.0},
        "q3": {"recall@2[retrieved]": None, "rr[retrieved]": None},
    }
    assert scores.means == {"recall@2[retrieved]": 0.25, "rr[retrieved]": 0.25}
    summary = scores.summary["rr[retrieved]"]
    assert (summary.scored, summary.undefined, summary.failed) == (2, {"no_relevant_labels": 1}, {})
    assert (scores.without_output, scores.without_labels, scores.repeating) == (("q2",), ("q4",), ("q1",))


SCORES: dict[str, tuple[dict[Any, Any], str, float]] = {
    "higher first": ({"b": 0.1, "a": 0.9}, "input", 1.0),
    "whole numbers (bug-030)": ({"a": 10000, "b": 9000}, "input", 1.0),
    "decimals (bug-030)": ({"b": Decimal("0.1"), "a": Decimal("0.2")}, "input", 1.0),
    "ties keep their order": ({"b": 1.0, "a": 1.0}, "input", 0.5),
    "ties as in trec_eval: id, descending": ({"a": 1.0, "b": 1.0}, "trec", 0.5),
}


@pytest.mark.parametrize(("ranking", "ties", "value"), SCORES.values(), ids=SCORES.keys())
def test_scores_become_ranks(ranking: dict[Any, Any], ties: Any, value: float) -> None:
    assert evaluate_ranking({"q": {"a": 1}}, {"q": ranking}, ["rr"], ties=ties).means == {"rr[retrieved]": value}


def test_numbers_and_texts_are_the_same_ids() -> None:
    """bug-033"""
    numbers: Any = {1: {101: 1}}
    assert evaluate_ranking(numbers, {"1": ["101"]}, ["rr"]).means == {"rr[retrieved]": 1.0}


def test_conventions_and_gain() -> None:
    strict = Conventions(relevance_threshold=2)
    assert evaluate_ranking({"q": {"a": 1, "b": 2}}, {"q": ["a", "b"]}, ["rr"], conventions=strict).means == {
        "rr[retrieved]": 0.5
    }
    scores = evaluate_ranking({"q": {"a": 1, "b": 2}}, {"q": ["b"]}, ["ndcg@1"], gain="linear")
    assert scores.means == {"ndcg(gain=linear)@1[retrieved]": 1.0}


REFUSED: dict[str, tuple[dict[Any, Any], dict[Any, Any], list[str], str]] = {
    "no question in both (bug-034)": (
        {"q1": {"a": 1}},
        {"q2": ["a"]},
        ["rr"],
        "no question of the run has labels: check that both use the same ids",
    ),
    "a judged metric": (
        {"q": {"a": 1}},
        {"q": ["a"]},
        ["faithfulness"],
        "metric 'faithfulness' needs a judge; here only retrieval metrics are scored",
    ),
    "a ranking as text": (
        {"q": {"a": 1}},
        {"q": "abc"},
        ["rr"],
        "the ranking of 'q' must be a list of passage ids, not a str",
    ),
    "a score of NaN": (
        {"q": {"a": 1}},
        {"q": {"a": float("nan")}},
        ["rr"],
        "the score of 'a' for question 'q' is not a finite number",
    ),
    "a fractional grade (bug-031)": (
        {"q": {"a": 0.2}},
        {"q": ["a"]},
        ["rr"],
        "question 'q': the grade of 'a' must be a whole number, not 0.2",
    ),
    "a boolean grade": (
        {"q": {"a": True}},
        {"q": ["a"]},
        ["rr"],
        "question 'q': the grade of 'a' must be a whole number, not True",
    ),
    "a decimal id (bug-033)": (
        {"q": {"a": 1}},
        {"q": [101.0]},
        ["rr"],
        "a passage id must be text or a whole number, but 101.0 is a decimal number",
    ),
}


@pytest.mark.parametrize(("qrels", "run", "metrics", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_refused(qrels: dict[Any, Any], run: dict[Any, Any], metrics: list[str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        evaluate_ranking(qrels, run, metrics)
    assert str(caught.value) == message
