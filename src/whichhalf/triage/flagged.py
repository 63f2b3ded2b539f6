"""What the expert marked, and the labels given to it."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from whichhalf.core.diagnosis import HALVES, Diagnosis
from whichhalf.core.record import Record
from whichhalf.datasets.json_lines import Row, read_json_lines, read_text
from whichhalf.datasets.rows import Id
from whichhalf.errors import Fault, InputError

_TRUE = {"true", "yes", "y", "1", "wrong", "x"}
_FALSE = {"false", "no", "n", "0", "right", "ok"}


class Flag(Record):
    """One mark of an expert on one answer."""

    id: Id
    flagged_wrong: bool = True
    note: str = ""
    by: str = ""


class FlaggedAnswer(Record):
    """One line of triage.jsonl: the label of an answer that was marked wrong."""

    flag: Flag
    diagnosis: Diagnosis


@dataclass(frozen=True, slots=True)
class Flags:
    """Flags in file order."""

    wrong: tuple[Flag, ...]
    fine: tuple[Flag, ...]
    """Checked and found right."""


def read_flags(path: str | Path) -> Flags:
    """Read flags from CSV, or JSON Lines when the name ends in .jsonl. Raises InputError listing every fault."""
    path = Path(path)
    faults: list[Fault] = []
    rows = list(read_json_lines(path, faults)) if path.suffix == ".jsonl" else _read_csv(path)
    flags: dict[str, Flag] = {}
    for row in rows:
        try:
            flag = _flag(row.data)
        except ValueError as error:
            faults.append(Fault(str(error), str(path), row.line))
            continue
        if flag.id in flags:
            faults.append(Fault(f"{flag.id!r} is flagged twice", str(path), row.line, "id"))
        flags[flag.id] = flag
    if not flags and not faults:
        faults.append(Fault("holds no flag", str(path)))
    if faults:
        raise InputError(faults)
    wrong = tuple(flag for flag in flags.values() if flag.flagged_wrong)
    return Flags(wrong, tuple(flag for flag in flags.values() if not flag.flagged_wrong))


def count_halves(answers: Sequence[FlaggedAnswer]) -> dict[str, int]:
    """Half → number of answers; every half is named."""
    return {half: sum(answer.diagnosis.half == half for answer in answers) for half in HALVES}


def _read_csv(path: Path) -> list[Row]:
    reader = csv.DictReader(io.StringIO(read_text(path)))
    if "id" not in (reader.fieldnames or []):
        raise InputError(Fault(f"needs a column 'id'; it has {', '.join(reader.fieldnames or ['none'])}", str(path), 1))
    return [Row(reader.line_num, dict(row)) for row in reader]


def _flag(data: Mapping[str, object]) -> Flag:
    """Columns we do not know are the expert's own and left alone."""
    known = {key: data[key] for key in Flag.model_fields if data.get(key) not in (None, "")}
    wrong = known.get("flagged_wrong", True)
    if isinstance(wrong, str):
        word = wrong.strip().casefold()
        if word not in _TRUE | _FALSE:
            raise ValueError(f"flagged_wrong: {wrong!r} is neither true nor false")
        known["flagged_wrong"] = word in _TRUE
    elif not isinstance(wrong, bool):
        raise ValueError(f"flagged_wrong: {wrong!r} is neither true nor false")
    if "id" not in known:
        raise ValueError("id: is missing")
    return Flag.model_validate(known)
