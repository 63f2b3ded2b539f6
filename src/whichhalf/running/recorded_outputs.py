"""An outputs file that grows while an assistant is asked: nothing paid for is lost, and nothing is overwritten.

Rows are appended to `FILE.part` as they arrive; `FILE` appears, whole, at the end. Every row says in its meta, under
`asked_with`, what it was asked with: assistant, settings, prompt, question and passages. A later command with the same
settings asks only what is missing or failed; one with other settings is refused.
"""

import hashlib
import json
import os
import threading
from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import JsonValue, ValidationError

from whichhalf.assistants.contract import request_body
from whichhalf.assistants.seam import AssistantIdentity, AssistantRequest
from whichhalf.core.case import Passage
from whichhalf.core.validation_words import in_plain_words
from whichhalf.datasets.json_lines import read_json_lines, read_text
from whichhalf.datasets.outputs import load_outputs
from whichhalf.datasets.rows import OutputRow
from whichhalf.errors import Fault, InputError
from whichhalf.running.run_folder import write_text
from whichhalf.running.writable import check_writable

ASKED_WITH = "asked_with"


def asked_with(identity: AssistantIdentity, request: AssistantRequest) -> str:
    """16 hex digits that change with anything we know of that could change the reply."""
    parts: dict[str, JsonValue] = {
        "kind": identity.kind,
        "name": identity.name,
        "settings": dict(identity.settings),
        "request": request_body(request),
    }
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=True).encode("ascii")).hexdigest()[:16]


def is_recorded(path: Path) -> bool:
    """Whether a file was written here, and so has our shape whatever shape the config's other files have."""
    if path.suffix != ".jsonl" or not path.is_file() or ASKED_WITH not in read_text(path):
        return False
    rows = read_json_lines(path, [])
    return any(isinstance(meta, dict) and ASKED_WITH in meta for meta in (row.data.get("meta") for row in rows))


class RecordedOutputs:
    """Rows by question id. `add` is safe for several threads."""

    def __init__(
        self, path: Path, wanted: Mapping[str, str], corpus: Mapping[str, Passage], *, set_aside: bool = False
    ) -> None:
        """`wanted` maps question ids to what they would be asked with. Passages whose text the corpus has are written
        by their id.

        Raises InputError when the file cannot be read, or holds an answer that was asked for with something else;
        with `set_aside` such a file gets another name instead.
        """
        self.path = path
        self.part = path.with_name(f"{path.name}.part")
        self.rows: dict[str, OutputRow] = {}
        self._corpus = corpus
        self._guard = threading.Lock()
        if path.suffix != ".jsonl":
            raise InputError(Fault("an outputs file is JSON Lines: let its name end in .jsonl", str(path)))
        check_writable(path.parent)
        for file in (self.path, self.part):
            rows = {row.id: row for row in _rows_of(file)}
            strangers = [row for row in rows.values() if wanted.get(row.id) != row.meta.get(ASKED_WITH)]
            answers = [row for row in strangers if row.error is None]
            if answers and not set_aside:
                raise InputError(_other_settings(file, answers[0]))
            if answers:
                file.rename(_free_name(file))
            elif file.exists():
                self.rows |= {one: row for one, row in rows.items() if row not in strangers}

    @property
    def answered(self) -> set[str]:
        """Questions with a reply; failures are asked again."""
        return {one for one, row in self.rows.items() if row.error is None}

    def add(self, row: OutputRow) -> None:
        """Append a row to the unfinished file."""
        line = f"{_line(row, self._corpus)}\n".encode()
        with self._guard:
            self.rows[row.id] = row
            self.part.parent.mkdir(parents=True, exist_ok=True)
            with self.part.open("ab") as file:
                file.write(line)

    def finish(self, order: Iterable[str]) -> None:
        """Write the whole file in one step, in the order of the questions."""
        lines = [_line(self.rows[one], self._corpus) for one in order if one in self.rows]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        write_text(self.path, "".join(f"{line}\n" for line in lines))
        self.part.unlink(missing_ok=True)


def _line(row: OutputRow, corpus: Mapping[str, Passage]) -> str:
    """A row as it stands in an outputs file: without what is not known."""
    data: dict[str, Any] = row.model_dump(mode="json", exclude_none=True, exclude={"meta"})
    for stage in ("retrieved", "reranked", "context"):
        passages: tuple[Passage, ...] | None = getattr(row, stage)
        if passages is not None:
            data[stage] = [_passage(one, corpus.get(one.id)) for one in passages]
    if row.meta:
        data["meta"] = row.meta
    return json.dumps(data, ensure_ascii=False, allow_nan=False)


def _passage(passage: Passage, known: Passage | None) -> JsonValue:
    data: dict[str, JsonValue] = passage.model_dump(exclude_none=True)
    for key in ("text", "doc"):
        if known is not None and data.get(key) == getattr(known, key):
            data.pop(key, None)
    return passage.id if len(data) == 1 else data


def _rows_of(file: Path) -> list[OutputRow]:
    if not file.exists() or not file.stat().st_size:
        return []
    if file.suffix != ".part":
        return list(load_outputs(file).rows.values())
    text = read_text(file)
    whole = text[: text.rfind("\n") + 1]
    if whole != text:  # a killed process may have left half a line
        os.truncate(file, len(whole.encode()))
    rows = []
    for number, line in enumerate(whole.splitlines(), start=1):
        try:
            rows.append(OutputRow.model_validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            message = f"is no row of an outputs file: {in_plain_words(first)}"
            raise InputError(Fault(message, str(file), number, ".".join(map(str, first["loc"])))) from error
    return rows


def _free_name(file: Path) -> Path:
    names = (file.with_name(f"{file.name}.old-{number}") for number in count(1))
    return next(name for name in names if not name.exists())


def _other_settings(file: Path, row: OutputRow) -> Fault:
    told = " ".join(filter(None, (row.model and f"of {row.model}", row.prompt and f"with {row.prompt}")))
    message = (
        f"already holds outputs {told or 'of another kind'}, and {row.id!r} was asked with other settings, another "
        "question or other passages than now; name another file, or move this one away"
    )
    return Fault(message, str(file))
