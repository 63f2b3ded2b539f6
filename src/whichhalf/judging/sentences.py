"""Sentences, found by punctuation and short lists of abbreviations: no model, no language detection.

Everything returned is a verbatim piece of the text it came from, so a quote can always be found again.
"""

import re
from collections.abc import Iterator


def word_set(words: str) -> frozenset[str]:
    """The words of a space-separated list."""
    return frozenset(words.split())


UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
"""Character ranges of scripts written without spaces: Thai, Lao, Burmese, Khmer, kana, Han."""

_HARD_STOPS = "。！？｡．।॥؟۔።។။։"
_CLOSERS = "\"'”’»)\\]】」』）》*_"
_OPENERS = " \t\r\n\f\v\u00a0\u3000\"'“‘«([{*_¿¡—–-"
_BORDER = re.compile(
    rf"(?P<stop>[.!?…{_HARD_STOPS}]+)[{_CLOSERS}]*(?:\[\d{{1,3}}\])*"
    r"|(?<=[\u0e00-\u0e7f])[ \u00a0]+(?=[\u0e00-\u0e7f])"  # Thai has no full stop: a space is the border
)
_LINE = re.compile(r"[^\r\n\v\f\x1c-\x1e\x85\u2028\u2029]+")
_MARKER = re.compile(r"\s*(?:(?:[-*•‣◦▪·–—+]|\(?\d{1,3}[.)]|\(?[A-Za-z][.)])\s+|\d{1,3}、|[①-⑳])\s*")
_NUMBERING = re.compile(r"\W*(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})")
_ACRONYM = re.compile(r"[^\W\d_](?:[^\W_]?\.[^\W\d_])*")  # "J", "U.S", "Ph.D"
_LOOK = 32  # characters seen on each side of a stop: a constant, so that time stays linear

_TITLES = word_set(
    "dr mr mrs ms mx prof st rev hon gov sen rep gen col capt lt sgt fr sr sra srta dra ud uds mme mlle "
    "hr herr e.g eg i.e ie cf vs viz al approx esp incl dept z.b d.h u.a bzw ggf vgl inkl p.ej डॉ श्री "
    "प्रो"
)
_BEFORE_NUMBER = word_set(
    "no nos nr num fig figs eq vol ch sec art para pt p pp pg ver rs inr rm re c ca tel ext abs s núm pág रु"
)
_FIRMS = word_set(
    "inc ltd co corp jr bros llc pvt plc mt ft ave blvd rd jan feb mar apr jun jul aug sept sep oct nov dec"
)
_STARTERS = word_set(
    "the this that these those it he she they we you i in on at if when while a an and but however there "
    "his her its their our my for as by to from with after before since both many most some all no not"
)
_MONTHS = word_set("januar februar märz april mai juni juli august september oktober november dezember")
_CONNECTORS = word_set("a an the of in on at by for to from with and or is was are were der die das und de")


def split_sentences(text: str) -> list[str]:
    """The sentences: verbatim, stripped, in order, not overlapping; every letter and digit is in one.

    List items, table rows, headings and paragraphs are borders; a line that is merely wrapped is not.
    Numbering ("1.") stays with the sentence it numbers. Pieces without a letter or digit are dropped.
    Takes linear time.
    """
    pieces = (text[a:b].strip() for start, end in _blocks(text) for a, b in _cut(text, start, end))
    return [piece for piece in pieces if any(map(str.isalnum, piece))]


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans of lines that belong together: a wrapped line joins the one before it."""
    start = end = 0
    previous = ""
    for match in _LINE.finditer(text):
        line = match[0].strip()
        breaks = text[end : match.start()].replace("\r\n", "\n")
        if not (previous and line and len(breaks) == 1 and _is_wrapped(previous, line)):
            yield start, end
            start = match.start()
        end = match.end()
        previous = line
    yield start, end


def _is_wrapped(previous: str, line: str) -> bool:
    """Whether `line` goes on with the sentence that `previous` began."""
    if any(_is_row(part) for part in (previous, line)) or _MARKER.match(line) or previous.startswith("#"):
        return False
    last = previous[-1]
    if last in ".!?…:：" + _HARD_STOPS:
        return last == "." and _is_abbreviation(previous[-_LOOK:-1], line[:_LOOK])
    if line[0].islower() or last in ",，、" or previous[-_LOOK:].split()[-1].casefold() in _CONNECTORS:
        return True
    long = 25 if _is_unspaced(last) else 50
    return len(previous) >= long and line[0].isalnum() and not line[0].isupper()


def _is_row(line: str) -> bool:
    return line.startswith(("|", "#")) or "\t" in line or " | " in line


def _is_unspaced(character: str) -> bool:
    return re.match(rf"[{UNSPACED}]", character) is not None


def _cut(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    if not text[start : start + 8].lstrip().startswith(("|", "#")):
        for match in _BORDER.finditer(text, start, end):
            if match["stop"] is None or _ends_sentence(text, start, match, end):
                yield start, match.end()
                start = match.end()
    yield start, end


def _ends_sentence(text: str, start: int, match: re.Match[str], end: int) -> bool:
    stop, at = match["stop"], match.start()
    before = text[max(start, at - _LOOK) : at]
    after = text[match.end() : min(end, match.end() + _LOOK)]
    rest = after.lstrip(_OPENERS)
    if not rest:
        return True
    if any(mark in _HARD_STOPS for mark in stop):
        return not (before[-1:].isdigit() and after[0].isdigit())
    if not after[0].isspace():
        return _is_unspaced(after[0]) and not before[-1:].isdigit()
    if rest[0].islower():
        return False
    if stop != ".":
        return True
    is_numbering = at - start <= _LOOK and _NUMBERING.fullmatch(before.strip()) is not None
    return not is_numbering and not _is_abbreviation(before, rest)


def _is_abbreviation(before: str, rest: str) -> bool:
    """Whether the stop between `before` and `rest` belongs to a short form, not to the end of a sentence."""
    words = before.split()
    word = words[-1].lstrip(_OPENERS) if words else ""
    following = re.match(r"\w*", rest)
    next_word = following[0].casefold() if following else ""
    if word.casefold() in _TITLES:
        return True
    if word.casefold() in _BEFORE_NUMBER and next_word[:1].isdigit():
        return True
    if word.isdigit() and len(word) <= 2 and next_word in _MONTHS:  # "am 31. Juli"
        return True
    is_initial = word[:1].isupper() and _ACRONYM.fullmatch(word) is not None
    return (is_initial or word.casefold() in _FIRMS) and next_word not in _STARTERS


def without_marker(sentence: str) -> str:
    """The sentence without its bullet or number: "2. Pay online." gives "Pay online."; a bare "5" stays."""
    marker = _MARKER.match(sentence)
    return sentence[marker.end() :] if marker and marker.end() < len(sentence) else sentence
