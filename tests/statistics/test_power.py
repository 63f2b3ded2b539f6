"""What a number of questions can show."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import TTestPower

from whichhalf.errors import InputError
from whichhalf.statistics.power import detectable_difference, questions_needed


@pytest.mark.parametrize(
    ("deviation", "questions", "expected"),
    [
        # (1.959964 + 0.841621) · deviation ÷ √(questions − 1.920729)
        (1.0, 5, 1.596540),
        (0.5, 100, 0.141444),
        (0.3, 30, 0.158612),
    ],
)
def test_by_hand(deviation: float, questions: int, expected: float) -> None:
    assert detectable_difference(deviation, questions) == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("questions", [10, 30, 100, 1000])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_close_to_the_exact_power_of_the_t_test(questions: int, power: float) -> None:
    exact = TTestPower().solve_power(nobs=questions, alpha=0.05, power=power)
    assert detectable_difference(1.0, questions, power=power) == pytest.approx(exact, rel=0.02)


def test_the_questions_needed_by_hand() -> None:
    """(2.801585 · 0.5 ÷ 0.1)² + 1.920729 = 198.14."""
    assert questions_needed(0.5, 0.1) == 199
    assert questions_needed(0.5, -0.1) == 199
    assert questions_needed(0.0, 0.1) == 2


@given(st.floats(0.01, 1.0), st.integers(3, 5000))
def test_one_formula_solved_both_ways(deviation: float, questions: int) -> None:
    assert questions_needed(deviation, detectable_difference(deviation, questions) * (1 + 1e-9)) == questions


def test_more_power_needs_a_larger_difference() -> None:
    assert detectable_difference(1.0, 100, power=0.9) > detectable_difference(1.0, 100, power=0.8)


def test_what_cannot_be_answered_is_refused() -> None:
    with pytest.raises(InputError, match="1 question"):
        detectable_difference(0.3, 1)
    with pytest.raises(InputError, match="difference of 0"):
        questions_needed(0.3, 0.0)
    with pytest.raises(InputError, match="power"):
        questions_needed(0.3, 0.1, power=1.0)
