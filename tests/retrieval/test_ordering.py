"""Scores become ranks: higher first, and a rule for equal ones."""

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.core.options import Ties
from whichhalf.errors import InputError
from whichhalf.retrieval.ordering import TIES, order_by_score

SCORED = st.lists(
    st.tuples(st.text("abc", min_size=1, max_size=2), st.sampled_from([-1.0, 0.0, 0.5, 2.0])),
    unique_by=lambda pair: pair[0],
)


def test_higher_scores_come_first() -> None:
    scored = [("a", -3.0), ("b", 2.5), ("c", 10.0), ("d", float("inf"))]
    for ties in TIES:
        assert order_by_score(scored, ties) == ["d", "c", "b", "a"]


def test_equal_scores_keep_their_input_order() -> None:
    assert order_by_score([("b", 1.0), ("c", 1.0), ("a", 1.0), ("d", 2.0)]) == ["d", "b", "c", "a"]


def test_equal_scores_go_by_id_descending_as_in_trec_eval() -> None:
    """Ids are text there too: 9 stands above 10, and upper case below lower case."""
    assert order_by_score([("10", 1.0), ("9", 1.0), ("a", 1.0), ("B", 1.0)], "trec") == ["a", "B", "9", "10"]


@given(SCORED)
def test_trec_order_forgets_the_input_order(scored: list[tuple[str, float]]) -> None:
    assert order_by_score(scored, "trec") == order_by_score(scored[::-1], "trec")


@given(SCORED, st.sampled_from(TIES))
def test_nothing_is_lost_and_scores_never_rise(scored: list[tuple[str, float]], ties: Ties) -> None:
    ordered = order_by_score(scored, ties)
    scores = [dict(scored)[one] for one in ordered]
    assert sorted(ordered) == sorted(dict(scored))
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize("ties", TIES)
def test_a_score_that_is_not_a_number_has_no_place(ties: Ties) -> None:
    with pytest.raises(InputError, match="the score of passage 'b' is not a number"):
        order_by_score([("a", 1.0), ("b", float("nan")), ("c", 2.0)], ties)


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(InputError, match="ties is one of input, trec, not 'random'"):
        order_by_score([], cast(Ties, "random"))
