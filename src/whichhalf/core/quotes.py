"""Find a quote in a text, tolerating the noise of copying but no change of meaning.

Tolerated: white space, line breaks, case, Unicode forms (NFKD), kinds of dashes and quotation marks, words
broken by a hyphen, invisible characters, Markdown emphasis and table rules. Not tolerated: any changed letter,
digit, sign or unit. A match never begins or ends inside a word or a number.
"""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

_INVISIBLE = dict.fromkeys([0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF])
_DASHES = "-‐‑‒–—―−﹣－"
_LETTER = r"[^\W\d_]"
_BROKEN_WORD = re.compile(rf"(?<={_LETTER})[{_DASHES}](?:\s*\n\s*)?(?={_LETTER})")
_MARKDOWN = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]|>[ \t]?)"  # headings and block quotes
    r"|^[ \t]*\|?[ \t]*:?-{3,}:?[ \t:|-]*$"  # the rule under a table's head
    r"|[*`|~]|(?<!\w)_+|_+(?!\w)",  # emphasis, code and table cells
    re.MULTILINE,
)
_EDGE = " .,;:!?\"'()[]…"
_SAME = str.maketrans({**dict.fromkeys(_DASHES, "-"), **dict.fromkeys("“”„«»″", '"'), **dict.fromkeys("‘’‚′`", "'")})


class Span(NamedTuple):
    """Half-open range of characters in the original text."""

    start: int
    end: int


def find_quote(quote: str, text: str) -> Span | None:
    """Where `quote` first stands in `text` as whole words, or None. An empty quote is never found."""
    wanted = _normalised(quote)[0].strip(_EDGE)
    if not any(character.isalnum() for character in wanted):
        return None
    plain, offsets = _normalised(text)
    at = plain.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (_cuts_left(plain, at) or _cuts_right(plain, end)):
            return Span(offsets[at], offsets[end - 1] + 1)
        at = plain.find(wanted, at + 1)
    return None


@lru_cache(maxsize=1024)
def _normalised(text: str) -> tuple[str, tuple[int, ...]]:
    """The comparable form of a text, and for each of its characters the offset it came from."""
    dropped = {i for match in _BROKEN_WORD.finditer(text) for i in range(*match.span())}
    blank = {i for match in _MARKDOWN.finditer(text) for i in range(*match.span())}
    characters: list[str] = []
    offsets: list[int] = []
    for offset, original in enumerate(text):
        if offset in dropped or ord(original) in _INVISIBLE:
            continue
        folded = " " if offset in blank else unicodedata.normalize("NFKD", original.casefold())
        for character in folded.translate(_SAME):
            if character.isspace():
                if not characters or characters[-1] == " ":
                    continue
                character = " "
            characters.append(character)
            offsets.append(offset)
    return "".join(characters), tuple(offsets)


def _cuts_left(plain: str, at: int) -> bool:
    before, first = plain[at - 1 : at], plain[at]
    if not before:
        return False
    if first.isdigit() and before in ".,-":
        # 5 is not found in 1.5, nor in -5; it is in "limit: 5" and "10-5"
        earlier = plain[at - 2 : at - 1]
        return earlier.isdigit() if before in ".," else not earlier.isalnum()
    return _joined(before, first)


def _cuts_right(plain: str, end: int) -> bool:
    last, after = plain[end - 1], plain[end : end + 1]
    if not after:
        return False
    if last.isdigit() and after in ".,":
        return plain[end + 1 : end + 2].isdigit()
    return (last.isdigit() and after in "%‰°") or unicodedata.combining(after) > 0 or _joined(last, after)


def _joined(left: str, right: str) -> bool:
    """Two characters that belong to one word. Scripts written without spaces have no inner borders."""
    return left.isalnum() and right.isalnum() and not (_unspaced(left) or _unspaced(right))


def _unspaced(character: str) -> bool:
    code = ord(character)
    return 0x0E00 <= code <= 0x0EFF or 0x1000 <= code <= 0x109F or 0x1780 <= code <= 0x17FF or 0x3040 <= code <= 0x9FFF
