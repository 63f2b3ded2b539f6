"""Score one case under every metric. The one place where a judge's failure becomes an outcome."""

from collections.abc import Mapping, Sequence

from whichhalf.core.case import Case
from whichhalf.core.metric import Metric
from whichhalf.core.outcome import Failed, Outcome
from whichhalf.core.run import CaseResult
from whichhalf.errors import CallPostponed, JudgeError

Outcomes = dict[str, Outcome]
"""Metric name → outcome."""


def score_case(case: Case, metrics: Sequence[Metric], known: Mapping[str, Outcome] | None = None) -> CaseResult:
    """Outcomes by metric name; those known are taken over. Anything but a JudgeError is raised: it concerns the whole
    run."""
    outcomes = dict(known or {})
    for metric in metrics:
        name = str(metric.card.name)
        if name not in outcomes:
            outcomes[name] = _outcome(case, metric)
    return CaseResult(case=case, outcomes=outcomes)


def score_kept(case: Case, metrics: Sequence[Metric]) -> Outcomes:
    """The outcomes up to the first that needs a call, while calls are held back."""
    outcomes: Outcomes = {}
    for metric in metrics:
        try:
            outcomes[str(metric.card.name)] = _outcome(case, metric)
        except CallPostponed:
            break
    return outcomes


def _outcome(case: Case, metric: Metric) -> Outcome:
    try:
        return metric.score(case)
    except JudgeError as error:
        return Failed(stage=error.stage or str(metric.card.name), error=error.reason, message=str(error), raw=error.raw)
