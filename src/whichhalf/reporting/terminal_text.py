"""Make untrusted text safe and readable on a terminal."""

import sys
import unicodedata

from rich.console import Console

_WIDTH_WITHOUT_TERMINAL = 110


def open_console(stderr: bool = False) -> Console:
    """A console that no text can crash: what the terminal's encoding lacks is replaced."""
    stream = sys.stderr if stderr else sys.stdout
    if hasattr(stream, "reconfigure"):
        stream.reconfigure(errors="replace")
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _WIDTH_WITHOUT_TERMINAL
    return console


def plain(text: str) -> str:
    """The text without control and direction marks, which could rewrite what a terminal shows, on one line."""
    kept = (" " if character.isspace() else character for character in text)
    return "".join(c for c in kept if c == " " or unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co"})


def number(value: float | None) -> str:
    """Three decimals; a dash where there is no number."""
    return "–" if value is None else f"{value:.3f}"
