"""rr and rr@k by hand."""

from collections.abc import Callable

import pytest

from whichhalf import reciprocal_rank


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "expected"),
    [
        ("a x b", "a b", None, 1.0),
        ("x a b", "a b", None, 1 / 2),
        ("x y z a", "a", None, 1 / 4),
        ("x y z a", "a", 4, 1 / 4),
        ("x y z a", "a", 3, 0.0),
        ("x y z a", "a", 99, 1 / 4),
        ("x y", "a", None, 0.0),
        ("x x a", "a", None, 1 / 3),  # the copy of x holds rank 2
        ("x a a", "a", None, 1 / 2),
    ],
)
def test_by_hand(retrieved: str, relevant: str, k: int | None, expected: float) -> None:
    assert reciprocal_rank(retrieved.split(), relevant.split(), k) == pytest.approx(expected, abs=1e-15)


def test_collapsing_copies_moves_later_passages_up(value: Callable[..., float]) -> None:
    assert value("rr", ["x", "x", "a"], {"a": 1}) == pytest.approx(1 / 3)
    assert value("rr", ["x", "x", "a"], {"a": 1}, duplicates="collapse") == 0.5


def test_grades_below_the_threshold_are_not_relevant(value: Callable[..., float]) -> None:
    grades = {"a": 0, "b": -1, "c": 1, "d": 2}
    assert value("rr", list("abcd"), grades) == pytest.approx(1 / 3)
    assert value("rr", list("abcd"), grades, relevance_threshold=2) == 0.25
