"""One sentence that says what a run says."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from whichhalf.core.outcome import Failed
from whichhalf.core.run import Run
from whichhalf.reporting.run_words import coverage_in_words, judge_in_words


@dataclass(frozen=True, slots=True)
class VerdictLine:
    state: Literal["good", "warn", "bad"]
    text: str


def run_verdict(run: Run) -> VerdictLine:
    """How many questions, how many scores, what was lost; bad when a metric is under the coverage floor."""
    outcomes = [outcome for result in run.results for outcome in result.outcomes.values()]
    failed = Counter(outcome.error for outcome in outcomes if isinstance(outcome, Failed))
    scored = sum(outcome.kind == "scored" for outcome in outcomes)
    undefined = sum(outcome.kind == "undefined" for outcome in outcomes)
    head = (
        f"{_counted(len(run.results), 'question')} under {_counted(len(run.metrics), 'metric')} "
        f"({judge_in_words(run)}): {_counted(scored, 'score')}, {undefined} undefined, {failed.total()} failed"
    )
    lost = f" ({', '.join(f'{count} {error}' for error, count in failed.most_common())})" if failed else ""
    below = _below_floor(run)
    if below:
        return VerdictLine("bad", f"{head}{lost}. Not to be trusted: {'; '.join(below)}.")
    return VerdictLine("warn" if failed else "good", f"{head}{lost}.")


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" + ("" if count == 1 else "s")


def _below_floor(run: Run) -> list[str]:
    settings = run.manifest.config.get("run")
    floor = settings.get("coverage_floor") if isinstance(settings, dict) else None
    if not isinstance(floor, int | float):
        return []
    return [
        f"{name}: {coverage_in_words(one, floor)}"
        for name, one in run.metrics.items()
        if one.coverage is not None and one.coverage < floor
    ]
