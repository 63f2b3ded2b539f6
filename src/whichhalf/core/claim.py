"""Claims, the verdicts on them, and the evidence a verdict rests on."""

from typing import Literal

from whichhalf.core.record import Record

Label = Literal["supported", "contradicted", "not_mentioned", "unsure"]


class Claim(Record):
    """One checkable statement of a text."""

    id: int
    """Position in its text, from 1."""
    text: str
    """A statement that can be understood alone, in the language of its text."""
    quote: str = ""
    """The words of the text it was taken from; empty when they were not found there."""


class Evidence(Record):
    """A place in a passage."""

    passage: str
    """Passage id."""
    quote: str
    """The words as they stand in the passage."""
    start: int
    """Offset of the quote in the passage's text, in characters."""


class Verdict(Record):
    """What the judge says of one claim against a list of passages."""

    claim: Claim
    label: Label
    evidence: tuple[Evidence, ...] = ()
    """Every passage that supports (or contradicts) the claim, with a quote found in it."""
    reason: str = ""
    """The judge's own words; empty where it gave none."""
