"""Ids are text. Whole numbers are converted; anything else would be a silent mismatch and is refused."""

from collections.abc import Sequence

from whichhalf.errors import InputError

_FEW = 5


def id_text(value: object, what: str = "id") -> str:
    """The id as text. Raises InputError for floats, booleans, null and blank text."""
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    kind = {bool: "a boolean", float: "a decimal number", str: "blank", type(None): "null"}.get(
        type(value), f"a {type(value).__name__}"
    )
    raise InputError(f"{what} must be text or a whole number, but {value!r} is {kind}")


def a_few(ids: Sequence[str]) -> str:
    """The first five, and how many more there are: for sentences about many."""
    return ", ".join(ids[:_FEW]) + (f" and {len(ids) - _FEW} more" if len(ids) > _FEW else "")
