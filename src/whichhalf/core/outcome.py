"""What a metric says of a case: a number, or the reason there is none."""

from typing import Annotated, Literal

from pydantic import Field

from whichhalf.core.claim import Verdict
from whichhalf.core.record import Record

UndefinedReason = Literal[
    "no_relevant_labels",
    "no_answer_question",
    "answerable_question",
    "no_passage_labels",
    "no_claims",
    "no_reference_claims",
    "nothing_to_use",
    "refused",
    "no_reference_answer",
    "context_not_logged",
    "missing_output",
]

Unit = Annotated[float, Field(ge=0.0, le=1.0)]


class WrittenQuestion(Record):
    """A question that the judge wrote from the answer alone."""

    text: str
    evasive: bool
    """The judge says that the answer does not really reply to it."""
    cosine: float | None = None
    """With the question that was really asked; None where it was not embedded."""


class Scored(Record):
    """A finite number in [0, 1]."""

    kind: Literal["scored"] = "scored"
    value: Unit
    bounds: tuple[Unit, Unit] | None = None
    """Where the value could lie if every unsure verdict went one way or the other."""
    verdicts: tuple[Verdict, ...] = ()
    questions: tuple[WrittenQuestion, ...] = ()
    notes: tuple[str, ...] = ()
    """What a reader should know about this number, in plain sentences."""


class Undefined(Record):
    """The question has no numeric answer here; not in the mean, counted."""

    kind: Literal["undefined"] = "undefined"
    because: UndefinedReason
    notes: tuple[str, ...] = ()


class Failed(Record):
    """The number exists but we did not get it; not in the mean, counted."""

    kind: Literal["failed"] = "failed"
    stage: str
    """Where it failed: the prompt's name, or `embedding`."""
    error: str
    """One word, counted in reports."""
    message: str
    raw: str | None = None
    """What the judge replied, where it replied at all."""


Outcome = Annotated[Scored | Undefined | Failed, Field(discriminator="kind")]
