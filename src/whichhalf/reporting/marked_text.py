"""A text cut into pieces, so that a page can mark some of its words without touching the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from whichhalf.core.quotes import Span

_GRAVEST_FIRST = ("contradicted", "against", "not_mentioned", "unsure", "supported", "quote")


@dataclass(frozen=True, slots=True)
class Mark:
    span: Span
    kind: str
    """A verdict label, or `quote` and `against` for words of a passage."""
    note: str
    """What stands after the marked words, such as the number of the claim."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that are marked alike."""

    text: str
    kind: str = ""
    """Empty for words without a mark."""
    notes: str = ""
    """Notes of the marks that end with this piece."""


def marked(text: str, marks: Sequence[Mark]) -> tuple[Piece, ...]:
    """The whole text in pieces; joined, they give it back. Where marks overlap the gravest kind is shown."""
    borders = sorted({0, len(text), *(one for mark in marks for one in mark.span)})
    return tuple(_piece(text, Span(start, end), marks) for start, end in pairwise(borders))


def _piece(text: str, span: Span, marks: Sequence[Mark]) -> Piece:
    over = [mark for mark in marks if mark.span.start <= span.start and span.end <= mark.span.end]
    kind = min((mark.kind for mark in over), key=_GRAVEST_FIRST.index, default="")
    notes = dict.fromkeys(mark.note for mark in over if mark.span.end == span.end)
    return Piece(text[span.start : span.end], kind, ", ".join(notes))
