"""Map files of another shape: `[data.columns] ours = "theirs"`, with dotted paths reaching inside."""

from collections.abc import Mapping, Sequence

from whichhalf.errors import Fault, InputError

_HINTS = {
    "ground_truth": "reference_answer",
    "ground_truths": "reference_answers",
    "reference": "reference_answer",
    "expected_output": "reference_answer",
    "query": "question",
    "user_input": "question",
    "input": "question",
    "response": "answer",
    "actual_output": "answer",
    "contexts": "context",
    "retrieved_contexts": "context",
    "retrieval_context": "context",
    "relevant_chunk_ids": "relevant",
    "retrieved_chunk_ids": "retrieved",
}


DATA_COLUMNS = "[data.columns]"


def check_columns(columns: Mapping[str, str], known: set[str], where: str = DATA_COLUMNS) -> None:
    """Raises InputError when a name on our side does not exist; `where` is the table that maps them."""
    message = f"no such field; there are {', '.join(sorted(known))}"
    unknown = [Fault(message, field=f"{where} {name}") for name in columns if name not in known]
    if unknown:
        raise InputError(unknown)


def map_columns(data: Mapping[str, object], columns: Mapping[str, str], fields: set[str]) -> dict[str, object]:
    """The fields of one row under our names.

    Without columns the row must have our shape. With columns, mapped fields come from their path, unmapped ones
    keep their own name where the file has it, `""` switches a field off, and other keys of the file are ignored.
    """
    if not columns:
        return dict(data)
    mapped: dict[str, object] = {}
    for field in fields:
        path = columns.get(field, field)
        found, value = _look_up(data, path) if path else (False, None)
        if found:
            mapped[field] = value
    return mapped


def unmatched_columns(
    rows: Sequence[Mapping[str, object]],
    columns: Mapping[str, str],
    fields: set[str],
    file: str,
    where: str = DATA_COLUMNS,
) -> list[Fault]:
    """A path that no row of the file has is misspelt: left alone, its field would be silently empty everywhere."""
    return [
        Fault(f"no row has {path!r}", file, field=f"{where} {field}")
        for field, path in columns.items()
        if rows and path and field in fields and not any(_look_up(row, path)[0] for row in rows)
    ]


def hint(unknown: str) -> str:
    """A suggestion for a key we do not know, as text to append; empty where we have none."""
    ours = _HINTS.get(unknown)
    return f'; did you mean {ours}? Map it with [data.columns] {ours} = "{unknown}"' if ours else ""


def _look_up(data: Mapping[str, object], path: str) -> tuple[bool, object]:
    if path in data:
        return True, data[path]
    value: object = data
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return False, None
        value = value[part]
    return True, value
