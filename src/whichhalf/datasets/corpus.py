"""The corpus: passage id → text, for outputs that log ids only."""

from collections import Counter
from pathlib import Path

from whichhalf.core.case import Passage
from whichhalf.datasets.json_lines import read_json_lines
from whichhalf.datasets.rows import CorpusRow, check_row
from whichhalf.errors import Fault, InputError


def load_corpus(path: str | Path) -> dict[str, Passage]:
    """Read a corpus. Raises InputError that lists every fault of the file with its line."""
    path = Path(path)
    faults: list[Fault] = []
    passages: dict[str, Passage] = {}
    for row in read_json_lines(path, faults):
        read = check_row(CorpusRow, row.data, str(path), row.line, Counter(), faults)
        if read is None:
            continue
        if read.id in passages:
            faults.append(Fault(f"{read.id!r} is used twice", str(path), row.line, "id"))
        passages[read.id] = Passage(id=read.id, text=read.text, doc=read.doc)
    if faults:
        raise InputError(faults)
    return passages
