"""Recall at every k, the knee, and the k that is enough."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.retrieval.judged_rankings import judge_lists
from whichhalf.retrieval.recall_curve import recall_curve


def test_mean_recall_at_every_k() -> None:
    """q1: a of a, b at rank 1; q2: c at rank 3, of c alone; q3 has no label and does not count."""
    judged = judge_lists([["a", "x", "y", "z"], ["x", "y", "c"], ["x"]], [{"a": 1, "b": 1}, {"c": 2, "x": 0}, {"x": 0}])
    curve = recall_curve(judged)
    assert curve is not None
    assert curve.recall == pytest.approx((0.25, 0.25, 0.75, 0.75))
    # above the line from 0.25 to 0.75: 0, −0.167, 0.167, 0
    assert curve.knee == 3
    assert curve.enough == 3


@pytest.mark.parametrize(
    ("ranks", "knee", "enough"),
    [((1, 2, 3), 3, 3), ((1,), 1, 1), ((10,), 10, 10), ((1, 2, 3, 10), 3, 10)],
)
def test_knee_and_enough(ranks: tuple[int, ...], knee: int, enough: int) -> None:
    ranking = [f"r{rank}" if rank in ranks else f"x{rank}" for rank in range(1, 11)]
    curve = recall_curve(judge_lists([ranking], [{f"r{rank}": 1 for rank in ranks}]))
    assert curve is not None
    assert (curve.knee, curve.enough) == (knee, enough)


def test_nothing_to_draw() -> None:
    assert recall_curve(judge_lists([[]], [{"a": 1}])) is None
    assert recall_curve(judge_lists([["a"]], [{"a": 0}])) is None


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), min_size=1, max_size=5))
def test_the_curve_never_falls_and_ends_at_the_ceiling(rankings: list[list[str]]) -> None:
    labels = [{"a": 1, "b": 1, "gone": 1}] * len(rankings)
    curve = recall_curve(judge_lists(rankings, labels))
    if curve is None:
        assert not any(rankings)
        return
    assert list(curve.recall) == sorted(curve.recall)
    found = [len({"a", "b"} & set(ranking)) / 3 for ranking in rankings]
    assert curve.recall[-1] == pytest.approx(sum(found) / len(found))
    assert 1 <= curve.knee <= len(curve.recall)
    assert curve.recall[curve.enough - 1] >= 0.95 * curve.recall[-1] - 1e-9
