"""Two runs over the same questions: how much they differ, how surely, and what they could have shown."""

from collections.abc import Sequence

import numpy as np

from whichhalf.core.record import Record
from whichhalf.errors import InputError
from whichhalf.statistics.distributions import coin_at_most
from whichhalf.statistics.intervals import check_level
from whichhalf.statistics.sign_flips import patterns_tried, sign_flip_p
from whichhalf.statistics.spread import estimate_spread
from whichhalf.statistics.units import as_units, finite

SIGN_FLIPS = "sign-flip permutation"
MCNEMAR = "exact McNemar"


class PairedDifference(Record):
    """Run b minus run a, question by question, with every setting that was used."""

    n: int
    """Questions with a number in both runs."""
    clusters: int | None
    """Number of clusters, where clusters and not questions count as independent."""
    mean_a: float | None
    mean_b: float | None
    difference: float | None
    """mean_b − mean_a; None without a question."""
    low: float | None
    high: float | None
    """Interval of the difference; None below two questions or clusters."""
    level: float
    interval: str
    """How the interval was made."""
    p: float
    """That of `test`, two-sided, not corrected for other tests; 1 where nothing differs."""
    test: str
    """Name of the test."""
    permutations: int | None
    """Sign patterns tried, where the test draws or counts them."""
    seed: int
    wins: int
    """Questions on which b is higher."""
    ties: int
    losses: int
    margin: float
    """Differences within ± margin count as equivalent."""
    equivalence_p: float
    """Of two one-sided tests that the true difference lies within the margin; small = shown to be equivalent."""
    detectable: float | None
    """The smallest true difference that so many questions, so spread, show with `power`; None below two units."""
    power: float


def paired_difference(
    a: Sequence[float],
    b: Sequence[float],
    *,
    margin: float = 0.02,
    level: float = 0.95,
    power: float = 0.8,
    permutations: int = 10_000,
    seed: int = 0,
    clusters: Sequence[str] | None = None,
) -> PairedDifference:
    """Compare two lists of scores of the same questions in the same order.

    Passes and failures (only 0 and 1) without clusters: exact McNemar. Everything else: sign-flip permutation, with
    clusters flipped whole. Raises InputError for NaN, lists of different lengths and settings out of range.
    """
    first, second = finite(a, "scores of a"), finite(b, "scores of b")
    if len(first) != len(second):
        raise InputError(f"paired scores: {len(first)} of a, {len(second)} of b")
    check_level(level)
    if not (margin > 0 and permutations >= 1):
        raise InputError(f"margin {margin} and permutations {permutations} must be above 0")
    differences = second - first
    units = as_units(differences, clusters)
    spread = estimate_spread(units)
    wins, losses = int((differences > 0).sum()), int((differences < 0).sum())
    is_mcnemar = clusters is None and bool(np.isin([first, second], (0.0, 1.0)).all())
    low, high = spread.interval(level) if spread else (None, None)
    any_question = len(first) > 0
    return PairedDifference(
        n=len(first),
        clusters=None if clusters is None else len(units.sizes),
        mean_a=float(first.mean()) if any_question else None,
        mean_b=float(second.mean()) if any_question else None,
        difference=float(differences.mean()) if any_question else None,
        low=low,
        high=high,
        level=level,
        interval=spread.method if spread else "none",
        p=mcnemar_p(wins, losses)
        if is_mcnemar
        else float(sign_flip_p(units.totals[:, None], permutations=permutations, seed=seed)[0]),
        test=MCNEMAR if is_mcnemar else SIGN_FLIPS,
        permutations=None if is_mcnemar else patterns_tried(int((units.totals != 0).sum()), permutations),
        seed=seed,
        wins=wins,
        ties=len(first) - wins - losses,
        losses=losses,
        margin=margin,
        equivalence_p=spread.equivalence_p(margin) if spread else 1.0,
        detectable=spread.detectable(power, level) if spread else None,
        power=power,
    )


def mcnemar_p(wins: int, losses: int) -> float:
    """Two-sided exact p-value that wins and losses are equally likely; ties say nothing. 1 without either.

    Source: McNemar, Note on the sampling error of the difference between correlated proportions, 1947, with exact
    binomial tails.
    """
    return min(1.0, 2 * coin_at_most(min(wins, losses), wins + losses)) if wins + losses else 1.0
