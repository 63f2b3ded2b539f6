"""Cost and latency beside quality: what the assistant logged, and what judging took."""

from collections.abc import Iterator, Sequence
from math import isfinite, sqrt
from statistics import fmean, median, stdev

from whichhalf.comparing.comparison import JudgeSpend, Spend
from whichhalf.comparing.pairs import Pair
from whichhalf.core.case import Case
from whichhalf.core.run import Run
from whichhalf.statistics.distributions import student_quantile

LOGGED = ("latency_ms", "cost_usd")


def assistant_spending(pairs: Sequence[Pair], level: float) -> Iterator[Spend]:
    """One for each of LOGGED that some pair logged on both sides."""
    for what in LOGGED:
        logged = [(_logged(pair.a.case, what), _logged(pair.b.case, what)) for pair in pairs]
        both = [(one, other) for one, other in logged if one is not None and other is not None]
        if not both:
            continue
        a, b = [one for one, _ in both], [other for _, other in both]
        low, high = _interval([other - one for one, other in both], level)
        yield Spend(
            what=what,
            n=len(both),
            mean_a=fmean(a),
            mean_b=fmean(b),
            median_a=median(a),
            median_b=median(b),
            low=low,
            high=high,
        )


def _interval(differences: Sequence[float], level: float) -> tuple[float | None, float | None]:
    """Student's t around the mean; nothing where there is no spread to go by."""
    n = len(differences)
    error = stdev(differences) / sqrt(n) if n > 1 else 0.0
    if not error:
        return None, None
    reach = student_quantile((1 + level) / 2, n - 1) * error
    return fmean(differences) - reach, fmean(differences) + reach


def judge_spending(run: Run) -> JudgeSpend:
    cost = run.cost
    tokens = None if cost.prompt_tokens is None else cost.prompt_tokens + (cost.completion_tokens or 0)
    return JudgeSpend(calls=cost.judge_calls, cached=cost.cached, tokens=tokens, usd=cost.usd)


def _logged(case: Case, what: str) -> float | None:
    value = case.meta.get(what)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and isfinite(value) else None  # type: ignore[arg-type]
