"""Made-up scores and differences whose true means are known, and how often our statistics keep their promise on them.

Used by tests/statistics/test_promises.py in small, and by benchmarks/simulated_statistics.py in full.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whichhalf.statistics.intervals import mean_interval
from whichhalf.statistics.paired import mcnemar_p, paired_difference
from whichhalf.statistics.sign_flips import sign_flip_p

Array = NDArray[np.float64]
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
}


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


def _pass_fail(wins: float, losses: float) -> Kind:
    return Kind(
        lambda random, n: random.choice([1.0, -1.0, 0.0], n, p=[wins, losses, 1 - wins - losses]), wins - losses
    )


PASS_FAIL_DIFFERENCES = {
    f"pass/fail, {wins:.0%} won, {losses:.0%} lost": _pass_fail(wins, losses)
    for wins, losses in ((0.01, 0.01), (0.02, 0.0), (0.05, 0.02), (0.1, 0.1), (0.4, 0.1))
}


def draw_clusters(random: np.random.Generator, n: int, size: int = 5) -> list[str]:
    """A cluster name for each of n values; clusters of 1 to 2 size − 1."""
    names: list[str] = []
    while len(names) < n:
        names += [str(len(names))] * int(random.integers(1, 2 * size))
    return names[:n]


def clustered(kind: Kind, pull: float = 0.5) -> Callable[[np.random.Generator, list[str]], Array]:
    """The same values with the same mean, a share `pull` of which are copied from the first of their cluster."""

    def draw(random: np.random.Generator, names: list[str]) -> Array:
        own = kind.draw(random, len(names))
        first: dict[str, float] = {}
        shared = np.array([first.setdefault(name, value) for name, value in zip(names, own.tolist(), strict=True)])
        return np.where(random.random(len(names)) < pull, shared, own)

    return draw


def missed(kind: Kind, n: int, streams: int, *, clusters: bool = False) -> tuple[float, float]:
    """Shares of 95 % intervals of a mean that lie wholly below and wholly above the true one."""
    random = np.random.default_rng(n)
    below = above = 0
    for _ in range(streams):
        names = draw_clusters(random, n) if clusters else None
        values = kind.draw(random, n) if names is None else clustered(kind)(random, names)
        found = mean_interval(values, clusters=names)
        if found is None:  # one cluster holds nearly everything
            continue
        below += found.high < kind.mean
        above += found.low > kind.mean
    return below / streams, above / streams


@dataclass(frozen=True, slots=True)
class Errors:
    """Shares of simulated comparisons."""

    missed: float
    """The 95 % interval does not hold the true difference."""
    equivalent: float
    """Two one-sided tests call it within the margin at 5 %."""


def paired_errors(kind: Kind, n: int, streams: int, *, clusters: bool = False, margin: float = 0.02) -> Errors:
    """Intervals and equivalence of paired differences; the tests are cheap without permutations."""
    random = np.random.default_rng(n)
    missed_by = equivalent = 0
    for _ in range(streams):
        names = draw_clusters(random, n) if clusters else None
        values = kind.draw(random, n) if names is None else clustered(kind)(random, names)
        found = paired_difference(np.zeros(n).tolist(), values.tolist(), permutations=1, clusters=names, margin=margin)
        if found.low is None or found.high is None:
            continue
        missed_by += not found.low <= kind.mean <= found.high
        equivalent += found.equivalence_p <= 0.05
    return Errors(missed_by / streams, equivalent / streams)


def false_positives(kind: Kind, n: int, streams: int, *, clusters: bool = False, shift: float = 0.0) -> float:
    """How often the sign-flip test finds a difference at 5 %; with a shift, its power."""
    random = np.random.default_rng(n)
    names = draw_clusters(random, n)
    found = 0
    for start in range(0, streams, 500):
        count = min(500, streams - start)
        columns = [clustered(kind)(random, names) if clusters else kind.draw(random, n) for _ in range(count)]
        differences = np.stack(columns, axis=1) + shift
        if clusters:
            places = np.unique(names, return_inverse=True)[1]
            totals = np.zeros((places.max() + 1, count))
            np.add.at(totals, places, differences)
            differences = totals
        found += int((sign_flip_p(differences, permutations=1999, seed=start) <= 0.05).sum())
    return found / streams


def mcnemar_false_positives(kind: Kind, n: int, streams: int) -> float:
    """How often exact McNemar finds a difference at 5 %."""
    random = np.random.default_rng(n)
    found = 0
    for _ in range(streams):
        values = kind.draw(random, n)
        found += mcnemar_p(int((values > 0).sum()), int((values < 0).sum())) <= 0.05
    return found / streams
