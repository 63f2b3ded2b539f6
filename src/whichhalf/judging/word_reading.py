"""Read a sentence as words, numbers with their units, names and negations, in many scripts."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Literal

from whichhalf.judging.sentences import UNSPACED, without_marker, word_set

_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0971-\u0e00"
_GLUED = rf"{UNSPACED}\uac00-\ud7af"
_TOKEN = re.compile(
    rf"(?P<half>(?<=\d)\s?[AaPp]\.?\s?[Mm]\b\.?)|(?P<number>\d+(?:[.,]\d+)*)|(?P<glued>[{_GLUED}]+)"
    rf"|(?P<word>(?:(?![{_GLUED}\d_])[\w{_MARKS}])+(?:['’][^\W\d_]+)?)|(?P<sign>[%$€£¥₹°])"
)
_NOISE = re.compile(  # citations, "no. 5", "not only", "no later than": what looks like a fact and is none
    r"\[\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*\]|\bno\.?(?=\s?\d)"
    r"|\b(?:not|no|nicht|no solo)\s(?:only|just|later|more|less|fewer|sooner|nur)\b",
    re.IGNORECASE,
)
_AMBIGUOUS = re.compile(r"\d{1,3}\.\d{3}|.*,.*")  # a decimal sign in one country, a group sign in another
_GROUPED = re.compile(r"\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?")

_FUNCTION_WORDS = word_set(
    "a an the this that these those it its he she they we you i me him her us them his their our your my "
    "one who whom whose which what when where how is are was were be been being am do does did done have "
    "has had having will would shall should can could may might must of in on at by for to from with as "
    "into onto upon about over under than then so such and or but if while because since also too very "
    "just only both each all any some other more most there here up out off per via etc however during "
    "within between among after before own same s t re ve ll d m st nd rd th said says according der das "
    "den dem des ein eine einer einem einen und oder ist sind waren wird werden von zu im für auf el la "
    "un una y o es fue de del al en por para con que se su le les et est sont du dans pour au aux है हैं "
    "था थी थे का की के को में से पर और यह वह hai hain tha thi ka ki ke ko mein se par aur yeh"
)
_GLUED_FUNCTION = frozenset("的了是はがをの")
_NEGATIONS = word_set(
    "not no never cannot without neither nor none nobody nothing non nicht kein keine keinen keinem "
    "keiner nie niemals ohne nunca jamás ne pas jamais sans nahi nahin nahī नहीं नही मत बिना"
)
_NEGATES_BEFORE = word_set("nahi nahin नहीं नही मत बिना pas")
_GLUED_NEGATION = re.compile("不(?![仅但过同断])|(?<![淹埋])没(?!收)|无(?![论锡])|未(?!来)|ません|ない")
# two of these tell German, where every noun has a capital
_CAPITALISING = word_set("der die das und ist ein eine nicht den dem mit für von im zu wird")
_NUMBER_WORDS = {
    "two": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7", "eight": "8", "nine": "9",
    "ten": "10", "eleven": "11", "twelve": "12",
}  # fmt: skip


def _stem(word: str) -> str:
    """The word without a common English ending: "closing", "closed" and "closes" give "clos"."""
    if not word.isascii() or len(word) < 4:
        return word
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending, rest in (("ing", 3), ("ed", 3), ("ly", 4)):
        stem = word[: -len(ending)]
        is_ending = word.endswith(ending) and not word.endswith("eed") and re.search("[aeiouy]", stem)
        if is_ending and len(stem) >= rest:
            word = stem[:-1] if stem[-1] == stem[-2] and stem[-1] not in "sl" else stem
            break
    if len(word) > 3 and word.endswith(("e", "i", "y")):
        word = word.removesuffix("e") if word[-1] == "e" else word[:-1] + "i"
    return word.removesuffix("i") + "i" if word.endswith("ii") else word


_UNITS = {
    _stem(name): names.split()[0]
    for names in (
        "km kilometre kilometer", "metre meter", "cm centimetre centimeter", "mm millimetre millimeter",
        "mile", "inch", "kg kilogram kilo", "g gram", "mg milligram", "ton tonne", "litre liter", "ml",
        "degree °", "percent % percentage", "second sec", "minute min", "hour hr",
        "day tag día jour दिन din", "week woche", "month monat mes mois महीने mahine", "year yr jahr año",
        "rupee rs inr ₹ रुपये rupaye", "dollar $ usd", "euro € eur", "pound £ gbp", "yen ¥ jpy",
        "hundred", "thousand", "lakh", "million mio", "crore", "billion", "kb", "mb", "gb", "tb", "am", "pm",
    )
    for name in names.split()
}  # fmt: skip
_UNIT_NAMES = frozenset(_UNITS.values())
_MONEY = word_set("rupee dollar euro pound yen")


@dataclass(frozen=True, slots=True)
class Number:
    value: str
    unit: str
    before: str
    after: str

    def agrees_with(self, other: "Number") -> bool:
        return self.value == other.value and (self.unit == other.unit or not self.unit or not other.unit)

    def rivals(self, other: "Number", is_sole: bool) -> bool:
        """Whether the other counts the same thing: by a word beside it, or by its unit if alone."""
        pairs = [(self.before, other.before), (self.after, other.after)]
        pairs += [(self.unit, other.unit)] if is_sole else []
        is_alike = any(ours and ours == theirs for ours, theirs in pairs)
        is_clear = not (_AMBIGUOUS.fullmatch(self.value) or _AMBIGUOUS.fullmatch(other.value))
        is_same_kind = self._is_year() == other._is_year()
        return is_alike and is_clear and is_same_kind and not self.agrees_with(other)

    def _is_year(self) -> bool:
        return len(self.value) == 4 and self.value.isdigit() and "1000" <= self.value <= "2100"


@dataclass(frozen=True, slots=True)
class Reading:
    """A sentence or claim, read: distinct content words in order, numbers, and the words it negates."""

    text: str
    words: tuple[str, ...]
    known: frozenset[str]
    names: frozenset[str]
    numbers: tuple[Number, ...]
    negated: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Token:
    kind: Literal["word", "number", "negation"]
    text: str
    is_name: bool = False


def _value(digits: str) -> str:
    """Equal texts for equal numbers: "1,500" and "1500", "3.50" and "3.5"; "1,5", "1.500" stay as written."""
    digits = "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in digits)
    if _GROUPED.fullmatch(digits):
        digits = digits.replace(",", "")
    elif _AMBIGUOUS.fullmatch(digits):
        return digits
    if re.fullmatch(r"\d+\.\d+", digits):
        digits = digits.rstrip("0").rstrip(".")
    return digits.lstrip("0") or "0" if digits.isdigit() else digits


def _tokens(text: str) -> Iterator[_Token]:
    text = unicodedata.normalize("NFKC", _NOISE.sub(" ", text))
    marks_names = not text.isupper() and len(_CAPITALISING & set(text.casefold().split())) < 2
    end = 0
    for match in _TOKEN.finditer(text):
        starts = not end or re.search(r"[.!?:\n]", text[end : match.start()]) is not None
        end = match.end()
        raw = match[0].casefold().replace("’", "'")
        if match["number"]:
            yield _Token("number", _value(raw))
        elif match["glued"]:
            yield from _glued(raw)
        elif match["half"] or match["sign"]:
            yield _Token("word", _UNITS.get(raw.replace(".", "").replace(" ", ""), raw))
        else:
            yield from _words(raw, is_name=marks_names and not starts and match[0][0].isupper())


def _words(raw: str, is_name: bool) -> Iterator[_Token]:
    stem, _, suffix = raw.partition("'")
    if raw.endswith("n't"):
        yield _Token("negation", "not")
    elif raw in _NEGATIONS:
        yield _Token("negation", raw)
    elif raw in _NUMBER_WORDS:
        yield _Token("number", _NUMBER_WORDS[raw])
    else:
        for part in (stem, suffix):
            if part and part not in _FUNCTION_WORDS:
                yield _Token("word", _UNITS.get(_stem(part), _stem(part)), is_name)


def _glued(run: str) -> Iterator[_Token]:
    """Pairs of neighbouring characters; a negation is taken out, so that both sides share pairs."""
    parts = ["".join(c for c in part if c not in _GLUED_FUNCTION) for part in _GLUED_NEGATION.split(run)]
    kept = "".join(parts)
    last = max(len(kept) - 2, 0)  # where the last pair starts
    negations = {min(at, last + 1) for at in accumulate(map(len, parts[:-1]))}
    for i in range(last + 1):
        if i in negations:
            yield _Token("negation", "不")
        if kept:
            yield _Token("word", kept[i : i + 2])
    if last + 1 in negations:
        yield _Token("negation", "不")


def read_words(text: str) -> Reading:
    """Distinct content words in order; function words are left out, units stay with their numbers."""
    tokens = list(_tokens(without_marker(text)))
    told = [token for token in tokens if token.kind != "negation"]
    words = dict.fromkeys(token.text for token in told if token.kind == "word")
    numbers = dict.fromkeys(_number(told, i) for i, token in enumerate(told) if token.kind == "number")
    units = {number.unit for number in numbers}
    return Reading(
        text=text,
        words=tuple(word for word in words if word not in units),
        known=frozenset(words) | {c for word in words if len(word) == 2 and not word.isascii() for c in word},
        names=frozenset(token.text for token in told if token.is_name and token.text not in units),
        numbers=tuple(numbers),
        negated=frozenset(_negated(tokens)),
    )


def _number(told: Sequence[_Token], i: int) -> Number:
    left, right = i - 1, i + 1
    unit = ""
    if _word_at(told, right) in _UNIT_NAMES:
        unit, right = _word_at(told, right), right + 1
    if _word_at(told, left) in _MONEY:
        unit, left = unit or _word_at(told, left), left - 1
    return Number(told[i].text, unit, _word_at(told, left), _word_at(told, right))


def _word_at(told: Sequence[_Token], i: int) -> str:
    return told[i].text if 0 <= i < len(told) and told[i].kind == "word" else ""


def _negated(tokens: Sequence[_Token]) -> Iterator[str]:
    """The words a negation bears on: the next one; in Hindi, and at the end of a sentence, the one before."""
    for i, token in enumerate(tokens):
        if token.kind == "negation":
            if i + 1 < len(tokens):
                yield tokens[i + 1].text
            if i and (i + 1 == len(tokens) or token.text in _NEGATES_BEFORE):
                yield tokens[i - 1].text
