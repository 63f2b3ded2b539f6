"""Cells of a CSV that a spreadsheet program must take as text, never as a formula.

A program takes what begins with one of a few characters for a formula, blanks and invisible marks before it left
aside. Such a cell gets an apostrophe in front; so does one that already has some there, so that reading takes away
exactly what writing put.
"""

import re

_BLANK = r"[\s\u00a0\u200b-\u200f\u2060\ufeff]*"
_STARTS_FORMULA = re.compile(rf"[\t\r\n]|{_BLANK}[=+\-@|%＝＋－＠﹢﹣﹫−]")
_DEFUSED = re.compile(rf"'+(?:{_STARTS_FORMULA.pattern})")


def defused(text: str) -> str:
    """The cell to write for a text."""
    return f"'{text}" if _STARTS_FORMULA.match(text) or _DEFUSED.match(text) else text


def undefused(cell: str) -> str:
    """The text that a cell was written for: `undefused(defused(text)) == text`, whatever the text."""
    return cell[1:] if _DEFUSED.match(cell) else cell
