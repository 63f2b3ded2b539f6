"""Find evidence quotes in a whole corpus by their rarest words, and say which stand nowhere in it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from math import log

from whichhalf.core.case import EvidenceQuote, Passage, Question
from whichhalf.core.held_quotes import Part, wanted_quote
from whichhalf.core.quotes import comparable, words_of

_LOOKED_AT = 300
"""Passages, of those with a common word of the quote, that are looked at after those with its rarest words."""
_RAREST = 3
_COMPARED = 3
"""Passages compared word by word to find the nearest text."""


@dataclass(frozen=True, slots=True)
class UnresolvedQuote:
    """A quote that the corpus does not hold as a whole, not even across neighbouring passages."""

    question: str
    label: EvidenceQuote
    share: float
    """In [0, 1): what the passages together hold of it."""
    nearest: Passage | None
    """The passage with the most similar words; None where none shares a word."""
    snippet: str
    """The words there that are most like the quote."""

    def __str__(self) -> str:
        doc = f" of {self.label.doc!r}" if self.label.doc else ""
        held = f"only {self.share:.0%} of it stands in" if self.share else "stands nowhere in"
        said = f"{self.question}: the quote “{self.label.quote}”{doc} {held} the corpus"
        if self.nearest is None:
            return said
        place = f"{self.nearest.id!r} of {self.nearest.doc!r}" if self.nearest.doc else repr(self.nearest.id)
        return f"{said}; nearest is {place}: “{self.snippet}”"


def unresolved_quotes(questions: Iterable[Question], corpus: Mapping[str, Passage]) -> list[UnresolvedQuote]:
    """Quotes that are not whole in the corpus, in the order of the questions; nothing can ever find all of them."""
    labels = [(question.id, label) for question in questions for label in question.evidence]
    index = QuoteIndex(corpus) if labels else None
    unresolved = []
    for question, label in labels:
        assert index is not None
        wanted = wanted_quote(label)
        share = wanted.share(part for passage in index.holders(label) for part in wanted.parts(passage))
        if share < 1.0:
            unresolved.append(UnresolvedQuote(question, label, share, *index.nearest(label.quote)))
    return unresolved


class QuoteIndex:
    """The words of a corpus, read once: a quote is looked for only where its rarest words stand, and beside that."""

    def __init__(self, corpus: Mapping[str, Passage]) -> None:
        self._passages = list(corpus.values())
        self._places: dict[str, list[int]] = defaultdict(list)
        for number, passage in enumerate(self._passages):
            for word in set(words_of(comparable(passage.text or ""))):
                self._places[word].append(number)

    def holders(self, label: EvidenceQuote) -> tuple[Passage, ...]:
        """The passages found to hold the quote or a part of it, in corpus order; they hold all of it if any do."""
        wanted = wanted_quote(label)
        found: dict[int, list[Part]] = {}
        looked: set[int] = set()
        for turn, word in enumerate(self._rarest_first(label.quote)):
            fresh = set(self._places[word]) - looked
            if turn >= _RAREST and len(looked) + len(fresh) > _LOOKED_AT:
                break
            while fresh:
                looked |= fresh
                new = {number: parts for number in fresh if (parts := wanted.parts(self._passages[number]))}
                found |= new
                beside = {near for number in new for near in (number - 1, number + 1)}
                fresh = {near for near in beside if 0 <= near < len(self._passages)} - looked
            if wanted.share(part for parts in found.values() for part in parts) == 1.0:
                break
        return tuple(self._passages[number] for number in sorted(found))

    def nearest(self, quote: str) -> tuple[Passage | None, str]:
        """The passage whose words are most like those of a quote, and these words as they stand there."""
        totals: dict[int, float] = defaultdict(float)
        for turn, word in enumerate(self._rarest_first(quote)):
            places = self._places[word]
            if turn >= _RAREST and len(places) > _LOOKED_AT:
                break
            for number in places:
                totals[number] += log(1 + len(self._passages) / len(places))
        best = sorted(totals, key=lambda number: (-totals[number], number))[:_COMPARED]
        windows = [
            (self._passages[number], _closest_words(quote, self._passages[number].text or "")) for number in best
        ]
        return max(windows, key=lambda one: _likeness(quote, one[1]), default=(None, ""))

    def _rarest_first(self, quote: str) -> list[str]:
        """The distinct words of a quote that the corpus has, the rarest first."""
        known = [word for word in dict.fromkeys(words_of(comparable(quote))) if word in self._places]
        return sorted(known, key=lambda word: len(self._places[word]))


def _closest_words(quote: str, text: str) -> str:
    """As many words of a text as the quote has, there where most of them are words of the quote."""
    wanted, length = set(words_of(comparable(quote))), max(1, len(quote.split()))
    words = text.split()
    shared = [any(part in wanted for part in words_of(comparable(word))) for word in words]
    starts = range(max(1, len(words) - length + 1))
    start = max(starts, key=lambda one: sum(shared[one : one + length]))
    return " ".join(words[start : start + length])


def _likeness(quote: str, text: str) -> float:
    return SequenceMatcher(None, words_of(comparable(quote)), words_of(comparable(text)), autojunk=False).ratio()
