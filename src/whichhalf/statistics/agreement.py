"""How far two readers of the same items agree: two judges, two prompt versions, or a judge and a person."""

from collections import Counter
from collections.abc import Sequence

from whichhalf.core.record import Record
from whichhalf.errors import InputError
from whichhalf.statistics.intervals import beta_interval, share_interval
from whichhalf.statistics.paired import PairedDifference, paired_difference

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
    return Detection(
        n=both.n,
        positives=positives,
        sensitivity=_share(found, positives, level),
        specificity=_share(left, negatives, level),
        balanced_accuracy=_balanced(found, positives, left, negatives, level),
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
    """Cohen's kappa with its large-sample variance, and a beta interval on the scale from −1 to 1.

    Sources: Cohen, A coefficient of agreement for nominal scales, 1960; Fleiss, Cohen and Everitt, Large sample
    standard errors of kappa and weighted kappa, 1969.
    """
    n = sum(sum(row.values()) for row in table.values())
    if len(table) < 2:
        return None
    rows = {one: sum(table[one].values()) / n for one in table}
    columns = {one: sum(row[one] for row in table.values()) / n for one in table}
    observed = sum(table[one][one] for one in table) / n
    chance = sum(rows[one] * columns[one] for one in table)
    kappa = (observed - chance) / (1 - chance)
    same = sum(table[one][one] / n * ((1 - chance) - (rows[one] + columns[one]) * (1 - observed)) ** 2 for one in table)
    other = (1 - observed) ** 2 * sum(
        table[one][two] / n * (columns[one] + rows[two]) ** 2 for one in table for two in table if one != two
    )
    variance = (same + other - (observed * chance - 2 * chance + observed) ** 2) / (n * (1 - chance) ** 4)
    low, high = _around((kappa + 1) / 2, variance / 4, n, level)
    return Estimate(value=kappa, low=2 * low - 1, high=2 * high - 1, level=level)


def _balanced(found: int, positives: int, left: int, negatives: int, level: float) -> Estimate | None:
    """The variances of two independent shares add up."""
    if not (positives and negatives):
        return None
    shares = [(found / positives, positives), (left / negatives, negatives)]
    mean = sum(share for share, _ in shares) / 2
    variance = sum(share * (1 - share) / n for share, n in shares) / 4
    low, high = _around(mean, variance, 2 * min(positives, negatives), level)
    return Estimate(value=mean, low=low, high=high, level=level)


def _around(mean: float, variance: float, n: int, level: float) -> tuple[float, float]:
    """A beta interval; where nothing varies, that of n passes and failures."""
    if variance <= 1e-12:  # 0 but for rounding
        exact = share_interval(round(mean * n), n, level=level)
        return exact.low, exact.high
    return beta_interval(mean, variance, max(n - 1, 1), level)
