"""ndcg@k by hand: exponential gain by default, linear on request."""

from collections.abc import Callable
from math import log2
from typing import cast

import pytest

from whichhalf import ndcg_at_k
from whichhalf.core.options import Gain
from whichhalf.core.outcome import Outcome, Undefined
from whichhalf.errors import InputError

AT_2, AT_3, AT_4 = 1 / log2(3), 1 / log2(4), 1 / log2(5)


@pytest.mark.parametrize(
    ("retrieved", "grades", "k", "expected"),
    [
        ("a b", {"a": 1, "b": 1}, 2, 1.0),
        ("x a", {"a": 1}, 2, AT_2),
        ("x a", {"a": 1}, 1, 0.0),
        ("a x y", {"a": 1, "b": 1, "c": 1}, 3, 1 / (1 + AT_2 + AT_3)),  # the ideal holds what was not found
        ("a x y", {"a": 1, "b": 1, "c": 1}, 1, 1.0),  # k cuts the ideal too
        ("b a", {"a": 2, "b": 1}, 2, (1 + 3 * AT_2) / (3 + AT_2)),
        ("b a", {"a": 2, "b": 1}, 99, (1 + 3 * AT_2) / (3 + AT_2)),
        ("n a", {"a": 2, "n": -2}, 2, AT_2),  # a negative grade gains 0
        ("z a", {"a": 2, "z": 0}, 2, AT_2),
        ("a a b", {"a": 1, "b": 1}, 3, (1 + AT_3) / (1 + AT_2)),  # the copy of a holds rank 2 and gains nothing
        ("a a a", {"a": 3}, 3, 1.0),
        ("x y", {"a": 1}, 2, 0.0),
    ],
)
def test_by_hand(retrieved: str, grades: dict[str, int], k: int, expected: float) -> None:
    assert ndcg_at_k(retrieved.split(), grades, k) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("retrieved", "grades", "k", "expected"),
    [
        ("b a", {"a": 2, "b": 1}, 2, (1 + 2 * AT_2) / (2 + AT_2)),
        ("c x b a", {"a": 3, "b": 2, "c": 1}, 4, (1 + 2 * AT_3 + 3 * AT_4) / (3 + 2 * AT_2 + AT_3)),
        ("n a", {"a": 2, "n": -2}, 2, AT_2),
        ("a b", {"a": 1, "b": 1}, 2, 1.0),
    ],
)
def test_linear_gain(retrieved: str, grades: dict[str, int], k: int, expected: float) -> None:
    assert ndcg_at_k(retrieved.split(), grades, k, gain="linear") == pytest.approx(expected, abs=1e-15)


def test_a_set_means_grade_1() -> None:
    assert ndcg_at_k(["x", "a"], {"a", "b"}, 2) == ndcg_at_k(["x", "a"], {"a": 1, "b": 1}, 2)
    assert ndcg_at_k(["x", "a"], {"a", "b"}, 2) == ndcg_at_k(["x", "a"], ["a", "b"], 2, gain="linear")


def test_an_unknown_gain_is_refused(outcome: Callable[..., Outcome]) -> None:
    with pytest.raises(InputError, match="gain is one of exponential, linear, not 'log'"):
        ndcg_at_k(["a"], {"a": 1}, 1, gain=cast(Gain, "log"))
    with pytest.raises(InputError, match="gain is one of exponential, linear, not 'log'"):
        outcome("ndcg(gain=log)@1", ["a"], {"a": 1})


def test_collapsing_copies_moves_later_passages_up(value: Callable[..., float]) -> None:
    assert value("ndcg@2", ["x", "x", "a"], {"a": 1}) == 0.0
    assert value("ndcg@2", ["x", "x", "a"], {"a": 1}, duplicates="collapse") == pytest.approx(AT_2)


def test_grades_count_below_the_relevance_threshold(
    value: Callable[..., float], outcome: Callable[..., Outcome]
) -> None:
    """The threshold is for metrics that ask relevant or not; a grade of 1 still gains."""
    assert value("ndcg@2", ["x", "a"], {"a": 1}, relevance_threshold=2) == pytest.approx(AT_2)
    assert outcome("recall@2", ["x", "a"], {"a": 1}, relevance_threshold=2) == Undefined(because="no_relevant_labels")


def test_a_grade_whose_gain_is_beyond_a_float_is_refused() -> None:
    assert ndcg_at_k(["b", "a"], {"a": 900, "b": 900, "c": 900}, 3) == ndcg_at_k(["b", "a"], ["a", "b", "c"], 3)
    with pytest.raises(InputError, match="grade 901 is too large for exponential gain"):
        ndcg_at_k(["a"], {"a": 901}, 1)
    assert ndcg_at_k(["x", "a"], {"a": 10**6}, 2, gain="linear") == pytest.approx(AT_2)
