"""How often our statistics keep their promise on made-up scores.

Used by tests/statistics/test_promises.py in small, and by benchmarks/simulated_statistics.py in full.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from score_makers import Array, Kind, clustered, draw_clusters
from whichhalf.statistics.intervals import mean_interval
from whichhalf.statistics.paired import mcnemar_p
from whichhalf.statistics.sign_flips import sign_flip_p
from whichhalf.statistics.spread import estimate_spread
from whichhalf.statistics.units import as_units

SAME_SIGNS = 100
"""So many simulated comparisons share the sign patterns that are drawn, and the layout of clusters."""


def _drawn(kind: Kind, n: int, streams: int, clusters: bool) -> Iterator[tuple[Array, list[str] | None]]:
    """Values with the names of their clusters."""
    random = np.random.default_rng(n)
    for _ in range(streams):
        if clusters:
            places = draw_clusters(random, n)
            yield clustered(kind)(random, places), [str(place) for place in places.tolist()]
        else:
            yield kind.draw(random, n), None


def missed(kind: Kind, n: int, streams: int, *, clusters: bool = False) -> tuple[float, float]:
    """Shares of 95 % intervals of a mean that lie wholly below and wholly above the true one."""
    below = above = 0
    for values, names in _drawn(kind, n, streams, clusters):
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
    """Intervals and equivalence of paired differences, as `paired_difference` has them, without its permutations."""
    missed_by = equivalent = 0
    for values, names in _drawn(kind, n, streams, clusters):
        spread = estimate_spread(as_units(values, names))
        if spread is None:  # one cluster holds nearly everything
            continue
        low, high = spread.interval(0.95)
        missed_by += not low <= kind.mean <= high
        equivalent += spread.equivalence_p(margin) <= 0.05
    return Errors(missed_by / streams, equivalent / streams)


def false_positives(kind: Kind, n: int, streams: int, *, clusters: bool = False, shift: float = 0.0) -> float:
    """How often the sign-flip test finds a difference at 5 %; with a shift, its power."""
    random = np.random.default_rng(n)
    found = 0
    for start in range(0, streams, SAME_SIGNS):
        count = min(SAME_SIGNS, streams - start)
        if clusters:
            places = draw_clusters(random, n)
            columns = [np.bincount(places, clustered(kind)(random, places)).astype(np.float64) for _ in range(count)]
        else:
            columns = [kind.draw(random, n) + shift for _ in range(count)]
        differences = np.stack(columns, axis=1)
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
