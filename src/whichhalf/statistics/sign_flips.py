"""The main test between two runs: had either run written each answer by the toss of a coin, how rare is this?"""

import numpy as np
from numpy.typing import NDArray

from whichhalf.statistics.units import Floats

_SIGNS_AT_ONCE = 1_000_000


def sign_flip_p(differences: NDArray[np.float64], *, permutations: int = 10_000, seed: int = 0) -> Floats:
    """Two-sided p-values of the sign-flip permutation test, one a column of differences (questions × metrics).

    Under the null hypothesis each row may as well have the other sign. All sign patterns are tried when there are at
    most `permutations` of them, leaving out rows that are 0 everywhere; else so many are drawn, the same for every
    column, and the one observed counts as one more: p = (1 + as extreme) ÷ (1 + permutations), which never errs more
    often than it says. A column without any difference has p = 1.
    Sources: Fisher, The Design of Experiments, 1935; Phipson and Smyth, Permutation p-values should never be zero,
    2010.
    """
    rows = differences[np.any(differences != 0, axis=1)]
    size = np.abs(rows.sum(axis=0)) - 1e-12 * np.abs(rows).sum(axis=0)
    patterns = patterns_tried(len(rows), permutations)
    extreme = np.zeros(differences.shape[1])
    if patterns < permutations or 2 ** len(rows) == patterns:
        every = np.arange(patterns)[:, None] >> np.arange(len(rows)) & 1
        return np.asarray((np.abs(_flipped(every, rows)) >= size).mean(axis=0))
    random = np.random.default_rng(seed)
    left = permutations
    while left:
        count = min(left, max(_SIGNS_AT_ONCE // len(rows), 1))
        bits = np.unpackbits(
            np.frombuffer(random.bytes(count * -(-len(rows) // 8)), np.uint8).reshape(count, -1),
            axis=1,
            count=len(rows),
        )
        extreme += (np.abs(_flipped(bits, rows)) >= size).sum(axis=0)
        left -= count
    return np.asarray((1 + extreme) / (1 + permutations))


def patterns_tried(rows: int, permutations: int) -> int:
    """How many sign patterns are tried for so many rows with a difference."""
    return 1 << rows if 1 << rows < permutations else permutations


def _flipped(bits: NDArray[np.integer], rows: Floats) -> Floats:
    """The column sums with the sign of each row as each pattern of bits has it."""
    return np.asarray(2 * (bits.astype(np.float64) @ rows) - rows.sum(axis=0))
