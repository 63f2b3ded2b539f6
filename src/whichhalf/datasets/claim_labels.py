"""Claims that people checked against passages: what a version of verify_claims is measured with."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field

from whichhalf.core.case import Passage
from whichhalf.core.record import Record
from whichhalf.datasets.columns import check_columns
from whichhalf.datasets.row_files import check_rows, read_rows
from whichhalf.datasets.rows import Id, Passages
from whichhalf.errors import Fault, InputError

_TRUE, _FALSE = (
    {"true", "yes", "1", "supported"},
    {"false", "no", "0", "not_supported", "contradicted", "not_mentioned"},
)


def _truth(value: object) -> object:
    word = str(value).strip().casefold().replace(" ", "_")
    if word not in _TRUE | _FALSE:
        raise ValueError(f"{value!r} is neither true nor false")
    return word in _TRUE


class ClaimLabel(Record):
    """One claim, what it was checked against, and what a person said."""

    id: Id
    claim: str = Field(min_length=1)
    passages: Passages
    """`[{"id", "text"}]`."""
    supported: Annotated[bool, BeforeValidator(_truth)]
    """The passages support all of the claim."""

    @property
    def texts(self) -> tuple[str, ...]:
        return tuple(one.text or "" for one in self.passages or ())


def read_claim_labels(path: str | Path, columns: Mapping[str, str] | None = None) -> tuple[ClaimLabel, ...]:
    """Read JSON Lines with id, claim, passages and supported; `columns` are ours = "theirs", dotted paths reach inside.

    Raises InputError that lists every fault of the file with its line.
    """
    path = Path(path)
    check_columns(columns or {}, set(ClaimLabel.model_fields))
    faults: list[Fault] = []
    labels: dict[str, ClaimLabel] = {}
    for line, row in check_rows(read_rows(path, faults), ClaimLabel, path, columns or {}, Counter(), faults):
        if row.id in labels:
            faults.append(Fault(f"{row.id!r} is used twice", str(path), line, "id"))
        if not _has_text(row.passages):
            faults.append(Fault("holds no text to check the claim against", str(path), line, "passages"))
        labels[row.id] = row
    if not labels and not faults:
        faults.append(Fault("holds no label", str(path)))
    if faults:
        raise InputError(faults)
    return tuple(labels.values())


def _has_text(passages: tuple[Passage, ...] | None) -> bool:
    return any(one.text and one.text.strip() for one in passages or ())
