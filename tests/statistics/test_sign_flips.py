"""The sign-flip test, beside scipy's and every pattern by hand."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from whichhalf.statistics.sign_flips import patterns_tried, sign_flip_p


def column(*values: float) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array(values, dtype=np.float64)[:, None]


def test_by_hand() -> None:
    """Of the eight patterns of 1, 2, 3 only +++ and −−− sum to 6 or more in size; 4 or more: also ∓1 alone."""
    assert sign_flip_p(column(1, 2, 3)) == pytest.approx([2 / 8])
    assert sign_flip_p(column(-1, 2, 3)) == pytest.approx([4 / 8])


@given(st.lists(st.sampled_from([-0.3, -0.1, 0.0, 0.1, 0.2, 0.7]), min_size=1, max_size=9))
def test_all_patterns(values: list[float]) -> None:
    sums = [
        abs(sum(sign * one for sign, one in zip(signs, values, strict=True)))
        for signs in product((1, -1), repeat=len(values))
    ]
    expected = np.mean([one >= abs(sum(values)) - 1e-9 for one in sums])
    assert sign_flip_p(column(*values)) == pytest.approx([expected])


def test_close_to_scipy_where_patterns_are_drawn() -> None:
    values = np.random.default_rng(3).normal(0.1, 0.5, 60)
    theirs = stats.permutation_test(
        (values,), np.mean, permutation_type="samples", n_resamples=40_000, rng=np.random.default_rng(1)
    ).pvalue
    ours = sign_flip_p(values[:, None], permutations=40_000)[0]
    assert ours == pytest.approx(theirs, abs=0.012)  # four standard errors of two draws


def test_no_difference_has_p_1() -> None:
    assert sign_flip_p(np.zeros((50, 2))).tolist() == [1.0, 1.0]
    assert sign_flip_p(np.zeros((0, 1))).tolist() == [1.0]


def test_columns_are_tested_apart_with_the_same_signs() -> None:
    values = np.random.default_rng(4).normal(size=(40, 3))
    values[:, 1] = values[:, 0]
    values[:, 2] = 0
    together = sign_flip_p(values, permutations=999, seed=7)
    assert together[0] == together[1] == sign_flip_p(values[:, :1], permutations=999, seed=7)[0]
    assert together[2] == 1.0


def test_the_seed_alone_decides() -> None:
    values = np.random.default_rng(4).normal(size=(40, 1))
    assert sign_flip_p(values, seed=1) == sign_flip_p(values, seed=1)
    assert sign_flip_p(values, seed=1) != sign_flip_p(values, seed=2)


def test_p_is_never_0() -> None:
    assert sign_flip_p(np.ones((500, 1)), permutations=99)[0] == 0.01


def test_many_questions_are_done_in_blocks() -> None:
    """Blocks of one pattern each: still all permutations asked for."""
    assert sign_flip_p(np.ones((1_000_001, 1)), permutations=3)[0] == 0.25


@pytest.mark.parametrize(("rows", "expected"), [(0, 1), (13, 8192), (14, 10_000)])
def test_patterns_tried(rows: int, expected: int) -> None:
    assert patterns_tried(rows, 10_000) == expected
