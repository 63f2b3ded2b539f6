"""Forged and true quotes: how many are accepted, and what one look costs.

PYTHONPATH=tests python benchmarks/quotes.py
"""

import time
from random import Random

from quote_makers import forged_quote, true_quote
from whichhalf.core.quotes import find_quote

COUNT = 20_000


def main() -> None:
    rng = Random(20_000)
    for name, make in (("forged", forged_quote), ("true, with noise", true_quote)):
        pairs = [make(rng) for _ in range(COUNT)]
        started = time.perf_counter()
        accepted = sum(find_quote(quote, text) is not None for quote, text in pairs)
        each = (time.perf_counter() - started) / COUNT
        print(f"{name}: {accepted} of {COUNT} accepted ({accepted / COUNT:.3%}), {each * 1000:.3f} ms each")


if __name__ == "__main__":
    main()
