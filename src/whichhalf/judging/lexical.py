"""The offline judge: a lexical baseline, not a model.

It compares words, numbers, names and negations. It does not understand: a paraphrase, an inference, swapped
roles or a converted unit is out of its sight. It lets every metric run without a key; it replaces no judge.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_
from typing import Literal

from whichhalf.judging.sentences import (
    UNSPACED,
    is_refusal,
    split_into_claims,
    split_sentences,
    without_marker,
    word_set,
)

__all__ = ["LexicalVerdict", "is_refusal", "lexical_verdict", "split_into_claims", "split_sentences"]

SUPPORT_THRESHOLD = 0.75
"""Share of the claim's content words that must be found: three of four, hence all of three."""
CLASH_THRESHOLD = 0.8
"""Share of the content words, numbers apart, from which a differing number or negation is a contradiction."""
WINDOW = 3
"""Neighbouring sentences that are read together: a fact and its subject are often a sentence or two apart."""
_MISSING_FACTOR = 0.7
_CLASH_FACTOR = 0.25  # both factors keep an unsupported score under the threshold, a clash lowest

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
class LexicalVerdict:
    """What the words of the passages say about one claim."""

    label: Literal["supported", "contradicted", "not_mentioned"]
    score: float
    """Share of the claim's content words found, in [0, 1]; >= SUPPORT_THRESHOLD exactly when supported."""
    evidence: tuple[tuple[int, str], ...]
    """(index of the passage, verbatim sentence): each that supports on its own; else those that clash."""


@dataclass(frozen=True, slots=True)
class _Number:
    value: str
    unit: str
    before: str
    after: str

    def agrees_with(self, other: "_Number") -> bool:
        return self.value == other.value and (self.unit == other.unit or not self.unit or not other.unit)

    def rivals(self, other: "_Number", is_sole: bool) -> bool:
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
class _Reading:
    """A sentence or claim, read: distinct content words in order, numbers, and the words it negates."""

    text: str
    words: tuple[str, ...]
    known: frozenset[str]
    names: frozenset[str]
    numbers: tuple[_Number, ...]
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
    kept, negations, at = "", [], 0
    for match in _GLUED_NEGATION.finditer(run):
        kept += "".join(c for c in run[at : match.start()] if c not in _GLUED_FUNCTION)
        negations.append(len(kept))
        at = match.end()
    kept += "".join(c for c in run[at:] if c not in _GLUED_FUNCTION)
    for i in range(max(len(kept) - 1, 1)):
        if i in negations:
            yield _Token("negation", "不")
        if kept:
            yield _Token("word", kept[i : i + 2])
    if negations and negations[-1] >= max(len(kept) - 1, 1):
        yield _Token("negation", "不")


def _read(text: str) -> _Reading:
    tokens = list(_tokens(without_marker(text)))
    told = [token for token in tokens if token.kind != "negation"]
    words = dict.fromkeys(token.text for token in told if token.kind == "word")
    numbers = dict.fromkeys(_number(told, i) for i, token in enumerate(told) if token.kind == "number")
    units = {number.unit for number in numbers}
    return _Reading(
        text=text,
        words=tuple(word for word in words if word not in units),
        known=frozenset(words) | {c for word in words if len(word) == 2 and not word.isascii() for c in word},
        names=frozenset(token.text for token in told if token.is_name and token.text not in units),
        numbers=tuple(numbers),
        negated=frozenset(_negated(tokens)),
    )


def _number(told: Sequence[_Token], i: int) -> _Number:
    left, right = i - 1, i + 1
    unit = ""
    if _word_at(told, right) in _UNIT_NAMES:
        unit, right = _word_at(told, right), right + 1
    if _word_at(told, left) in _MONEY:
        unit, left = unit or _word_at(told, left), left - 1
    return _Number(told[i].text, unit, _word_at(told, left), _word_at(told, right))


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


@lru_cache(maxsize=512)
def _read_sentences(passage: str) -> tuple[_Reading, ...]:
    return tuple(_read(sentence) for sentence in split_sentences(passage))


@dataclass(frozen=True, slots=True)
class _Finding:
    label: Literal["supported", "contradicted", "not_mentioned"]
    score: float
    sentence: str


def lexical_verdict(claim: str, passages: Sequence[str]) -> LexicalVerdict:
    """Whether a passage holds the words, numbers and names of the claim, with no negation on one side only.

    Deterministic. Another passage never takes support away and never lowers the score. Blank passages and
    claims without a content word give no support.
    """
    read = _read(claim)
    findings = [(i, _find(read, _read_sentences(passage))) for i, passage in enumerate(passages)]
    score = max((finding.score for _, finding in findings), default=0.0)
    for label in ("supported", "contradicted"):
        evidence = tuple((i, finding.sentence) for i, finding in findings if finding.label == label)
        if evidence:
            return LexicalVerdict(label, score, evidence)
    return LexicalVerdict("not_mentioned", score, ())


def _find(claim: _Reading, sentences: Sequence[_Reading]) -> _Finding:
    best = _Finding("not_mentioned", 0.0, "")
    if not (claim.words or claim.numbers) or not sentences:
        return best
    masks = [_matches(claim, sentence) for sentence in sentences]
    names = sum(1 << i for i, word in enumerate(claim.words) if word in claim.names)
    has_names = reduce(or_, masks) & names == names
    for i in range(len(masks)):
        finding = _weigh(claim, sentences[i : i + WINDOW], masks[i : i + WINDOW], has_names)
        if finding.score > best.score:
            best = finding
    if best.label != "supported" and has_names:
        for sentence, mask in zip(sentences, masks, strict=True):
            if _clashes(claim, sentence, mask):
                return _Finding("contradicted", best.score, sentence.text)
    return best


def _matches(claim: _Reading, sentence: _Reading) -> int:
    """One bit for each word, then each number, of the claim: is it in the sentence?"""
    found = [word in sentence.known for word in claim.words]
    found += [any(number.agrees_with(other) for other in sentence.numbers) for number in claim.numbers]
    return sum(1 << i for i, is_found in enumerate(found) if is_found)


def _weigh(claim: _Reading, window: Sequence[_Reading], masks: Sequence[int], has_names: bool) -> _Finding:
    union = reduce(or_, masks)
    share = union.bit_count() / (len(claim.words) + len(claim.numbers))
    lead = window[max(range(len(masks)), key=lambda i: masks[i].bit_count())]
    is_sound = has_names and (union >> len(claim.words)).bit_count() == len(claim.numbers)
    score = share if is_sound else share * _MISSING_FACTOR
    if score < SUPPORT_THRESHOLD:
        return _Finding("not_mentioned", score, lead.text)
    if _negates_one_side(claim, lead):
        return _Finding("not_mentioned", score * _CLASH_FACTOR, lead.text)
    return _Finding("supported", score, lead.text)


def _negates_one_side(claim: _Reading, sentence: _Reading) -> bool:
    return bool(claim.negated & sentence.known) != bool(sentence.negated & claim.known)


def _clashes(claim: _Reading, sentence: _Reading, mask: int) -> bool:
    """Whether the sentence says nearly the same, with another number or a negation on one side only."""
    words = mask & ((1 << len(claim.words)) - 1)
    if words.bit_count() < CLASH_THRESHOLD * len(claim.words) or not claim.words:
        return False
    if len(claim.words) == 1 and len(sentence.words) > 3:  # one shared word tells too little
        return False
    missing = [number for i, number in enumerate(claim.numbers) if not mask >> (len(claim.words) + i) & 1]
    if missing:
        is_sole = len(sentence.numbers) == 1
        return any(number.rivals(other, is_sole) for number in missing for other in sentence.numbers)
    return _negates_one_side(claim, sentence)
