"""The lexical verdict: a baseline that compares words, numbers, names and negations.

It does not understand: a paraphrase, an inference, swapped roles or a converted unit is out of its sight.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_
from typing import Literal

from whichhalf.judging.sentences import split_sentences
from whichhalf.judging.word_reading import Reading, read_words

SUPPORT_THRESHOLD = 0.75
"""Share of the claim's content words that must be found: three of four, hence all of three."""
CLASH_THRESHOLD = 0.8
"""Share of the content words, numbers apart, from which a differing number or negation is a contradiction."""
WINDOW = 3
"""Neighbouring sentences that are read together: a fact and its subject are often a sentence or two apart."""
_MISSING_FACTOR = 0.7
_CLASH_FACTOR = 0.25  # both factors keep an unsupported score under the threshold, a clash lowest


@dataclass(frozen=True, slots=True)
class LexicalVerdict:
    """What the words of the passages say about one claim."""

    label: Literal["supported", "contradicted", "not_mentioned"]
    score: float
    """Share of the claim's content words found, in [0, 1]; >= SUPPORT_THRESHOLD exactly when supported."""
    evidence: tuple[tuple[int, str], ...]
    """(index of the passage, verbatim sentence): each that supports on its own; else those that clash."""


@lru_cache(maxsize=512)
def _read_sentences(passage: str) -> tuple[Reading, ...]:
    return tuple(read_words(sentence) for sentence in split_sentences(passage))


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
    read = read_words(claim)
    findings = [(i, _find(read, _read_sentences(passage))) for i, passage in enumerate(passages)]
    score = max((finding.score for _, finding in findings), default=0.0)
    for label in ("supported", "contradicted"):
        evidence = tuple((i, finding.sentence) for i, finding in findings if finding.label == label)
        if evidence:
            return LexicalVerdict(label, score, evidence)
    return LexicalVerdict("not_mentioned", score, ())


def _find(claim: Reading, sentences: Sequence[Reading]) -> _Finding:
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


def _matches(claim: Reading, sentence: Reading) -> int:
    """One bit for each word, then each number, of the claim: is it in the sentence?"""
    found = [word in sentence.known for word in claim.words]
    found += [any(number.agrees_with(other) for other in sentence.numbers) for number in claim.numbers]
    return sum(1 << i for i, is_found in enumerate(found) if is_found)


def _weigh(claim: Reading, window: Sequence[Reading], masks: Sequence[int], has_names: bool) -> _Finding:
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


def _negates_one_side(claim: Reading, sentence: Reading) -> bool:
    return bool(claim.negated & sentence.known) != bool(sentence.negated & claim.known)


def _clashes(claim: Reading, sentence: Reading, mask: int) -> bool:
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
