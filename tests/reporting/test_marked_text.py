"""Marks in a text: nothing of it is lost, and the gravest mark shows."""

from hypothesis import given
from hypothesis import strategies as st

from whichhalf.core.quotes import Span
from whichhalf.reporting.marked_text import Mark, Piece, marked

KINDS = ["contradicted", "not_mentioned", "unsure", "supported", "quote", "against"]


@st.composite
def texts_with_marks(draw: st.DrawFn) -> tuple[str, list[Mark]]:
    text = draw(st.text(min_size=1, max_size=30))
    places = st.integers(0, len(text))
    pairs = draw(st.lists(st.tuples(places, places, st.sampled_from(KINDS)), max_size=5))
    spans = [(min(a, b), max(a, b), kind) for a, b, kind in pairs if a != b]
    return text, [Mark(Span(start, end), kind, str(note)) for note, (start, end, kind) in enumerate(spans)]


@given(texts_with_marks())
def test_the_pieces_are_the_text(drawn: tuple[str, list[Mark]]) -> None:
    text, marks = drawn
    pieces = marked(text, marks)
    assert "".join(piece.text for piece in pieces) == text
    covered = {at for mark in marks for at in range(*mark.span)}
    at = 0
    for piece in pieces:
        assert bool(piece.kind) == (at in covered)
        at += len(piece.text)
    assert sorted(note for piece in pieces for note in piece.notes.split(", ") if note) == sorted(
        {mark.note for mark in marks}
    )


def test_where_marks_overlap_the_gravest_shows() -> None:
    marks = [Mark(Span(0, 6), "supported", "1"), Mark(Span(4, 9), "contradicted", "2"), Mark(Span(4, 9), "unsure", "3")]
    assert marked("abcdefghij", marks) == (
        Piece("abcd", "supported"),
        Piece("ef", "contradicted", "1"),
        Piece("ghi", "contradicted", "2, 3"),
        Piece("j"),
    )


def test_no_marks() -> None:
    assert marked("abc", []) == (Piece("abc"),)
