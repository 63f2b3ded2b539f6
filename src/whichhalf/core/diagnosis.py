"""The label of a wrong answer, with the reason and the evidence for it."""

from typing import Literal

from whichhalf.core.claim import Verdict
from whichhalf.core.options import Rule
from whichhalf.core.record import Record

GuiltyHalf = Literal["retrieval", "generation", "manual"]
HALVES: tuple[GuiltyHalf, ...] = ("retrieval", "generation", "manual")
Basis = Literal["labels", "judged", "replayed"]
Detail = Literal["", "numbers_differ"]
LossPlace = Literal["not_retrieved", "dropped_by_reranker", "ranked_below_cut", "cut_by_context_limit", "chunk_split"]


class LostPassage(Record):
    """A needed passage that did not reach the model."""

    passage: str
    lost: LossPlace
    ranks: dict[str, int | None]
    """Stage → rank there, from 1; None where it is absent. Stages that were not logged are left out."""


class Finding(Record):
    """What one check says of an answer."""

    half: GuiltyHalf
    reason: str
    detail: Detail = ""
    """`numbers_differ` where the answer contradicts the passages in a number alone."""
    basis: Basis
    text: str
    """The reason in plain words."""
    lost: tuple[LostPassage, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    """The claims this finding rests on."""


Given = Literal["needed", "seen_and_missing"]
"""The needed passages alone, or what the model had and the needed ones that were missing."""


class Replay(Record):
    """What the assistant said when it was asked again with other passages."""

    given: Given
    passages: tuple[str, ...]
    answer: str | None = None
    correctness: float | None = None
    """Its answer_correctness."""
    right: bool | None = None
    """Whether that reaches the threshold; None when there is no number."""
    failed: str | None = None
    """Why there is no answer, or no number."""


class Diagnosis(Finding):
    """Which half failed, why, and what the later checks would have said."""

    also: tuple[Finding, ...] = ()
    skipped: tuple[str, ...] = ()
    """Checks whose metric was not asked for, in words."""
    replays: tuple[Replay, ...] = ()
    rule: Rule
    thresholds: dict[str, float]
    """The settings that could have changed the label."""
