"""The corpus: passage id → text, for outputs that log ids only."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from whichhalf.core.case import Passage
from whichhalf.datasets.beir import BeirPassage, file_of
from whichhalf.datasets.json_lines import Row
from whichhalf.datasets.row_files import check_rows, read_rows
from whichhalf.datasets.rows import CorpusRow, check_row
from whichhalf.errors import Fault, InputError


class Corpus(dict[str, Passage]):
    """Passages by id, in file order."""

    notices: tuple[str, ...] = ()
    """What was converted while reading."""


def load_corpus(path: str | Path) -> Corpus:
    """Read a corpus: JSON Lines or a table of id, text and doc, or the corpus.jsonl of a BEIR folder, or the folder.

    A BEIR title stands before its text on a line of its own. Raises InputError that lists every fault of the file
    with its line.
    """
    path = Path(path)
    if path.is_dir():
        path = file_of(path, "corpus.jsonl")
    faults: list[Fault] = []
    notes: Counter[str] = Counter()
    passages = Corpus()
    rows = read_rows(path, faults)
    id_field = "_id" if rows and "_id" in rows[0].data else "id"
    for line, passage in (_beir_passages if id_field == "_id" else _passages)(rows, path, notes, faults):
        if passage.id in passages:
            faults.append(Fault(f"{passage.id!r} is used twice", str(path), line, id_field))
        passages[passage.id] = passage
    if faults:
        raise InputError(faults)
    passages.notices = tuple(f"{path.name}: {count} {what}" for what, count in notes.items())
    return passages


def _passages(
    rows: Sequence[Row], path: Path, notes: Counter[str], faults: list[Fault]
) -> Iterator[tuple[int, Passage]]:
    for line, row in check_rows(rows, CorpusRow, path, {}, notes, faults):
        yield line, Passage(id=row.id, text=row.text, doc=row.doc)


def _beir_passages(
    rows: Sequence[Row], path: Path, notes: Counter[str], faults: list[Fault]
) -> Iterator[tuple[int, Passage]]:
    for row in rows:
        read = check_row(BeirPassage, row.data, str(path), row.line, notes, faults)
        if read is not None:
            yield row.line, read.passage()
