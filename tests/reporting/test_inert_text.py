"""Inert text: what could reorder or break a page is gone, what people write stays."""

import pytest

from whichhalf.reporting.inert_text import inert, shortened


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("plain words", "plain words"),
        ("two\r\nlines\rand\ta tab", "two\nlines\nand\ta tab"),
        ("bell\x07 null\x00 escape\x1b[2J \x9b delete\x7f", "bell null escape[2J  delete"),
        ("\u202egnp.exe\u202c \u2066x\u2069", "gnp.exe x"),
        ("क्‍ष العربية\u200f نص", "क्‍ष العربية\u200f نص"),
        ("👩\u200d👧 fine", "👩\u200d👧 fine"),
        ("half \ud83d of a pair", "half \ufffd of a pair"),
        ("The NaN store opens at 9; Infinity Pool.", "The NaN store opens at 9; Infinity Pool."),
    ],
)
def test_inert(text: str, kept: str) -> None:
    """The last one is bug-218: no word is replaced because it looks like a number."""
    assert inert(text) == kept


@pytest.mark.parametrize(
    ("text", "line"),
    [("a\n b", "a b"), ("abcdef", "abcdef"), ("abcdefg", "abcde…"), ("ab" + " " * 50 + "c", "ab…"), ("", "")],
)
def test_shortened(text: str, line: str) -> None:
    assert shortened(text, 6) == line
