"""Made-up scores and differences whose true means are known.

The intervals were chosen on the kinds outside HELD_OUT; those within were looked at once, when the choice was made.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Places = NDArray[np.intp]
Draw = Callable[[np.random.Generator, int], Array]
"""Draws n values."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What is drawn, and the mean of all that could be drawn."""

    draw: Draw
    mean: float


def _mixed(share: float, often: float, a: float, b: float) -> Draw:
    """One value in this share of cases, else Beta(a, b)."""
    return lambda random, n: np.where(random.random(n) < share, often, random.beta(a, b, n))


def _of(shares: dict[float, float]) -> Kind:
    """These values, each in its share of cases."""
    values, weights = list(shares), list(shares.values())
    return Kind(lambda random, n: random.choice(values, n, p=weights), sum(v * w for v, w in shares.items()))


def _graded(random: np.random.Generator, n: int) -> Array:
    """Like nDCG: often 0, at times 1, else between."""
    return np.where(random.random(n) < 0.15, 0.0, np.where(random.random(n) < 0.3, 1.0, random.beta(2, 2, n)))


SCORES = {
    "in the middle: Beta(5, 5)": Kind(lambda random, n: random.beta(5, 5, n), 0.5),
    "at both ends: Beta(½, ½)": Kind(lambda random, n: random.beta(0.5, 0.5, n), 0.5),
    "low: Beta(1, 9)": Kind(lambda random, n: random.beta(1, 9, n), 0.1),
    "graded, 15 % 0, 26 % 1": Kind(_graded, 0.85 * (0.3 + 0.7 * 0.5)),
    "70 % 1, else Beta(2, 1.5)": Kind(_mixed(0.7, 1.0, 2, 1.5), 0.7 + 0.3 * 2 / 3.5),
    "90 % 1, else Beta(2, 2)": Kind(_mixed(0.9, 1.0, 2, 2), 0.95),
    "98 % 1, else uniform": Kind(_mixed(0.98, 1.0, 1, 1), 0.99),
    "98 % 0, else uniform": Kind(_mixed(0.98, 0.0, 1, 1), 0.01),
}
HIDDEN_SCORES = {"90 % 1, 8 % 0.95, 2 % 0": _of({1.0: 0.9, 0.95: 0.08, 0.0: 0.02})}
"""A small sample often lacks what matters most, and nothing in it says so."""
HELD_OUT_SCORES = {
    "97 % 1, else 0.5": _of({1.0: 0.97, 0.5: 0.03}),
    "95 % 1, else Beta(2, 5)": Kind(_mixed(0.95, 1.0, 2, 5), 0.95 + 0.05 * 2 / 7),
    "96 % 0, else Beta(1, 3)": Kind(_mixed(0.96, 0.0, 1, 3), 0.04 / 4),
    "85 % 1, else uniform": Kind(_mixed(0.85, 1.0, 1, 1), 0.925),
    "92 % 0.5, else uniform": Kind(_mixed(0.92, 0.5, 1, 1), 0.5),
    "fifths, 40 % 1, 5 % 0": _of({1.0: 0.4, 0.8: 0.3, 0.6: 0.15, 0.4: 0.07, 0.2: 0.03, 0.0: 0.05}),
    "95 % 1, 3 % 0, 2 % 0.5": _of({1.0: 0.95, 0.0: 0.03, 0.5: 0.02}),
    "5 % 0, else Beta(20, 2)": Kind(_mixed(0.05, 0.0, 20, 2), 0.95 * 20 / 22),
}
PASS_FAIL = {f"pass/fail, {rate:.0%} pass": _of({1.0: rate, 0.0: 1 - rate}) for rate in (0.02, 0.1, 0.5, 0.9, 0.98)}


def _sparse(share: float, up: float, draw_size: Draw) -> Draw:
    """0 but for a share of cases, of which `up` are gains."""
    return lambda random, n: np.where(
        random.random(n) < share, np.where(random.random(n) < up, 1, -1) * draw_size(random, n), 0.0
    )


def _moderate(random: np.random.Generator, n: int) -> Array:
    return random.beta(2, 4, n)


DENSE_DIFFERENCES = {
    "normal, deviation 0.2": Kind(lambda random, n: random.normal(0, 0.2, n), 0.0),
    "Beta(½, ½) minus the same": Kind(lambda random, n: random.beta(0.5, 0.5, n) - random.beta(0.5, 0.5, n), 0.0),
    "30 % differ": Kind(_sparse(0.3, 0.5, _moderate), 0.0),
    "skewed: Beta(2, 6) − ¼": Kind(lambda random, n: random.beta(2, 6, n) - 0.25, 0.0),
}
SPARSE_DIFFERENCES = {
    "10 % differ, as often up as down": Kind(_sparse(0.1, 0.5, _moderate), 0.0),
    "30 % differ, 80 % of them up": Kind(_sparse(0.3, 0.8, _moderate), 0.3 * 0.6 / 3),
    "10 % differ, all up": Kind(_sparse(0.1, 1.0, _moderate), 0.1 / 3),
    "3 % differ, all up": Kind(_sparse(0.03, 1.0, _moderate), 0.03 / 3),
}


PASS_FAIL_DIFFERENCES = {
    f"pass/fail, {wins:.0%} won, {losses:.0%} lost": _of({1.0: wins, -1.0: losses, 0.0: 1 - wins - losses})
    for wins, losses in ((0.01, 0.01), (0.02, 0.0), (0.05, 0.02), (0.1, 0.1), (0.4, 0.1))
}
HELD_OUT_DIFFERENCES = {
    "5 % up by uniform": Kind(_sparse(0.05, 1.0, lambda random, n: random.random(n)), 0.025),
    "4 % up by 0.5": _of({0.5: 0.04, 0.0: 0.96}),
    "15 % up by Beta(1, 4)": Kind(_sparse(0.15, 1.0, lambda random, n: random.beta(1, 4, n)), 0.03),
    "6 % up, 2 % down, uniform": Kind(_sparse(0.08, 0.75, lambda random, n: random.random(n)), 0.02),
    "20 % up, 20 % down, fifths": _of({0.2: 0.12, 0.4: 0.05, 1.0: 0.03, -0.2: 0.12, -0.4: 0.05, -1.0: 0.03, 0.0: 0.6}),
    "pass/fail, 8% won": _of({1.0: 0.08, 0.0: 0.92}),
    "pass/fail, 3% won, 1% lost": _of({1.0: 0.03, -1.0: 0.01, 0.0: 0.96}),
    "Beta(1, 9) minus Beta(2, 9)": Kind(lambda random, n: random.beta(1, 9, n) - random.beta(2, 9, n), 0.1 - 2 / 11),
    "all up by Beta(1, 19)": Kind(lambda random, n: random.beta(1, 19, n), 0.05),
}


def draw_clusters(random: np.random.Generator, n: int, size: int = 5) -> Places:
    """The number of the cluster of each of n values, ascending; clusters of 1 to 2 size − 1."""
    return np.repeat(np.arange(n), random.integers(1, 2 * size, n))[:n]


def clustered(kind: Kind, pull: float = 0.5) -> Callable[[np.random.Generator, Places], Array]:
    """The same values with the same mean, a share `pull` of which are copied from the first of their cluster."""

    def draw(random: np.random.Generator, places: Places) -> Array:
        own = kind.draw(random, len(places))
        first = np.unique(places, return_index=True)[1]
        return np.where(random.random(len(places)) < pull, own[first[places]], own)

    return draw
