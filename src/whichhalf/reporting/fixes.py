"""What to fix first: how many flagged answers each fix would touch."""

from collections.abc import Sequence
from dataclasses import dataclass

from whichhalf.core.diagnosis import Diagnosis
from whichhalf.reporting.reason_words import Fix, words_of
from whichhalf.triage.flagged import FlaggedAnswer


@dataclass(frozen=True, slots=True)
class FixRow:
    """How many flagged answers one fix would touch."""

    fix: Fix
    labelled: int
    """Answers whose label asks for it; every answer counts in one row."""
    also: int
    """Further answers that would need it after the fix of their label."""
    ids: tuple[str, ...]

    @property
    def touched(self) -> int:
        return self.labelled + self.also


def fails_both_ways(diagnosis: Diagnosis) -> bool:
    """Whether retrieval and generation both failed, whichever gave the label."""
    return {"retrieval", "generation"} <= {diagnosis.half, *(one.half for one in diagnosis.also)}


def fix_rows(answers: Sequence[FlaggedAnswer]) -> tuple[FixRow, ...]:
    """The fix that most labels ask for first."""
    labelled: dict[Fix, list[str]] = {}
    also: dict[Fix, list[str]] = {}
    for answer in answers:
        diagnosis = answer.diagnosis
        own = words_of(diagnosis.reason, diagnosis.half).fix
        labelled.setdefault(own, []).append(answer.flag.id)
        for fix in dict.fromkeys(words_of(one.reason, one.half).fix for one in diagnosis.also):
            if fix != own:
                also.setdefault(fix, []).append(answer.flag.id)
    rows = [
        FixRow(fix, len(labelled.get(fix, ())), len(also.get(fix, ())), (*labelled.get(fix, ()), *also.get(fix, ())))
        for fix in dict.fromkeys([*labelled, *also])
    ]
    return tuple(sorted(rows, key=lambda row: (-row.labelled, -row.touched)))
