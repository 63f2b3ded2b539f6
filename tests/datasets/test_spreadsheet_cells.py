"""Cells that a spreadsheet would take for a formula are text, and read back as they were."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.datasets.spreadsheet_cells import defused, undefused

FORMULAS = [
    *('=HYPERLINK("http://x.example","y")', "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1", "\u00a0=1"),
    *("＝1+1", "＋1", "－1", "＠x", "−1", "\ufeff=1", "\u200b=1", "|calc", "%0A=1", "'=1", "''=1"),
]


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_begins_with_an_apostrophe(text: str) -> None:
    assert defused(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "plain", "a=b", "it's", "'quoted'", "50 %", "q-01", "हाँ", "1 = 1"])
def test_other_text_is_left_alone(text: str) -> None:
    assert defused(text) == text
    assert undefused(text) == text


@given(st.text() | st.text(alphabet="'=+-@ \t\r\n＝x", max_size=6))
def test_reading_gives_back_what_was_written(text: str) -> None:
    assert undefused(defused(text)) == text
