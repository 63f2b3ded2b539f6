"""What a file of labels or of rankings holds, told by its name and its first line."""

from pathlib import Path
from typing import Literal

from whichhalf.datasets.json_lines import read_start
from whichhalf.datasets.pair_tables import is_pair_table
from whichhalf.datasets.tables import is_table, read_header
from whichhalf.datasets.trec import split_line

FileKind = Literal["rows", "pairs", "trec"]
"""Golden sets and outputs · tables with a question and a passage a record · TREC qrels and runs."""


def file_kind(path: Path) -> FileKind:
    """Folders and names ending in .jsonl hold rows, tables (.csv, .tsv) rows or pairs by their header; any other name
    is TREC, and so is a table whose first line looks it: qrels are at times called .tsv.

    Raises InputError when a table cannot be read.
    """
    if path.is_dir() or path.name.removesuffix(".gz").endswith(".jsonl"):
        return "rows"
    if not is_table(path) or _looks_trec(path):
        return "trec"
    header = read_header(path)[0]
    return "rows" if "id" in header and not is_pair_table(header) else "pairs"


def _looks_trec(path: Path) -> bool:
    """Whether the fourth word of the first line is a whole number: the grade of qrels, the rank of runs."""
    lines = (split_line(line) for line in read_start(path).split("\n"))
    first = next((parts for parts in lines if parts and not parts[0].startswith("#")), [])
    return len(first) > 3 and first[3].removeprefix("-").isdigit()
