"""Scores become ranks: higher first, and a rule for equal ones."""

from collections.abc import Mapping
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.core.options import Ties
from whichhalf.errors import InputError
from whichhalf.retrieval.judged_rankings import judge_scores

BOTH: tuple[Ties, ...] = get_args(Ties)
SCORED = st.dictionaries(st.text("abc", min_size=1, max_size=2), st.sampled_from([-1.0, 0.0, 0.5, 2.0]))


def order(scored: Mapping[str, float], ties: Ties) -> list[str]:
    """Every passage labelled with a grade of its own, so that the ranks can be read off."""
    ids = list(scored)
    judged = judge_scores([scored], [{one: number for number, one in enumerate(ids, start=1)}], ties=ties)
    assert judged.rank.tolist() == list(range(1, len(ids) + 1))
    return [ids[grade - 1] for grade in judged.grade.tolist()]


@pytest.mark.parametrize("ties", BOTH)
def test_higher_scores_come_first(ties: Ties) -> None:
    assert order({"a": -3.0, "b": 2.5, "c": 10.0}, ties) == ["c", "b", "a"]


def test_equal_scores_keep_their_input_order() -> None:
    assert order({"b": 1.0, "c": 1.0, "a": 1.0, "d": 2.0}, "input") == ["d", "b", "c", "a"]


def test_equal_scores_go_by_id_descending_as_in_trec_eval() -> None:
    """Ids are text there too: 9 stands above 10, and upper case below lower case."""
    assert order({"10": 1.0, "9": 1.0, "a": 1.0, "B": 1.0}, "trec") == ["a", "B", "9", "10"]


@given(SCORED, st.sampled_from(BOTH))
def test_ranks_are_those_of_a_plain_sort(scored: dict[str, float], ties: Ties) -> None:
    by_id = sorted(scored, reverse=True) if ties == "trec" else list(scored)
    assert order(scored, ties) == sorted(by_id, key=lambda one: -scored[one])


@given(st.lists(SCORED, max_size=6), st.sampled_from(BOTH))
def test_questions_do_not_disturb_each_other(rows: list[dict[str, float]], ties: Ties) -> None:
    labels = [dict.fromkeys(["a", "b", "ca"], 1) for _ in rows]
    together = judge_scores(rows, labels, ties=ties)
    alone = [judge_scores([row], [grades], ties=ties) for row, grades in zip(rows, labels, strict=True)]
    assert together.rank.tolist() == [rank for one in alone for rank in one.rank.tolist()]
    assert together.question.tolist() == [number for number, one in enumerate(alone) for _ in one.rank]


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_no_finite_number_is_refused(bad: float) -> None:
    with pytest.raises(InputError, match="not a finite number"):
        judge_scores([{"a": 1.0, "b": bad}], [{"a": 1}])
