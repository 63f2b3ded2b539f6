"""What experts marked, and the labels given to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator

from whichhalf.core.diagnosis import HALVES, Diagnosis
from whichhalf.core.record import Record
from whichhalf.datasets.rows import Id
from whichhalf.errors import Fault, InputError
from whichhalf.triage.expert_rows import read_expert_rows

COLUMNS = "[triage.columns]"
_TRUE = {"true", "yes", "y", "1", "wrong", "x"}
_FALSE = {"false", "no", "n", "0", "right", "ok"}


def _truth(value: object) -> object:
    word = value.strip().casefold() if isinstance(value, str) else value
    if isinstance(word, bool) or word in _TRUE | _FALSE:
        return word is True or word in _TRUE
    raise ValueError(f"{value!r} is neither true nor false")


class Flag(Record):
    """One mark of an expert on one answer."""

    id: Id
    flagged_wrong: Annotated[bool, BeforeValidator(_truth)] = True
    note: str = ""
    by: str = ""


class FlaggedAnswer(Record):
    """One line of triage.jsonl: the label of an answer that was marked wrong."""

    flag: Flag
    """The first mark that calls it wrong."""
    others: tuple[Flag, ...] = ()
    """What other experts said of the same answer."""
    diagnosis: Diagnosis

    @property
    def is_disputed(self) -> bool:
        """Whether another expert found the answer right."""
        return any(not one.flagged_wrong for one in self.others)


@dataclass(frozen=True, slots=True)
class Flags:
    """Flags in file order, one an answer: one expert who calls it wrong is enough."""

    wrong: tuple[Flag, ...]
    fine: tuple[Flag, ...]
    """Of answers that were checked and that nobody called wrong."""
    others: Mapping[str, tuple[Flag, ...]] = field(default_factory=dict)
    """Id → further marks on the same answer, by other experts."""


def read_flags(path: str | Path, columns: Mapping[str, str] | None = None) -> Flags:
    """Read flags from CSV, TSV or JSON Lines; `columns` are ours = "theirs".

    Several experts may mark one answer; the same expert marks it once. Raises InputError listing every fault.
    """
    path = Path(path)
    faults: list[Fault] = []
    marks: dict[str, list[Flag]] = {}
    for line, flag in read_expert_rows(path, Flag, columns or {}, COLUMNS, faults):
        own = marks.setdefault(flag.id, [])
        if any(one.by == flag.by for one in own):
            who = f" by {flag.by!r}" if flag.by else ""
            faults.append(Fault(f"{flag.id!r} is flagged twice{who}", str(path), line, "id"))
        own.append(flag)
    if not marks and not faults:
        faults.append(Fault("holds no flag", str(path)))
    if faults:
        raise InputError(faults)
    leading = [next((one for one in own if one.flagged_wrong), own[0]) for own in marks.values()]
    return Flags(
        tuple(one for one in leading if one.flagged_wrong),
        tuple(one for one in leading if not one.flagged_wrong),
        {flag.id: tuple(one for one in marks[flag.id] if one is not flag) for flag in leading},
    )


def count_halves(answers: Sequence[FlaggedAnswer]) -> dict[str, int]:
    """Half → number of answers; every half is named."""
    return {half: sum(answer.diagnosis.half == half for answer in answers) for half in HALVES}
