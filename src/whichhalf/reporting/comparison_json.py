"""Comparisons for machines: strict JSON."""

from collections.abc import Sequence

from whichhalf.comparing.comparison import Comparison
from whichhalf.reporting.strict_json import strict_json


def comparisons_as_json(comparisons: Sequence[Comparison]) -> str:
    """One object with a list: every challenger against the baseline."""
    facts = {"comparisons": [one.model_dump(mode="json") for one in comparisons]}
    return strict_json(facts)
