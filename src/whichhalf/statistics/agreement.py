"""How far two readers of the same items agree: two judges, two prompt versions, or a judge and a person."""

from collections import Counter
from collections.abc import Sequence
from math import hypot, sqrt

import numpy as np

from whichhalf.core.record import Record
from whichhalf.errors import InputError
from whichhalf.statistics.distributions import student_quantile
from whichhalf.statistics.intervals import share_interval
from whichhalf.statistics.paired import PairedDifference, paired_difference
from whichhalf.statistics.units import Floats

Table = dict[str, dict[str, int]]
"""Label of the first → label of the second → items."""


class Estimate(Record):
    """A value with its interval."""

    value: float
    low: float
    high: float
    level: float


class Agreement(Record):
    """Two labels an item."""

    n: int
    observed: Estimate | None
    """Share of items with the same label, with its exact interval; None without an item."""
    kappa: Estimate | None
    """Cohen's kappa, agreement beyond chance in [−1, 1]; None where both used one and the same label throughout."""
    table: Table
    """Every label in both directions, also those only one reader used."""


class Detection(Record):
    """How well a reader finds what people marked."""

    n: int
    positives: int
    """Items that are so in truth."""
    sensitivity: Estimate | None
    """Share of the positives that were found; None without a positive."""
    specificity: Estimate | None
    """Share of the negatives that were left alone; None without a negative."""
    balanced_accuracy: Estimate | None
    """Mean of the two; 0.5 is a coin."""
    kappa: Estimate | None
    table: Table
    """Truth → said → items."""


def agreement(first: Sequence[object], second: Sequence[object], *, level: float = 0.95) -> Agreement:
    """Compare two lists of labels of the same items in the same order; labels are compared as text.

    Raises InputError when the lists differ in length.
    """
    if len(first) != len(second):
        raise InputError(f"labels of the same items: {len(first)} and {len(second)}")
    pairs = Counter((str(one), str(other)) for one, other in zip(first, second, strict=True))
    labels = sorted({label for pair in pairs for label in pair})
    table = {one: {other: pairs[one, other] for other in labels} for one in labels}
    same = sum(table[label][label] for label in labels)
    n = len(first)
    return Agreement(n=n, observed=_share(same, n, level), kappa=_kappa(table, level), table=table)


def detection(truth: Sequence[bool], said: Sequence[bool], *, level: float = 0.95) -> Detection:
    """Compare what a reader said with the truth. Raises InputError when the lists differ in length."""
    both = agreement([bool(one) for one in truth], [bool(one) for one in said], level=level)
    yes, no = both.table.get("True", {}), both.table.get("False", {})
    found, left = yes.get("True", 0), no.get("False", 0)
    positives, negatives = sum(yes.values()), sum(no.values())
    sensitivity, specificity = _share(found, positives, level), _share(left, negatives, level)
    return Detection(
        n=both.n,
        positives=positives,
        sensitivity=sensitivity,
        specificity=specificity,
        balanced_accuracy=_balanced(sensitivity, specificity),
        kappa=both.kappa,
        table=both.table,
    )


def paired_detection(
    truth: Sequence[bool], said_a: Sequence[bool], said_b: Sequence[bool], *, level: float = 0.95
) -> PairedDifference:
    """Which of two readers is right more often on the same items: exact McNemar on right and wrong."""
    if not len(truth) == len(said_a) == len(said_b):
        raise InputError(f"{len(truth)} truths, {len(said_a)} and {len(said_b)} labels")
    right_a, right_b = (
        [float(bool(t) == bool(s)) for t, s in zip(truth, said, strict=True)] for said in (said_a, said_b)
    )
    return paired_difference(right_a, right_b, level=level)


def _share(successes: int, n: int, level: float) -> Estimate | None:
    if not n:
        return None
    exact = share_interval(successes, n, level=level)
    return Estimate(value=successes / n, low=exact.low, high=exact.high, level=level)


def _kappa(table: Table, level: float) -> Estimate | None:
    """Cohen's kappa, and Student's t around the kappa of the table with two more items spread over all its cells.

    Seen too few times, a table looks more certain than it is, above all where a cell is empty: the two items hedge,
    as those of Agresti and Coull do for a share. Sources: Cohen, A coefficient of agreement for nominal scales, 1960;
    Fleiss, Cohen and Everitt, Large sample standard errors of kappa and weighted kappa, 1969; Agresti and Coull,
    Approximate is better than "exact" for interval estimation of binomial proportions, 1998.
    """
    if len(table) < 2:
        return None
    counts = np.array([list(row.values()) for row in table.values()], dtype=float)
    value, _ = _kappa_and_variance(counts)
    centre, variance = _kappa_and_variance(counts + 2 / counts.size)
    reach = student_quantile((1 + level) / 2, max(counts.sum() - 1, 1)) * sqrt(variance)
    return Estimate(
        value=value, low=max(min(centre - reach, value), -1.0), high=min(max(centre + reach, value), 1.0), level=level
    )


def _kappa_and_variance(counts: Floats) -> tuple[float, float]:
    """Rows are the labels of the first, columns those of the second."""
    n = float(counts.sum())
    shares = counts / n
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    observed, chance = float(np.trace(shares)), float(rows @ columns)
    same = float(np.diag(shares) @ ((1 - chance) - (rows + columns) * (1 - observed)) ** 2)
    apart = shares * (columns[:, None] + rows[None, :]) ** 2
    other = (1 - observed) ** 2 * float(apart.sum() - np.trace(apart))
    variance = (same + other - (observed * chance - 2 * chance + observed) ** 2) / (n * (1 - chance) ** 4)
    return (observed - chance) / (1 - chance), max(variance, 0.0)


def _balanced(sensitivity: Estimate | None, specificity: Estimate | None) -> Estimate | None:
    """Each end lies as far off as the two exact intervals say together: the root of their squared distances ÷ 2.

    Source: Zou and Donner, Construction of confidence limits about effect measures, 2008.
    """
    if sensitivity is None or specificity is None:
        return None
    both = (sensitivity, specificity)
    mean = sum(one.value for one in both) / 2
    below = hypot(*(one.value - one.low for one in both)) / 2
    above = hypot(*(one.high - one.value for one in both)) / 2
    return Estimate(value=mean, low=mean - below, high=mean + above, level=sensitivity.level)
