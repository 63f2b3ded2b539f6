"""What a number of questions can show."""

import pytest

from whichhalf.statistics.power import detectable_difference


@pytest.mark.parametrize(
    ("deviation", "questions", "expected"),
    [
        # (1.959964 + 0.841621) · deviation ÷ √questions
        (1.0, 1, 2.801585),
        (0.5, 100, 0.140079),
        (0.3, 30, 0.153449),
    ],
)
def test_by_hand(deviation: float, questions: int, expected: float) -> None:
    assert detectable_difference(deviation, questions) == pytest.approx(expected, abs=1e-5)


def test_four_times_the_questions_show_half_the_difference() -> None:
    assert detectable_difference(0.4, 400) == pytest.approx(detectable_difference(0.4, 100) / 2)


def test_more_power_needs_a_larger_difference() -> None:
    assert detectable_difference(1.0, 1, power=0.9) == pytest.approx(1.959964 + 1.281552, abs=1e-5)
