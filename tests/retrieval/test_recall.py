"""recall@k by hand."""

from collections.abc import Callable

import pytest

from whichhalf import recall_at_k


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "expected"),
    [
        ("x a y b", "a b", 1, 0.0),
        ("x a y b", "a b", 2, 1 / 2),
        ("x a y b", "a b", 3, 1 / 2),
        ("x a y b", "a b", 4, 1.0),
        ("x a y b", "a b", 50, 1.0),
        ("x a", "a b c", 5, 1 / 3),
        ("a b c d", "a b c d", 2, 1 / 2),  # no better order exists, and yet half: all relevant are counted
        ("x y", "a", 2, 0.0),
        ("a a b", "a b", 2, 1 / 2),  # the copy of a holds rank 2
        ("a a", "a", 2, 1.0),
    ],
)
def test_by_hand(retrieved: str, relevant: str, k: int, expected: float) -> None:
    assert recall_at_k(retrieved.split(), relevant.split(), k) == pytest.approx(expected, abs=1e-15)


def test_collapsing_copies_moves_later_passages_up(value: Callable[..., float]) -> None:
    assert value("recall@2", ["a", "a", "b"], {"a": 1, "b": 1}) == 0.5
    assert value("recall@2", ["a", "a", "b"], {"a": 1, "b": 1}, duplicates="collapse") == 1.0


def test_grades_below_the_threshold_are_not_relevant(value: Callable[..., float]) -> None:
    grades = {"a": 2, "b": 1, "c": 0, "d": -1, "e": 3}
    assert value("recall@3", ["b", "c", "a"], grades) == pytest.approx(2 / 3)
    assert value("recall@3", ["b", "c", "a"], grades, relevance_threshold=2) == pytest.approx(1 / 2)
    assert value("recall@3", ["b", "c", "a"], grades, relevance_threshold=3) == 0.0
