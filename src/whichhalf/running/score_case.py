"""Score one case under every metric. The one place where a judge's failure becomes an outcome."""

from collections.abc import Sequence

from whichhalf.core.case import Case
from whichhalf.core.metric import Metric
from whichhalf.core.outcome import Failed, Outcome
from whichhalf.core.run import CaseResult
from whichhalf.errors import JudgeError


def score_case(case: Case, metrics: Sequence[Metric]) -> CaseResult:
    """Outcomes by metric name. Anything but a JudgeError is raised: it concerns the whole run."""
    return CaseResult(case=case, outcomes={str(metric.card.name): _outcome(case, metric) for metric in metrics})


def _outcome(case: Case, metric: Metric) -> Outcome:
    try:
        return metric.score(case)
    except JudgeError as error:
        return Failed(stage=error.stage or str(metric.card.name), error=error.reason, message=str(error), raw=error.raw)
