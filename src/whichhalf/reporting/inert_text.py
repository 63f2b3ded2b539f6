"""Text that people and models wrote, made harmless for a page or a spreadsheet without changing what it says."""

import unicodedata

_TURNS_WRITING = frozenset(map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x206A))))
"""Marks that reorder what follows. Joiners and plain direction marks stay: Indic and Arabic words need them."""


def inert(text: str) -> str:
    """The text without control characters and marks that reorder writing; line breaks and tabs stay.

    Halves of surrogate pairs, which no file can hold, become the replacement character.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_inert, text.replace("\r\n", "\n").replace("\r", "\n")))


def _inert(character: str) -> str:
    if character in "\n\t":
        return character
    category = unicodedata.category(character)
    if category == "Cs":
        return "\ufffd"
    return "" if category == "Cc" or character in _TURNS_WRITING else character


def shortened(text: str, longest: int) -> str:
    """On one line, and cut with an ellipsis where it is longer than `longest` characters."""
    line = " ".join(inert(text[: 4 * longest]).split())
    whole = len(text) <= 4 * longest and len(line) <= longest
    return line if whole else line[: longest - 1].rstrip() + "…"
