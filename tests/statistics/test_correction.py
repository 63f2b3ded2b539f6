"""Holm's correction, beside statsmodels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from whichhalf.errors import InputError
from whichhalf.statistics.correction import holm


def test_by_hand() -> None:
    """0.01 · 4, 0.02 · 3, then 0.03 · 2 = 0.06 is not below the one before, then 0.04 rises to it."""
    assert holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20))
def test_equal_to_statsmodels(values: list[float]) -> None:
    assert holm(values) == pytest.approx(list(multipletests(values, method="holm")[1]), abs=1e-12)


def test_none_and_one() -> None:
    assert holm([]) == []
    assert holm([0.3]) == [0.3]


@pytest.mark.parametrize("bad", [float("nan"), -0.1, 1.1])
def test_what_is_no_p_value_is_refused(bad: float) -> None:
    with pytest.raises(InputError):
        holm([0.5, bad])
