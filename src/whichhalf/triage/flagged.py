"""What the expert marked, and the labels given to it."""

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator

from whichhalf.core.diagnosis import HALVES, Diagnosis
from whichhalf.core.record import Record
from whichhalf.datasets.json_lines import Row, read_json_lines, read_text
from whichhalf.datasets.rows import Id, check_row
from whichhalf.errors import Fault, InputError

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
        flag = check_row(Flag, _known(row.data), str(path), row.line, Counter(), faults)
        if flag is None:
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
    try:
        if "id" not in (reader.fieldnames or []):
            have = ", ".join(reader.fieldnames or ["none"])
            raise InputError(Fault(f"needs a column 'id'; it has {have}", str(path), 1))
        return [Row(reader.line_num, dict(row)) for row in reader]
    except csv.Error as error:
        message = f"not valid CSV ({str(error).partition(' - ')[0]})"
        raise InputError(Fault(message, str(path), reader.line_num + 1)) from error


def _known(data: Mapping[str, object]) -> dict[str, object]:
    """Columns we do not know are the expert's own and left alone; an empty cell says nothing."""
    return {key: data[key] for key in Flag.model_fields if data.get(key) not in (None, "")}
