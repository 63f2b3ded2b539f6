"""Read the parts of a verdict row that judges get wrong in harmless ways; what stays unreadable raises ValueError."""

import re
from collections.abc import Mapping
from typing import Any

UNREADABLE = 0
"""Stands for a passage number that cannot be read: numbers given to judges begin at 1."""

_NUMBER = re.compile(r"[\s\[(#\"'*]*(?:[^\W\d]+[\s.:#_-]*)?([0-9]{1,9})[\s\])\"'*.:]*")


def number_in(value: object) -> int:
    """The whole number in 3, 3.0, "3", "c3", "claim 3" or "[3]". Raises ValueError when there is none, or more."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _NUMBER.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f"{value!r} is no number")
    return int(match[1])


def text_of(value: object) -> str:
    """Text or a number as text; anything else says nothing."""
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def place_of(value: Any) -> dict[str, object]:
    """A passage number with a quote; a place that names no passage gets the number UNREADABLE."""
    if not isinstance(value, Mapping):
        return {"passage": UNREADABLE, "quote": text_of(value)}
    try:
        number = number_in(value.get("passage"))
    except ValueError:
        number = UNREADABLE
    return {"passage": number, "quote": text_of(value.get("quote"))}


def places_of(value: Any) -> list[dict[str, object]]:
    """A list of places, also from one place, from bare text, or from nothing."""
    if value is None or value == "":
        return []
    return [place_of(one) for one in (value if isinstance(value, list) else [value])]
