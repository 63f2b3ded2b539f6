"""ap and ap@k by hand."""

from collections.abc import Callable

import pytest

from whichhalf import average_precision


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "expected"),
    [
        ("a b", "a b", None, 1.0),
        ("a x b", "a b", None, (1 / 1 + 2 / 3) / 2),
        ("x a y b z c", "a b c", None, (1 / 2 + 2 / 4 + 3 / 6) / 3),
        ("a x", "a b", None, 1 / 2),  # the relevant one that never came back counts
        ("a x b", "a b", 2, 1 / 2),  # so does the one beyond k
        ("a b c d", "a b c d", 2, 2 / 4),
        ("a x b", "a b", 99, (1 / 1 + 2 / 3) / 2),
        ("x y", "a", None, 0.0),
        ("a a b", "a b", None, (1 / 1 + 2 / 3) / 2),  # the copy of a holds rank 2 and earns nothing
        ("a a a", "a", None, 1.0),
    ],
)
def test_by_hand(retrieved: str, relevant: str, k: int | None, expected: float) -> None:
    assert average_precision(retrieved.split(), relevant.split(), k) == pytest.approx(expected, abs=1e-15)


def test_collapsing_copies_moves_later_passages_up(value: Callable[..., float]) -> None:
    assert value("ap", ["a", "a", "b"], {"a": 1, "b": 1}) == pytest.approx((1 + 2 / 3) / 2)
    assert value("ap", ["a", "a", "b"], {"a": 1, "b": 1}, duplicates="collapse") == 1.0


def test_grades_below_the_threshold_are_not_relevant(value: Callable[..., float]) -> None:
    grades = {"a": 1, "b": 0, "c": -1, "d": 2}
    assert value("ap", list("abcd"), grades) == pytest.approx((1 / 1 + 2 / 4) / 2)
    assert value("ap", list("abcd"), grades, relevance_threshold=2) == pytest.approx(1 / 4)
