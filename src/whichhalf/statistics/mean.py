"""Means that never travel without their counts."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import fsum

from whichhalf.core.outcome import Failed, Outcome, Scored
from whichhalf.core.run import MetricSummary
from whichhalf.statistics.intervals import mean_interval


def summarise(outcomes: Iterable[Outcome], contract: str, micro: float | None = None) -> MetricSummary:
    """The mean over scored cases with its interval, the counts of all others and the bounds failures leave open."""
    values: list[float] = []
    undefined: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    for outcome in outcomes:
        if isinstance(outcome, Scored):
            values.append(outcome.value)
        elif isinstance(outcome, Failed):
            failed[outcome.error] += 1
        else:
            undefined[outcome.because] += 1
    return _summary(values, undefined, failed, contract, micro)


def summarise_values(values: Sequence[float | None], contract: str, micro: float | None = None) -> MetricSummary:
    """The same for plain values, of which None are undefined for want of labels."""
    scored = [value for value in values if value is not None]
    undefined = Counter({"no_relevant_labels": len(values) - len(scored)})
    return _summary(scored, +undefined, Counter(), contract, micro)


def _summary(
    values: list[float], undefined: Counter[str], failed: Counter[str], contract: str, micro: float | None
) -> MetricSummary:
    lost = failed.total()
    total, definable = fsum(values), len(values) + lost
    interval = mean_interval(values)
    return MetricSummary(
        mean=total / len(values) if values else None,
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        interval=f"{interval.level * 100:g} %, {interval.method}" if interval else None,
        scored=len(values),
        undefined=dict(sorted(undefined.items())),
        failed=dict(sorted(failed.items())),
        if_failed_were=(total / definable, (total + lost) / definable) if definable else None,
        contract=contract,
        micro=micro,
    )
