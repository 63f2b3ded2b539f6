"""Find a quote in a text, tolerating the noise of copying but no change of meaning.

Tolerated: white space, line breaks, case, Unicode forms (NFKD), kinds of dashes and quotation marks, words
broken by a hyphen, invisible characters, Markdown emphasis, headings, block quotes and tables. Not tolerated: any
changed letter, digit, sign or unit. A match never begins or ends inside a word or a number.
"""

import re
import unicodedata
from array import array
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

_DASHES = "-‐‑‒–−﹣－"
_LETTER = r"[^\W\d_]"
# quantifiers with a second + never give back what they took: no text makes them quadratic
_BROKEN_WORD = re.compile(  # in folded text: a hyphen between letters, perhaps at the end of a line
    rf"(?:(?<={_LETTER})|(?<=[\u0300-\u036F]))-\n?(?={_LETTER})"
)
_DROPPED = re.compile(
    r"`+|~~+"
    r"|(?<![^\W_])(?<!\*)\*+|(?<!\*)\*++(?![^\W_])"  # not the star of 5*3
    rf"|(?<={_LETTER})\*\*++(?={_LETTER})"  # bold inside a word
    r"|(?<!\w)_+|(?<!_)_++(?!\w)"
    r"|\u00AD(?:[^\S\n]*+\n\s*+)?"  # a soft hyphen, with the line it broke
)
_BLANK = re.compile(
    r"^[ \t]*+(?:#{1,6}[ \t]|>(?![ \t]*+\W?\d)[ \t]?)"  # headings and block quotes, not "> 5"
    r"|^[ \t]*+\|?[ \t]*+:?-{3,}+:?[ \t\r:|-]*+$"  # the rule under a table's head
    r"|\|",
    re.MULTILINE,
)
_EDGE = " .,;:!?\"'()[]…"
_INSIDE_NUMBERS = frozenset(".,':/\u2044")  # 1.5, 1,500, 1'500, 10:30, 1/2 and ½, which unfolds to 1⁄2
_INVISIBLE = (0x2060, 0xFE0F, 0xFEFF, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_SAME = str.maketrans(
    {
        **dict.fromkeys(_DASHES, "-"),
        **dict.fromkeys("—―", " - "),  # stands between words, with or without spaces
        **dict.fromkeys("“”„«»", '"'),
        **dict.fromkeys("‘’‚′", "'"),
        **dict.fromkeys(map(chr, _INVISIBLE), ""),
    }
)


class Span(NamedTuple):
    """Half-open range of characters in the original text."""

    start: int
    end: int


def find_quote(quote: str, text: str) -> Span | None:
    """Where `quote` first stands in `text` as whole words, or None. An empty quote is never found."""
    wanted = _core(_normalised(quote)[0])
    if not any(character.isalnum() for character in wanted):
        return None
    plain, offsets = _normalised(text)
    at = plain.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (_cuts_left(plain, at) or _cuts_right(plain, end)):
            return Span(offsets[at], offsets[end - 1] + 1)
        at += 1
        while at < len(plain) and _cuts_left(plain, at):
            at += 1
        at = plain.find(wanted, at)
    return None


def same_text(one: str, other: str) -> bool:
    """Whether two texts say the same word for word, apart from the tolerated noise. Blank texts say nothing."""
    plain = _core(_normalised(one)[0])
    return plain == _core(_normalised(other)[0]) and any(character.isalnum() for character in plain)


def _core(plain: str) -> str:
    """Without punctuation at either end, but with the point of `.5`."""
    core = plain.strip(_EDGE)
    start = len(plain) - len(plain.lstrip(_EDGE))
    lone_point = plain[start - 1 : start] == "." and plain[start - 2 : start - 1] != "."
    return "." + core if lone_point and core[:1].isdigit() else core


@lru_cache(maxsize=1024)
def _normalised(text: str) -> tuple[str, Sequence[int]]:
    """The comparable form of a text, and for each of its characters the offset it came from."""
    dropped = _positions(_DROPPED, text)
    blank = _positions(_BLANK, text)
    characters: list[str] = []
    offsets = array("L")
    for offset, original in enumerate(text):
        if offset in dropped:
            continue
        raised = characters and characters[-1].isdigit() and unicodedata.category(original) == "No"
        folded = " " if offset in blank else original if raised else _folded(original)  # 10² is not 102
        for character in folded:
            if character.isspace():
                character = "\n" if character == "\n" else " "
                if not characters:
                    continue
                if characters[-1] in " \n":
                    characters[-1] = min(characters[-1], character)  # "\n" < " ": a line break outlives blanks
                    continue
            characters.append(character)
            offsets.append(offset)
    plain = "".join(characters)
    broken = _positions(_BROKEN_WORD, plain)
    if broken:
        kept = [at for at in range(len(plain)) if at not in broken]
        plain, offsets = "".join(plain[at] for at in kept), array("L", (offsets[at] for at in kept))
    return plain.replace("\n", " "), offsets


def _positions(pattern: re.Pattern[str], text: str) -> set[int]:
    return {at for match in pattern.finditer(text) for at in range(*match.span())}


@cache
def _folded(character: str) -> str:
    """Twice, because folding ℃ brings up a capital letter."""
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold()).translate(_SAME)


def _cuts_left(plain: str, at: int) -> bool:
    earlier, before, first, second = plain[at - 2 : at - 1], plain[at - 1 : at], plain[at], plain[at + 1 : at + 2]
    if first in "-." and second.isdigit():
        return before.isalnum()  # -5 is not found in 10-5, nor .5 in 1.5
    if not before:
        return False
    if before == "-" and (first.isdigit() or unicodedata.category(first) == "Sc"):
        return not earlier.isalnum()  # 5 is not found in -5; it is in 10-5
    if first.isdigit() and before in _INSIDE_NUMBERS:
        # 5 is not found in 1.5, nor in .5; it is in "limit: 5" and "Art.5"
        return earlier.isdigit() or (before == "." and not (earlier.isalpha() or earlier == "."))
    return _joined(before, first)


def _cuts_right(plain: str, end: int) -> bool:
    last, after, later = plain[end - 1], plain[end : end + 1], plain[end + 1 : end + 2]
    if not after:
        return False
    if last.isdigit() and (after in "%‰°" or (after in _INSIDE_NUMBERS and later.isdigit())):
        return True
    if after == "'" and _in_word(last) and later.isalpha():
        return True  # can is not found in can't
    return _is_mark(after) or _joined(last, after)


def _joined(left: str, right: str) -> bool:
    """Two characters that belong to one word. Scripts written without spaces have no inner borders."""
    return _in_word(left) and _in_word(right) and not (_unspaced(left) or _unspaced(right))


def _in_word(character: str) -> bool:
    return character.isalnum() or _is_mark(character)


def _is_mark(character: str) -> bool:
    """An accent or a vowel sign: part of the letter before it."""
    return unicodedata.category(character).startswith("M")


def _unspaced(character: str) -> bool:
    code = ord(character)
    return 0x0E00 <= code <= 0x0EFF or 0x1000 <= code <= 0x109F or 0x1780 <= code <= 0x17FF or 0x3040 <= code <= 0x9FFF
