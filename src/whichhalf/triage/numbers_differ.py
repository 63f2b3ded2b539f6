"""Whether a claim and the words that contradict it differ in a number alone."""

import re

from whichhalf.core.claim import Verdict
from whichhalf.core.quantities import quantities, without_numbers
from whichhalf.core.quotes import words_of

_NEGATION = re.compile(r"\b(?:not|no|never|none|cannot|without|nahi|nahin|nicht|kein\w*)\b|n't\b")
_SHARED = 0.5
"""Share of the words of the shorter text that must stand in the other."""


def only_numbers_differ(claim: str, quote: str) -> bool:
    """Every amount of the claim has one of the same unit in the quote, at least one of them is another value, and
    the rest says the same as far as words can tell: half of the shorter one's are shared, and both deny or neither.
    """
    stated, found = set(quantities(claim)), set(quantities(quote))
    units = {one.unit for one in found}
    if not stated - found or any(one.unit not in units for one in stated - found):
        return False
    one, other = without_numbers(claim), without_numbers(quote)
    if bool(_NEGATION.search(one)) != bool(_NEGATION.search(other)):
        return False
    shorter, longer = sorted((set(words_of(one)), set(words_of(other))), key=len)
    return len(shorter & longer) >= _SHARED * len(shorter)


def numbers_alone(verdict: Verdict) -> bool:
    """Whether some quote against a claim differs from it in a number alone."""
    return any(only_numbers_differ(verdict.claim.text, place.quote) for place in verdict.evidence)
