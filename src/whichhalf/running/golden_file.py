"""Write a golden set as a new file, under a new version: the old one is frozen, and never changed."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from whichhalf.core.case import Question
from whichhalf.errors import Fault, InputError
from whichhalf.running.run_folder import write_text
from whichhalf.running.writable import check_writable

_LAST_NUMBER = re.compile(r"[0-9]+(?=[^0-9]*$)")


def check_new_golden(path: Path) -> None:
    """Raises InputError when no new golden set could be written there."""
    if not path.name.endswith(".jsonl"):
        raise InputError(Fault("a golden set is written as JSON Lines: let its name end in .jsonl", str(path)))
    if path.exists():
        raise InputError(Fault("already exists; golden sets are frozen, so name another file", str(path)))
    if not path.parent.is_dir():
        raise InputError(Fault("the folder does not exist", str(path.parent)))
    check_writable(path.parent)


def write_golden(path: Path, header: Mapping[str, str], questions: Sequence[Question]) -> None:
    """JSON Lines that `load_golden` reads as the same header and questions. Raises InputError if the file exists."""
    check_new_golden(path)
    rows = filter(None, [dict(header), *map(_row, questions)])
    write_text(path, "".join(f"{json.dumps(row, ensure_ascii=False, allow_nan=False)}\n" for row in rows))


def next_header(header: Mapping[str, str], name: str) -> dict[str, str]:
    """The header of the next version; a golden set that states none becomes version 1 of `name`."""
    version = _raised(header["version"]) if "version" in header else "1"
    return {"golden_set": header.get("golden_set", name), **header, "version": version}


def _raised(version: str) -> str:
    """2 → 3, v1.9 → v1.10, draft → draft-2."""
    if not _LAST_NUMBER.search(version):
        return f"{version}-2"
    return _LAST_NUMBER.sub(lambda found: str(int(found[0]) + 1).zfill(len(found[0])), version)


def _row(question: Question) -> dict[str, Any]:
    """A question as it stands in a golden set: without what it does not say."""
    said = question.model_dump(mode="json", exclude={"text", "reference_answers"}, exclude_defaults=True)
    row = {"id": said.pop("id"), "question": question.text}
    for key in ("relevant", "evidence"):
        if key in said:
            row[key] = said.pop(key)
    if len(question.reference_answers) == 1:
        row["reference_answer"] = question.reference_answers[0]
    elif question.reference_answers:
        row["reference_answers"] = list(question.reference_answers)
    return {**row, "answerable": question.answerable, **said}
