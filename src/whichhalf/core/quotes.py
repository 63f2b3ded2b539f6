"""Find a quote, or the parts of it, in a text, tolerating the noise of copying but no change of meaning.

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
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u9fff"  # Thai, Lao, Burmese, Khmer, Japanese, Chinese
_UNSPACED_LETTER = re.compile(rf"(?=[^\W_])[{_UNSPACED}]")
_WORD = re.compile(rf"{_UNSPACED_LETTER.pattern}|[^\W_{_UNSPACED}]+")
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
    at = _find(wanted, plain)
    return None if at is None else Span(offsets[at], offsets[at + len(wanted) - 1] + 1)


def same_text(one: str, other: str) -> bool:
    """Whether two texts say the same word for word, apart from the tolerated noise. Blank texts say nothing."""
    plain = _core(_normalised(one)[0])
    return plain == _core(_normalised(other)[0]) and any(character.isalnum() for character in plain)


@lru_cache(maxsize=16_384)
def comparable(text: str) -> str:
    """The form in which texts are compared, without punctuation at either end; empty where no letter or digit is."""
    core = _core(_plain(text))
    return core if any(character.isalnum() for character in core) else ""


def find_parts(quote: str, text: str) -> tuple[Span, ...]:
    """Spans of a quote that a text holds, both in comparable form: all of it, or what the ends of the text cut off.

    A text that breaks off inside the quote holds its beginning; one that sets in inside the quote holds its end; one
    that lies inside the quote holds its own length of it. A part may begin or end inside a word: `whole_words` cuts
    it down.
    """
    if not quote or not text:
        return ()
    if len(quote) <= len(text) and _find(quote, text) is not None:
        return (Span(0, len(quote)),)
    text = _without_cut_hyphen(text)
    parts = [part for part in (_begun(quote, text), _ended(quote, text)) if part is not None]
    if len(text) < len(quote):
        at = quote.find(text)
        while at >= 0:
            parts.append(Span(at, at + len(text)))
            at = quote.find(text, at + 1)
    return tuple(dict.fromkeys(parts))


def whole_words(quote: str, span: Span) -> Span:
    """The span without the words it cuts; empty where it holds no whole word. `quote` is in comparable form."""
    start, end = span
    while start < end and _cuts_left(quote, start):
        start += 1
    while start < end and _cuts_right(quote, end):
        end -= 1
    return Span(start, end)


def count_unspaced(plain: str) -> int:
    """How many letters of scripts written without spaces stand in a text."""
    return len(_UNSPACED_LETTER.findall(plain))


def words_of(plain: str) -> list[str]:
    """The words of a text in comparable form; in scripts written without spaces every character is one."""
    return _WORD.findall(plain)


def _find(wanted: str, plain: str) -> int | None:
    """Where the one stands in the other as whole words, both folded."""
    at = plain.find(wanted)
    while at >= 0:
        if not (_cuts_left(plain, at) or _cuts_right(plain, at + len(wanted))):
            return at
        at += 1
        while at < len(plain) and _cuts_left(plain, at):
            at += 1
        at = plain.find(wanted, at)
    return None


def _begun(quote: str, text: str) -> Span | None:
    """The longest beginning of the quote that the text ends with."""
    at = text.find(quote[0], max(0, len(text) - len(quote)))
    while at >= 0:
        if quote.startswith(text[at:]) and not _cuts_left(text, at):
            return Span(0, len(text) - at)
        at = text.find(quote[0], at + 1)
    return None


def _ended(quote: str, text: str) -> Span | None:
    """The longest end of the quote that the text begins with."""
    end = text.rfind(quote[-1], 0, len(quote)) + 1
    while end > 0:
        if quote.endswith(text[:end]) and not _cuts_right(text, end):
            return Span(len(quote) - end, len(quote))
        end = text.rfind(quote[-1], 0, end - 1) + 1
    return None


def _without_cut_hyphen(text: str) -> str:
    """Without the hyphen of a word whose other half stands in another text."""
    start = 1 if text[0] == "-" and text[1:2].isalpha() else 0
    end = len(text) - 1 if text[-1] == "-" and (text[-2:-1].isalpha() or _is_mark(text[-2:-1] or " ")) else len(text)
    return text[start:end]


def _core(plain: str) -> str:
    """Without punctuation at either end, but with the point of `.5`."""
    core = plain.strip(_EDGE)
    start = len(plain) - len(plain.lstrip(_EDGE))
    lone_point = plain[start - 1 : start] == "." and plain[start - 2 : start - 1] != "."
    return "." + core if lone_point and core[:1].isdigit() else core


def _plain(text: str) -> str:
    """The comparable form without offsets, and many times faster where no character depends on the one before it."""
    if not text.isascii() and any(map(_depends_on_neighbours, set(text))):
        return _normalised(text)[0]
    dropped = _positions(_DROPPED, text) if any(one in text for one in "`~*_\u00ad") else ()
    blank = _positions(_BLANK, text) if any(one in text for one in "#>|-") else ()
    if dropped or blank:
        text = "".join(" " if at in blank else one for at, one in enumerate(text) if at not in dropped)
    lines = _folded_text(text).split("\n")
    kept = "\n".join(words for words in (" ".join(line.split()) for line in lines) if words)
    return (_BROKEN_WORD.sub("", kept) if "-" in kept else kept).replace("\n", " ")


@cache
def _depends_on_neighbours(character: str) -> bool:
    """Accents change places with one another; a raised number stays what it is after a digit."""
    return unicodedata.combining(character) > 0 or unicodedata.category(character) == "No"


@lru_cache(maxsize=1024)
def _normalised(text: str) -> tuple[str, Sequence[int]]:
    """The comparable form of a text, and for each of its characters the offset it came from."""
    if text.isascii() and len(plain := _plain(text)) == len(text):  # no ASCII character grows, so none was left out
        return plain, range(len(text))
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
    return _folded_text(character)


def _folded_text(text: str) -> str:
    """Twice, because folding ℃ brings up a capital letter."""
    if text.isascii():
        return text.lower()  # as below, several times faster
    return unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold()).translate(_SAME)


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
