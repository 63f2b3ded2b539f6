"""precision@k by hand."""

from collections.abc import Callable

import pytest

from whichhalf import precision_at_k


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "expected"),
    [
        ("x a y b", "a b", 1, 0.0),
        ("x a y b", "a b", 2, 1 / 2),
        ("x a y b", "a b", 3, 1 / 3),
        ("x a y b", "a b", 4, 1 / 2),
        ("a b", "a b", 5, 2 / 5),  # divided by k, not by the 2 that came back
        ("a b c", "a", 3, 1 / 3),
        ("x y", "a", 2, 0.0),
        ("a a", "a", 2, 1 / 2),
        ("a a b", "a b", 3, 2 / 3),
    ],
)
def test_by_hand(retrieved: str, relevant: str, k: int, expected: float) -> None:
    assert precision_at_k(retrieved.split(), relevant.split(), k) == pytest.approx(expected, abs=1e-15)


def test_collapsing_copies_moves_later_passages_up(value: Callable[..., float]) -> None:
    assert value("precision@2", ["a", "a", "b"], {"a": 1, "b": 1}) == 0.5
    assert value("precision@2", ["a", "a", "b"], {"a": 1, "b": 1}, duplicates="collapse") == 1.0
    assert value("precision@2", ["a", "a"], {"a": 1}, duplicates="collapse") == 0.5


def test_grades_below_the_threshold_are_not_relevant(value: Callable[..., float]) -> None:
    grades = {"a": 2, "b": 1, "c": 0, "d": -1}
    assert value("precision@4", list("abcd"), grades) == 0.5
    assert value("precision@4", list("abcd"), grades, relevance_threshold=2) == 0.25
