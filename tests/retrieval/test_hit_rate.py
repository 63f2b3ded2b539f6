"""hit_rate@k by hand."""

from collections.abc import Callable

import pytest

from whichhalf import hit_rate_at_k


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "expected"),
    [
        ("x a y b", "a b", 1, 0.0),
        ("x a y b", "a b", 2, 1.0),
        ("a b", "a b", 2, 1.0),  # never more than 1
        ("a a a", "a", 3, 1.0),
        ("x x a", "a", 2, 0.0),
        ("x y", "a", 9, 0.0),
        ("x y a", "a", 9, 1.0),
    ],
)
def test_by_hand(retrieved: str, relevant: str, k: int, expected: float) -> None:
    assert hit_rate_at_k(retrieved.split(), relevant.split(), k) == expected


def test_collapsing_copies_moves_later_passages_up(value: Callable[..., float]) -> None:
    assert value("hit_rate@2", ["x", "x", "a"], {"a": 1}) == 0.0
    assert value("hit_rate@2", ["x", "x", "a"], {"a": 1}, duplicates="collapse") == 1.0


def test_grades_below_the_threshold_are_not_relevant(value: Callable[..., float]) -> None:
    grades = {"a": 1, "b": 2, "c": 0, "d": -3}
    assert value("hit_rate@1", ["a", "b"], grades) == 1.0
    assert value("hit_rate@1", ["a", "b"], grades, relevance_threshold=2) == 0.0
    assert value("hit_rate@2", ["c", "d"], grades) == 0.0
