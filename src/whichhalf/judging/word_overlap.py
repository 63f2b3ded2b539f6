"""Plain word overlap: what any judge of claims has to beat."""

import re
from collections.abc import Sequence

_WORD = re.compile(r"\w+")


def word_overlap(text: str, passages: Sequence[str]) -> float:
    """Share of the text's distinct words that occur anywhere in the passages, in [0, 1]; 0 without a word."""
    words = set(_WORD.findall(text.casefold()))
    there = set(_WORD.findall(" ".join(passages).casefold()))
    return len(words & there) / len(words) if words else 0.0
