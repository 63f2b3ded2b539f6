"""What is wrong with a value of a file, in plain words: the library that checks files speaks to programmers."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic_core import ErrorDetails

_WORDS: Mapping[str, str] = {
    "missing": "is missing",
    "extra_forbidden": "unknown key",
    "path_type": "must be a path in quotes",
    "string_type": "must be text in quotes",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_type": "must be a number",
    "float_parsing": "must be a number",
    "finite_number": "must be a finite number",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "list_type": "must be a list […]",
    "tuple_type": "must be a list […]",
    "dict_type": "must be an object {…}",
    "model_type": "must be an object {…}",
    "model_attributes_type": "must be an object {…}",
    "none_required": "must be left out",
    "json_invalid": "is cut off or damaged: no whole JSON",
}
_WITH_LIMITS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "greater_than": lambda limits: f"must be more than {limits['gt']:g}",
    "greater_than_equal": lambda limits: f"must be at least {limits['ge']:g}",
    "less_than": lambda limits: f"must be less than {limits['lt']:g}",
    "less_than_equal": lambda limits: f"must be at most {limits['le']:g}",
    "literal_error": lambda limits: f"must be {limits['expected']}",
    "string_too_short": lambda limits: _at_least(limits["min_length"], "character"),
    "too_short": lambda limits: _at_least(limits["min_length"], "entry"),
    "union_tag_invalid": lambda limits: f"its {limits['discriminator']} must be {_any_of(limits['expected_tags'])}",
    "union_tag_not_found": lambda limits: f"its {limits['discriminator']} is missing",
}
_NOT_ALLOWED = "has a value or a form that is not allowed here"


def in_plain_words(fault: ErrorDetails) -> str:
    """What is allowed in place of what is there."""
    kind, limits = fault["type"], fault.get("ctx", {})
    if kind in _WITH_LIMITS:
        return _WITH_LIMITS[kind](limits)
    if kind == "value_error":  # a sentence of ours
        return fault["msg"].removeprefix("Value error, ")
    return _WORDS.get(kind, _NOT_ALLOWED)


def _any_of(listed: str) -> str:
    return " or ".join(listed.rsplit(", ", 1))


def _at_least(count: int, what: str) -> str:
    return "must not be empty" if count == 1 else f"must have at least {count} of: {what}"
