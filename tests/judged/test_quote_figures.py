"""Quotes by the thousand: what is forged is never found, what is only noisy nearly always."""

from random import Random

from quote_makers import forged_quote, true_quote
from whichhalf.core.quotes import find_quote

COUNT = 2_000
"""benchmarks/quotes.py does the same with ten times as many, and measures time."""


def test_no_forged_quote_is_found() -> None:
    rng = Random(7)
    found = [pair for pair in (forged_quote(rng) for _ in range(COUNT)) if find_quote(*pair) is not None]
    assert found == []


def test_true_quotes_with_noise_are_found() -> None:
    rng = Random(7)
    lost = [pair for pair in (true_quote(rng) for _ in range(COUNT)) if find_quote(*pair) is None]
    assert len(lost) <= 0.005 * COUNT, lost[:10]
