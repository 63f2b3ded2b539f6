"""How much of an evidence quote some passages hold together, also where the border of a chunk cuts it.

    share = letters and digits of the quote that the passages hold ÷ all letters and digits of the quote

A passage holds the whole quote, or the part that its own beginning or end cuts off, in whole words (see core/quotes).
Parts of one document that join count as one: a word cut in two is whole again in both. A part on its own counts from
three words and twelve letters or digits on, of which one of a script written without spaces counts as two: a word or
two may agree by accident. The whole quote always counts, however short.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from whichhalf.core.case import EvidenceQuote, Passage, Question
from whichhalf.core.quotes import Span, comparable, count_unspaced, find_parts, whole_words, words_of

MIN_WORDS = 3
MIN_CHARACTERS = 12

Part = tuple[str | None, Span]
"""A document, where the passage names one, and what the passage holds of a quote."""


def scored_by_quotes(question: Question) -> bool:
    """Whether the quotes of a question are its labels: it has some, and no relevant passage id."""
    return bool(question.evidence) and not any(grade > 0 for grade in question.relevant.values())


@dataclass(frozen=True, slots=True)
class WantedQuote:
    """A quote, ready to be looked for."""

    plain: str
    """In comparable form."""
    doc: str | None
    counts: tuple[int, ...]
    """Letters and digits before each position; the last is all of them."""

    @property
    def size(self) -> int:
        return self.counts[-1]

    def parts(self, passage: Passage) -> list[Part]:
        """What a passage holds. One of another document holds nothing; nor does one without text."""
        elsewhere = self.doc is not None and passage.doc is not None and passage.doc != self.doc
        if elsewhere or passage.text is None:
            return []
        return [(passage.doc, span) for span in find_parts(self.plain, comparable(passage.text))]

    def held(self, parts: Iterable[Part]) -> list[Span]:
        """The spans that these parts hold together and that count, in order, without overlap."""
        by_doc: dict[str | None, list[Span]] = {}
        for doc, span in parts:
            by_doc.setdefault(doc, []).append(span)
        runs = [whole_words(self.plain, run) for spans in by_doc.values() for run in self._joined(spans)]
        return self._joined(run for run in runs if self.is_enough(run))

    def share(self, parts: Iterable[Part]) -> float:
        """In [0, 1]; 0 for a quote without a letter or digit, which no passage can hold."""
        return sum(map(self.count, self.held(parts))) / self.size if self.size else 0.0

    def lacking(self, parts: Iterable[Part]) -> list[Span]:
        """What these parts leave out of the quote: where they hold half of it, without gaps of a word or two."""
        held = self.held(parts)
        gaps = self._gaps(held)
        if 2 * sum(map(self.count, held)) < self.size:
            return gaps
        return [gap for gap in gaps if self.is_enough(gap)]

    def count(self, span: Span) -> int:
        """Letters and digits in a span."""
        return self.counts[span.end] - self.counts[span.start]

    def is_enough(self, span: Span) -> bool:
        """Whether a part can stand on its own."""
        count, text = self.count(span), self.plain[span.start : span.end]
        if count == self.size:
            return count > 0
        return count + count_unspaced(text) >= MIN_CHARACTERS and len(words_of(text)) >= MIN_WORDS

    def _joined(self, spans: Iterable[Span]) -> list[Span]:
        """Spans that overlap, or have no letter or digit between them, as one."""
        joined: list[Span] = []
        for span in sorted(spans):
            if joined and self.counts[span.start] <= self.counts[joined[-1].end]:
                joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
            else:
                joined.append(span)
        return joined

    def _gaps(self, held: list[Span]) -> list[Span]:
        starts, ends = [0, *(span.end for span in held)], [*(span.start for span in held), len(self.plain)]
        gaps = [Span(start, end) for start, end in zip(starts, ends, strict=True)]
        return [gap for gap in gaps if self.count(gap)]


@lru_cache(maxsize=4096)
def _wanted(quote: str, doc: str | None) -> WantedQuote:
    plain = comparable(quote)
    return WantedQuote(plain, doc, tuple(accumulate((one.isalnum() for one in plain), initial=0)))


def wanted_quote(label: EvidenceQuote) -> WantedQuote:
    """The quote of a label, ready to be looked for."""
    return _wanted(label.quote, label.doc)
