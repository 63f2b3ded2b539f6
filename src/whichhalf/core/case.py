"""A question with what the assistant retrieved and answered: the one argument of every metric."""

from typing import Literal

from pydantic import Field, JsonValue

from whichhalf.core.options import Stage
from whichhalf.core.record import Record

LARGEST_GRADE = 900
"""2^grade, summed, must stay a finite number."""


class Passage(Record):
    """A piece of text with an id; `text` is None where only the id was logged."""

    id: str
    text: str | None = None
    doc: str | None = None
    """The document the passage was cut from."""
    score: float | None = None
    """The retriever's own score, higher is better."""


class EvidenceQuote(Record):
    """A label that survives re-chunking: words of a document that answer the question."""

    doc: str | None = None
    quote: str = Field(min_length=1)


class Turn(Record):
    """One message of the conversation before the question."""

    role: str
    content: str


class Question(Record):
    """A labelled question of the golden set."""

    id: str
    text: str
    relevant: dict[str, int] = {}
    """Passage id → grade. A grade of 0 or less is judged not relevant."""
    evidence: tuple[EvidenceQuote, ...] = ()
    reference_answers: tuple[str, ...] = ()
    """Right answers, each complete in itself."""
    answerable: bool = True
    """False for a question the corpus does not answer: a refusal is the right answer."""
    history: tuple[Turn, ...] = ()
    tags: dict[str, str] = {}
    split: Literal["tune", "held_out"] | None = None
    passage_sha256: dict[str, str] = {}
    """Passage id → hash of its text when the labels were made (core/text_hash)."""
    origin: dict[str, str] = {}
    """Where the question came from, for those that were added later."""


class Case(Record):
    """One question with its retrieval and its answer. Tuples are in rank order."""

    question: Question
    retrieved: tuple[Passage, ...] | None = None
    """Candidates of the first search; None when not logged."""
    reranked: tuple[Passage, ...] | None = None
    context: tuple[Passage, ...] | None = None
    """What the model saw; None when not logged, empty when nothing reached it."""
    answer: str | None = None
    has_output: bool = True
    """False when the assistant left no row for the question, or its row is an error."""
    meta: dict[str, JsonValue] = {}

    @property
    def id(self) -> str:
        return self.question.id

    def ranking(self, stage: Stage) -> tuple[Passage, ...] | None:
        """The passages of a stage, best first; None when the stage was not logged."""
        return {"retrieved": self.retrieved, "reranked": self.reranked, "context": self.context}[stage]

    @property
    def last_ranking(self) -> Stage:
        """The stage whose order the assistant worked with: reranked if logged, else retrieved."""
        return "reranked" if self.reranked is not None else "retrieved"
