"""What is said of a run, or of what was lost in it, in several places."""

from collections.abc import Mapping

from whichhalf.core.run import MetricSummary, Run
from whichhalf.reporting.terminal_text import plain


def judge_in_words(run: Run) -> str:
    """Who judged, and that the offline judge is no model."""
    judge = run.manifest.judge
    if not judge:
        return "no judge asked"
    if judge.get("is_baseline"):
        return "offline judge: a lexical baseline, no judge model"
    return f"judge {plain(str(judge['model']))}"


def coverage_in_words(summary: MetricSummary, floor: float) -> str:
    """Why a metric is under its coverage floor: whole numbers, so that no rounding hides the difference."""
    missing = summary.undefined.get("missing_output", 0)
    lost = {**summary.failed, **({"missing_output": missing} if missing else {})}
    cases = f"{summary.scored} of {summary.scored + summary.lost} cases scored"
    return f"{cases}, under the coverage floor {floor:g}; lost: {counts_in_words(lost)}"


def counts_in_words(counts: Mapping[str, int]) -> str:
    """`2 no_claims, 1 refused`; a dash where there is nothing to count."""
    return ", ".join(f"{count} {reason}" for reason, count in counts.items()) or "–"
