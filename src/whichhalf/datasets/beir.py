"""A folder laid out as the BEIR sets are.

    queries.jsonl   {"_id", "text"}            corpus.jsonl   {"_id", "title", "text"}
    qrels/*.tsv     header query-id, corpus-id, score; one file a split

Any of them may be gzipped. Other keys are left alone.
"""

import hashlib
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from pydantic import ConfigDict, Field

from whichhalf.core.case import LARGEST_GRADE, Passage, Question
from whichhalf.core.record import Record
from whichhalf.datasets.json_lines import read_json_lines
from whichhalf.datasets.rows import Id, check_row
from whichhalf.errors import Fault, InputError

_USUAL_SPLITS = ("test", "dev")


class BeirQuery(Record):
    """One line of queries.jsonl."""

    model_config = ConfigDict(extra="ignore")
    id: Id = Field(alias="_id")
    text: str


class BeirPassage(Record):
    """One line of corpus.jsonl."""

    model_config = ConfigDict(extra="ignore")
    id: Id = Field(alias="_id")
    title: str | None = None
    text: str

    def passage(self) -> Passage:
        """Title, line break, text; a blank title is left out."""
        has_title = self.title is not None and self.title.strip()
        return Passage(id=self.id, text=f"{self.title}\n{self.text}" if has_title else self.text)


@dataclass(frozen=True, slots=True)
class BeirSet:
    """The questions of one split, in the order of queries.jsonl."""

    questions: tuple[Question, ...]
    sha256: str
    """Of queries.jsonl and the labels of the split."""
    notices: tuple[str, ...]


def file_of(folder: Path, name: str) -> Path:
    """The file, or its gzipped form where only that is there."""
    plain, gzipped = folder / name, folder / f"{name}.gz"
    return gzipped if gzipped.exists() and not plain.exists() else plain


def read_beir(folder: Path) -> BeirSet:
    """Questions with the labels of the split test, else dev, else of the only one.

    A query without labels is a question without labels; one that only another split labels is left out. Raises
    InputError listing every fault with file and line.
    """
    splits = _splits(folder)
    split = _chosen(folder, splits)
    path = file_of(folder, "queries.jsonl")
    notes: Counter[str] = Counter()
    faults: list[Fault] = []
    queries = _queries(path, notes, faults)
    labels = {name: _labels(file, queries, faults) for name, file in splits.items()}
    if faults:
        raise InputError(faults)
    own = labels.pop(split)
    elsewhere = {question for grades in labels.values() for question in grades} - own.keys()
    notices = [f"{path.name}: {count} {what}" for what, count in notes.items()]
    if elsewhere:
        notices.append(f"{len(elsewhere)} question(s) left out: labelled in {', '.join(labels)}, not in {split}")
    return BeirSet(
        tuple(
            Question(id=one, text=text, relevant=own.get(one, {}))
            for one, text in queries.items()
            if one not in elsewhere
        ),
        hashlib.sha256(path.read_bytes() + splits[split].read_bytes()).hexdigest(),
        tuple(notices),
    )


def _splits(folder: Path) -> dict[str, Path]:
    """Name → file of every split. Raises InputError when there is none."""
    found = sorted(path for ending in ("*.tsv", "*.tsv.gz") for path in (folder / "qrels").glob(ending))
    if not found:
        raise InputError(
            Fault("holds no qrels/*.tsv; a golden set is a file, or a folder laid out as BEIR's", str(folder))
        )
    return {path.name.partition(".tsv")[0]: path for path in found}


def _chosen(folder: Path, splits: Collection[str]) -> str:
    usual = [one for one in _USUAL_SPLITS if one in splits]
    if not usual and len(splits) > 1:
        raise InputError(Fault(f"has the splits {', '.join(splits)}, none of them test or dev", str(folder / "qrels")))
    return [*usual, *splits][0]


def _queries(path: Path, notes: Counter[str], faults: list[Fault]) -> dict[str, str]:
    """Id → text; faults are appended to `faults`. Raises InputError only when the file cannot be read."""
    before = len(faults)
    queries: dict[str, str] = {}
    for row in read_json_lines(path, faults):
        read = check_row(BeirQuery, row.data, str(path), row.line, notes, faults)
        if read is None:
            continue
        if read.id in queries:
            faults.append(Fault(f"{read.id!r} is used twice", str(path), row.line, "_id"))
        if not read.text.strip():
            faults.append(Fault("is blank", str(path), row.line, "text"))
        queries[read.id] = read.text
    if not queries and len(faults) == before:
        faults.append(Fault("holds no question", str(path)))
    return queries


def _labels(path: Path, queries: Collection[str], faults: list[Fault]) -> dict[str, dict[str, int]]:
    """Question → passage → grade; faults are appended to `faults`."""
    # here, since polars behind it takes a third of a second to load, and most golden sets are no BEIR folder
    from whichhalf.datasets.pair_tables import label_records, read_label_table

    try:
        frame = read_label_table(path)
    except InputError as error:
        faults += error.faults
        return {}
    labels: dict[str, dict[str, int]] = {}
    for question, passage, grade in frame.iter_rows():
        labels.setdefault(question, {})[passage] = grade
    if labels.keys() <= set(queries) and max(frame["grade"]) <= LARGEST_GRADE:
        return labels
    for line, (question, _, grade) in label_records(path):
        if question not in queries:
            faults.append(Fault(f"{question!r} is no query of queries.jsonl", str(path), line))
        if int(grade) > LARGEST_GRADE:
            faults.append(Fault(f"is {grade}; grades go up to {LARGEST_GRADE}", str(path), line, "score"))
    return labels
