"""Comparisons for machines: strict JSON."""

import json
from collections.abc import Sequence

from whichhalf.comparing.comparison import Comparison


def comparisons_as_json(comparisons: Sequence[Comparison]) -> str:
    """One object with a list: every challenger against the baseline."""
    facts = {"comparisons": [one.model_dump(mode="json") for one in comparisons]}
    return json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=2)
