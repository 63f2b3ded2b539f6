"""Text on a terminal, and numbers beside it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.reporting.terminal_text import number, plain

TEXTS = {
    "ordinary text": ("Grüße, 保修 🎉", "Grüße, 保修 🎉"),
    "line breaks": ("a\r\nb\tc\u2028d\u0085e", "a  b c d e"),
    "escape sequences": ("\x1b[31mred\x1b[0m\x9b1m", "[31mred[0m1m"),
    "direction marks": ("\u202eexe.gnp\u202c\u2066a\u2069", "exe.gnpa"),
    "invisible marks": ("a\u200bb\u00adc\ufeff", "abc"),
    "joiners that a language is spelled with": ("می\u200cشود, क्\u200dष", "می\u200cشود, क्\u200dष"),
    "bell, backspace and null": ("a\x07\x08\x00b", "ab"),
    "half of a surrogate pair": ("a\ud83cb", "ab"),
    "markup stays as it is": ("[red]a[/red] :boom: <b>", "[red]a[/red] :boom: <b>"),
}


@pytest.mark.parametrize(("text", "shown"), TEXTS.values(), ids=TEXTS.keys())
def test_plain(text: str, shown: str) -> None:
    assert plain(text) == shown


@given(st.text())
def test_plain_text_is_one_line_without_controls_and_stays_plain(text: str) -> None:
    shown = plain(text)
    assert len(shown.splitlines()) <= 1
    assert not {unicodedata.category(one) for one in shown if one not in "\u200c\u200d"} & {
        "Cc",
        "Cf",
        "Cs",
        "Co",
        "Zl",
        "Zp",
    }
    assert plain(shown) == shown


@pytest.mark.parametrize(("value", "shown"), [(None, "–"), (0.0, "0.000"), (1.0, "1.000"), (2 / 3, "0.667")])
def test_number(value: float | None, shown: str) -> None:
    assert number(value) == shown
