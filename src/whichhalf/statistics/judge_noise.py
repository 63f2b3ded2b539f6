"""The judge's own noise: how far its verdicts, and the mean of a metric, move when it is asked the same again."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import fsum, sqrt

from whichhalf.core.outcome import Outcome, Scored
from whichhalf.core.run import JudgeNoise
from whichhalf.statistics.intervals import share_interval

Place = tuple[str, int]
"""A claim's text, and how often it stood in the list before."""


def judge_noise(cases: Sequence[Sequence[Outcome]], scored: int) -> JudgeNoise:
    """The noise of one metric. Each row is a case: its outcome in the run, then one for every repeat.

    `scored` is the number of cases in the mean of the run.

    flip_rate: of the claims of the run that a repeat names in the same words, the share whose label differs. Claims of
    one case may flip together, so its exact interval counts cases, not claims: (Σ c)² ÷ Σ c² of them, with c the labels
    compared in a case. That is right where all labels of a case flip together, and wider than need be elsewhere.
    Source of that number: Kish, Survey Sampling, 1965.

    deviation: √(v ÷ scored), with v the variance of the value within a case, pooled over the repeated cases. It is the
    standard deviation of the run's mean over many runs of the judge on the same answers.

    mean: of the repeated cases, each averaged over its replies.
    """
    kept = [[one for one in row if isinstance(one, Scored)] for row in cases if row and isinstance(row[0], Scored)]
    repeated = [row for row in kept if len(row) > 1]
    flips = [_flips(row) for row in repeated]
    flipped, compared = sum(one for one, _ in flips), sum(size for _, size in flips)
    low, high = _interval(flipped, [size for _, size in flips]) if compared else (None, None)
    return JudgeNoise(
        repeats=max((len(row) for row in cases), default=1) - 1,
        cases=len(repeated),
        lost=sum(len(row) for row in cases if row and isinstance(row[0], Scored)) - sum(map(len, kept)),
        claims=compared,
        flipped=flipped,
        flip_rate=flipped / compared if compared else None,
        low=low,
        high=high,
        deviation=sqrt(_variance_within(repeated) / scored) if repeated else None,
        mean=fsum(map(_mean, repeated)) / len(repeated) if repeated else None,
    )


def _flips(row: Sequence[Scored]) -> tuple[int, int]:
    """Labels that differ from those of the run, and labels compared, over all repeats of one case."""
    first = dict(_labels(row[0]))
    pairs = [(first[place], label) for again in row[1:] for place, label in _labels(again) if place in first]
    return sum(one != other for one, other in pairs), len(pairs)


def _labels(outcome: Scored) -> Iterator[tuple[Place, str]]:
    seen: Counter[str] = Counter()
    for verdict in outcome.verdicts:
        yield (verdict.claim.text, seen[verdict.claim.text]), verdict.label
        seen[verdict.claim.text] += 1


def _interval(flipped: int, sizes: Sequence[int]) -> tuple[float, float]:
    compared, cases = sum(sizes), sum(sizes) ** 2 // sum(size**2 for size in sizes)
    # an exact interval needs whole numbers: rounded outwards, it keeps its promise
    fewest, most = flipped * cases // compared, -(-flipped * cases // compared)
    return share_interval(fewest, cases).low, share_interval(most, cases).high


def _variance_within(rows: Sequence[Sequence[Scored]]) -> float:
    squares = []
    for row in rows:
        mean = _mean(row)
        squares += [(one.value - mean) ** 2 for one in row]
    return fsum(squares) / (len(squares) - len(rows))


def _mean(row: Sequence[Scored]) -> float:
    return fsum(one.value for one in row) / len(row)
