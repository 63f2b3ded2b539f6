"""Score one case under every metric. The one place where a judge's failure becomes an outcome."""

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import Future

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
    return SharedCase(case, metrics, known).finish()


class SharedCase:
    """A case that one thread finishes, metric by metric; threads that have no case help from the other end."""

    def __init__(self, case: Case, metrics: Sequence[Metric], known: Mapping[str, Outcome] | None = None) -> None:
        self._case = case
        self._outcomes = dict(known or {})
        named = {str(metric.card.name): metric for metric in metrics}
        self._names = list(self._outcomes | named)
        self._left = [(name, metric) for name, metric in named.items() if name not in self._outcomes]
        self._helped: list[Future[None]] = []
        self._guard = threading.Lock()

    @property
    def left(self) -> int:
        """How many metrics nobody has begun."""
        return len(self._left)

    def finish(self) -> CaseResult:
        """Score what is left, and wait for those who help. Raises whatever a metric raised for either."""
        while True:
            with self._guard:
                if not self._left:
                    break
                name, metric = self._left.pop(0)
            self._score(name, metric)
        for helped in self._helped:
            helped.result()
        return CaseResult(case=self._case, outcomes={name: self._outcomes[name] for name in self._names})

    def help(self) -> None:
        """Score one metric, if any is left."""
        helped: Future[None] = Future()
        with self._guard:
            if not self._left:
                return
            name, metric = self._left.pop()
            self._helped.append(helped)
        try:
            self._score(name, metric)
        except BaseException as error:  # noqa: BLE001  whoever finishes the case raises it
            helped.set_exception(error)
        else:
            helped.set_result(None)

    def _score(self, name: str, metric: Metric) -> None:
        try:
            self._outcomes[name] = _outcome(self._case, metric)
        except BaseException:
            with self._guard:
                self._left.clear()  # the result is lost: nothing more is paid for it
            raise


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
