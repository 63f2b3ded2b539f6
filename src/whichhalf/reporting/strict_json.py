"""JSON for machines: no NaN, text as it is, indented for people."""

import json


def strict_json(facts: object) -> str:
    """Raises ValueError for a number that JSON does not have."""
    return json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=2)
