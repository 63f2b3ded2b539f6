"""Make untrusted text safe and readable on a terminal."""

import sys
import unicodedata
from io import TextIOWrapper
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

_WIDTH_WITHOUT_TERMINAL = 110
_JOINERS = "\u200c\u200d"
"""Persian, Hindi and other languages are spelled with them; they move nothing."""


def let_no_text_crash() -> None:
    """What the encoding of stdout or stderr lacks is replaced from here on."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def write_json(text: str) -> None:
    """JSON on stdout is UTF-8, whatever encoding the terminal has."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(f"{text}\n")


def open_console(stderr: bool = False) -> "Console":
    """A console that no text can crash: what the terminal's encoding lacks is replaced."""
    from rich.console import Console  # takes a while, and pages need none

    let_no_text_crash()
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _WIDTH_WITHOUT_TERMINAL
    return console


def plain(text: str) -> str:
    """The text without control and direction marks, which could rewrite what a terminal shows, on one line."""
    kept = (" " if character.isspace() else character for character in text)
    return "".join(c for c in kept if c in _JOINERS or unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co"})


def number(value: float | None) -> str:
    """Three decimals; a dash where there is no number."""
    return "–" if value is None else f"{value:.3f}"


def span(low: float | None, high: float | None) -> str:
    """An interval with three decimals; a dash where there is none."""
    return "–" if low is None or high is None else f"{low:.3f}–{high:.3f}"
