"""The cases that scored lowest, with their evidence."""

from collections.abc import Iterator
from dataclasses import dataclass

from whichhalf.catalogue import half_of
from whichhalf.core.outcome import Scored
from whichhalf.core.run import CaseResult, Run
from whichhalf.reporting.case_view import CaseView, known_texts, view_case
from whichhalf.triage.lost_passages import lost_passages

_MOST = 5
_GENERATION_BY = ("faithfulness", "answer_correctness", "answer_recall", "answer_relevance", "no_answer_accuracy")
"""Where a low value is a bad one, the most telling first."""
_USUAL_K = 5


@dataclass(frozen=True, slots=True)
class WorstCases:
    """The lowest under one metric, the lowest first."""

    metric: str
    below_one: int
    """Scored under 1; only the first of them are shown."""
    cases: tuple[tuple[float, CaseView], ...]


def worst_cases(run: Run) -> tuple[WorstCases, ...]:
    """For each half the lowest cases under its leading metric; a case that scored 1 is never among them."""
    texts, k = known_texts(run.results, {}), _context_size(run)

    def listed(metric: str) -> WorstCases:
        low = sorted(_below_one(run, metric), key=lambda pair: pair[0])  # stable: equals stay in file order
        shown = [(value, view_case(one, lost_passages(one.case, k), texts, k)) for value, one in low[:_MOST]]
        return WorstCases(metric, len(low), tuple(shown))

    return tuple(listed(metric) for metric in _leading(run))


def _leading(run: Run) -> Iterator[str]:
    yield from [name for name in run.metrics if half_of(name) == "retrieval"][:1]
    families = {name.partition("(")[0]: name for name in run.metrics}
    yield from [families[family] for family in _GENERATION_BY if family in families][:1]


def _below_one(run: Run, metric: str) -> Iterator[tuple[float, CaseResult]]:
    for result in run.results:
        outcome = result.outcomes.get(metric)
        if isinstance(outcome, Scored) and outcome.value < 1:
            yield outcome.value, result


def _context_size(run: Run) -> int:
    triage = run.manifest.config.get("triage")
    k = triage.get("k") if isinstance(triage, dict) else None
    return k if isinstance(k, int) else _USUAL_K
