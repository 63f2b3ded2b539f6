"""Golden sets: the labelled questions everything is scored on."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from whichhalf.core.case import Question
from whichhalf.datasets.columns import map_columns, unmatched_columns
from whichhalf.datasets.json_lines import Row, read_json_lines
from whichhalf.datasets.rows import GoldenRow, check_row
from whichhalf.errors import Fault, InputError

_HEADER = {"golden_set", "version", "corpus_version"}


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """Questions in file order."""

    questions: tuple[Question, ...]
    header: dict[str, str] = field(default_factory=dict)
    """Name, version and corpus version, where the file states them."""
    sha256: str = ""
    """Of the file's bytes."""
    notices: tuple[str, ...] = ()


def load_golden(path: str | Path, columns: Mapping[str, str] | None = None) -> GoldenSet:
    """Read a golden set. Raises InputError that lists every fault of the file with its line."""
    path = Path(path)
    faults: list[Fault] = []
    notes: Counter[str] = Counter()
    rows = list(read_json_lines(path, faults))
    header: dict[str, str] = {}
    if rows and "golden_set" in rows[0].data and rows[0].data.keys() <= _HEADER:
        header = {key: str(value) for key, value in rows.pop(0).data.items()}
    questions: dict[str, tuple[int, Question]] = {}
    for row in rows:
        question = _question(row, path, columns or {}, notes, faults)
        if question is None:
            continue
        if question.id in questions:
            first = questions[question.id][0]
            faults.append(Fault(f"{question.id!r} is already used on line {first}", str(path), row.line, "id"))
        questions.setdefault(question.id, (row.line, question))
    faults += unmatched_columns([row.data for row in rows], columns or {}, set(GoldenRow.model_fields), str(path))
    if not questions and not faults:
        faults.append(Fault("holds no question", str(path)))
    if faults:
        raise InputError(faults)
    return GoldenSet(
        tuple(question for _, question in questions.values()),
        header,
        hashlib.sha256(path.read_bytes()).hexdigest(),
        tuple(f"{path.name}: {count} {what}" for what, count in notes.items()),
    )


def _question(
    row: Row, path: Path, columns: Mapping[str, str], notes: Counter[str], faults: list[Fault]
) -> Question | None:
    data = map_columns(row.data, columns, set(GoldenRow.model_fields))
    read = check_row(GoldenRow, data, str(path), row.line, notes, faults)
    if read is None:
        return None
    if not read.question.strip():
        faults.append(Fault("is blank", str(path), row.line, "question"))
        return None
    if not read.answerable and (read.evidence or any(grade > 0 for grade in read.relevant.values())):
        message = "the question has no answer (answerable = false) yet has relevant passages"
        faults.append(Fault(message, str(path), row.line))
        return None
    return Question(
        id=read.id,
        text=read.question,
        relevant=read.relevant,
        evidence=read.evidence,
        reference_answers=read.reference_answer + read.reference_answers,
        answerable=read.answerable,
        history=read.history,
        tags=read.tags,
        split=read.split,
    )
