"""Golden sets: the labelled questions everything is scored on."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from whichhalf.core.case import Question
from whichhalf.datasets.beir import read_beir
from whichhalf.datasets.row_files import check_rows, read_rows
from whichhalf.datasets.rows import GoldenRow
from whichhalf.errors import Fault, InputError

_HEADER = {"golden_set", "version", "corpus_version"}


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """Questions in file order."""

    questions: tuple[Question, ...]
    header: dict[str, str] = field(default_factory=dict)
    """Name, version and corpus version, where the file states them."""
    sha256: str = ""
    """Of the bytes of the file, or of the files of a folder."""
    notices: tuple[str, ...] = ()


def load_golden(path: str | Path, columns: Mapping[str, str] | None = None) -> GoldenSet:
    """Read a golden set: JSON Lines, a table when the name ends in .csv or .tsv, or a folder laid out as BEIR's.

    `columns` are ours = "theirs"; a folder has none. Raises InputError that lists every fault of the file with its
    line.
    """
    path = Path(path)
    if path.is_dir():
        return _from_beir(path)
    faults: list[Fault] = []
    notes: Counter[str] = Counter()
    rows = read_rows(path, faults)
    header: dict[str, str] = {}
    if rows and "golden_set" in rows[0].data and rows[0].data.keys() <= _HEADER:
        header = {key: str(value) for key, value in rows.pop(0).data.items()}
    questions: dict[str, tuple[int, Question]] = {}
    for line, row in check_rows(rows, GoldenRow, path, columns or {}, notes, faults):
        question = _question(row, path, line, faults)
        if question is None:
            continue
        if question.id in questions:
            first = questions[question.id][0]
            faults.append(Fault(f"{question.id!r} is already used on line {first}", str(path), line, "id"))
        questions.setdefault(question.id, (line, question))
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


def _from_beir(folder: Path) -> GoldenSet:
    beir = read_beir(folder)
    return GoldenSet(beir.questions, {}, beir.sha256, beir.notices)


def _question(read: GoldenRow, path: Path, line: int, faults: list[Fault]) -> Question | None:
    if not read.question.strip():
        faults.append(Fault("is blank", str(path), line, "question"))
        return None
    if not read.answerable and (read.evidence or any(grade > 0 for grade in read.relevant.values())):
        message = "the question has no answer (answerable = false) yet has relevant passages"
        faults.append(Fault(message, str(path), line))
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
        passage_sha256=read.passage_sha256,
        origin=read.origin,
    )
