"""The shape of a row in each file, and how its faults are put into words."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Annotated, Literal, TypeVar

from pydantic import BeforeValidator, JsonValue, ValidationError, ValidationInfo
from pydantic_core import ErrorDetails

from whichhalf.core.case import LARGEST_GRADE, EvidenceQuote, Passage, Turn
from whichhalf.core.ids import id_text
from whichhalf.core.record import Record
from whichhalf.core.validation_words import in_plain_words
from whichhalf.datasets.columns import hint
from whichhalf.errors import Fault


def _id(value: object, info: ValidationInfo) -> str:
    text = id_text(value)
    if not isinstance(value, str):
        note(info, "whole-number id(s) converted to text")
    return text


def note(info: ValidationInfo, what: str) -> None:
    """Count something the reader of a file should be told once."""
    if isinstance(info.context, Counter):
        info.context[what] += 1


def _grades(value: object, info: ValidationInfo) -> object:
    if isinstance(value, list):
        ids = [_id(one, info) for one in value]
        repeated = [one for one, count in Counter(ids).items() if count > 1]
        if repeated:
            raise ValueError(f"{repeated[0]!r} is listed twice")
        return dict.fromkeys(ids, 1)
    if isinstance(value, Mapping):
        return {_id(key, info): _grade(key, grade) for key, grade in value.items()}
    raise ValueError("must be a list of passage ids or a map from id to grade")


def _grade(key: object, grade: object) -> int:
    if isinstance(grade, bool) or not isinstance(grade, int | float):
        raise ValueError(f"the grade of {key!r} must be a whole number, not {grade!r}")
    if isinstance(grade, float) and not grade.is_integer():
        raise ValueError(f"the grade of {key!r} is {grade!r}; grades are whole numbers")
    if grade > LARGEST_GRADE:
        raise ValueError(f"the grade of {key!r} is {grade!r}; grades go up to {LARGEST_GRADE}")
    return int(grade)


def _texts(value: object) -> object:
    """One text or several; blank ones are no answer at all."""
    texts: list[str] = []
    for one in value if isinstance(value, list) else [value]:
        if one is not None and not isinstance(one, str):
            raise ValueError("must be text, or a list of texts that are each a right answer")
        if one and one.strip():
            texts.append(one)
    return tuple(texts)


def _passages(value: object, info: ValidationInfo) -> object:
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except ValueError:
            parsed = None
        if not isinstance(parsed, list):
            raise ValueError("must be a list of passage ids or of {id, text}, not one text")
        note(info, "passage list(s) parsed from text")
        value = parsed
    if value is None or isinstance(value, tuple):  # a tuple holds passages made in Python
        return value
    if not isinstance(value, list):
        raise ValueError("must be a list of passage ids or of {id, text}")
    return [_passage(one, info) for one in value]


def _passage(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, Mapping):
        return Passage(id=_id(value, info))
    unknown = value.keys() - Passage.model_fields.keys()
    if unknown:
        raise ValueError(f"a passage has id, text, doc and score; unknown: {', '.join(sorted(map(str, unknown)))}")
    return {**value, "id": _id(value.get("id"), info)}


def _tags(value: object) -> object:
    if not isinstance(value, Mapping):
        raise ValueError('must be a map such as {"topic": "rent"}')
    return {str(key): str(one) for key, one in value.items() if one is not None}


Id = Annotated[str, BeforeValidator(_id)]
Passages = Annotated[tuple[Passage, ...] | None, BeforeValidator(_passages)]


class GoldenRow(Record):
    """One labelled question as it stands in a golden set."""

    id: Id
    question: str
    relevant: Annotated[dict[str, int], BeforeValidator(_grades)] = {}
    evidence: tuple[EvidenceQuote, ...] = ()
    reference_answer: Annotated[tuple[str, ...], BeforeValidator(_texts)] = ()
    reference_answers: Annotated[tuple[str, ...], BeforeValidator(_texts)] = ()
    history: tuple[Turn, ...] = ()
    answerable: bool = True
    tags: Annotated[dict[str, str], BeforeValidator(_tags)] = {}
    split: Literal["tune", "held_out"] | None = None
    passage_sha256: dict[str, str] = {}
    origin: dict[str, str] = {}


class OutputRow(Record):
    """What the assistant left for one question."""

    id: Id
    retrieved: Passages = None
    reranked: Passages = None
    context: Passages = None
    answer: str | None = None
    prompt: str | None = None
    model: str | None = None
    latency_ms: float | None = None
    cost_usd: float | None = None
    error: str | None = None
    meta: dict[str, JsonValue] = {}


class CorpusRow(Record):
    """One passage of the corpus."""

    id: Id
    text: str
    doc: str | None = None


R = TypeVar("R", bound=Record)


def check_row(
    row_type: type[R],
    data: Mapping[str, object],
    file: str,
    line: int,
    notes: Counter[str],
    faults: list[Fault],
) -> R | None:
    """The row as its type, or None after its faults were appended to `faults`."""
    try:
        return row_type.model_validate(data, context=notes)
    except ValidationError as error:
        faults += [_fault(part, row_type, file, line) for part in error.errors()]
        return None


def suggestion(unknown: str, row_type: type[Record]) -> str:
    """What may have been meant by an unknown key, as text to append."""
    return hint(unknown) or f"; there are {', '.join(row_type.model_fields)}"


def _fault(part: ErrorDetails, row_type: type[Record], file: str, line: int) -> Fault:
    field = ".".join(map(str, part["loc"]))
    message = in_plain_words(part)
    if part["type"] == "extra_forbidden" and (len(part["loc"]) == 1 or hint(field)):
        message += suggestion(field, row_type)
    return Fault(message, file, line, field)
