"""What the expert says of the labels: how far they agree, and which were overturned."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator

from whichhalf.core.diagnosis import HALVES, GuiltyHalf
from whichhalf.core.record import Record
from whichhalf.datasets.rows import Id
from whichhalf.errors import Fault, InputError
from whichhalf.statistics.agreement import Agreement, agreement
from whichhalf.triage.expert_rows import read_expert_rows
from whichhalf.triage.flagged import FlaggedAnswer


def _half(value: object) -> object:
    word = value.strip().casefold() if isinstance(value, str) else value
    if word not in HALVES:
        raise ValueError(f"{value!r} is none of {', '.join(HALVES)}")
    return word


class ExpertVerdict(Record):
    """One row of the file: `expert_half` is empty where the expert has not looked yet."""

    id: Id
    expert_half: Annotated[GuiltyHalf, BeforeValidator(_half)] | None = None
    expert_note: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """Labels beside the expert's verdicts."""

    agreement: Agreement
    """First the label, then the expert."""
    overturned: tuple[tuple[FlaggedAnswer, ExpertVerdict], ...]
    unread: int
    """Labelled answers without a verdict."""
    unknown: tuple[str, ...]
    """Ids with a verdict that have no label."""


def read_verdicts(path: str | Path) -> list[ExpertVerdict]:
    """Read CSV, TSV or JSON Lines with id, expert_half and expert_note; other columns are left alone.

    Raises InputError that lists every fault, also when no verdict is filled in.
    """
    path = Path(path)
    faults: list[Fault] = []
    found: dict[str, ExpertVerdict] = {}
    for line, verdict in read_expert_rows(path, ExpertVerdict, {}, "", faults):
        if verdict.id in found:
            faults.append(Fault(f"{verdict.id!r} has two verdicts", str(path), line, "id"))
        found[verdict.id] = verdict
    if not faults and all(one.expert_half is None for one in found.values()):
        faults.append(Fault("holds no verdict: fill in the column expert_half", str(path)))
    if faults:
        raise InputError(faults)
    return list(found.values())


def review_labels(answers: Sequence[FlaggedAnswer], verdicts: Sequence[ExpertVerdict]) -> Review:
    """Raises InputError when no verdict belongs to a labelled answer."""
    given = {one.id: one for one in verdicts if one.expert_half is not None}
    pairs = [(answer, given[answer.flag.id]) for answer in answers if answer.flag.id in given]
    if not pairs:
        raise InputError("no verdict belongs to a labelled answer of this run: run triage with --flags first")
    labelled = {answer.flag.id for answer in answers}
    return Review(
        agreement([answer.diagnosis.half for answer, _ in pairs], [one.expert_half for _, one in pairs]),
        tuple((answer, one) for answer, one in pairs if answer.diagnosis.half != one.expert_half),
        len(answers) - len(pairs),
        tuple(one for one in given if one not in labelled),
    )
