"""Cases that a mean over repeats would hide: those the judge cannot settle, and those that fail every time."""

from collections.abc import Sequence
from dataclasses import dataclass

from whichhalf.core.ids import a_few
from whichhalf.core.outcome import Failed, Outcome, Scored
from whichhalf.core.run import Run
from whichhalf.reporting.terminal_text import number

_MOST_MOVED = 5


@dataclass(frozen=True, slots=True)
class RepeatedCases:
    """One metric over the cases that the judge was asked about again."""

    metric: str
    moved: tuple[tuple[str, tuple[float | None, ...]], ...]
    """Case and its scores, the run's first, None where there was none: those furthest apart, at most five."""
    all_moved: int
    """Cases whose scores differ at all."""
    always_zero: tuple[str, ...]
    """Cases that scored 0 every time."""
    always_failed: tuple[str, ...]
    """Cases whose score was never had."""

    @property
    def in_words(self) -> tuple[str, ...]:
        """A phrase for each kind of case that there is."""
        told = []
        if self.moved:
            cases = ", ".join(f"{case} ({', '.join(map(number, scores))})" for case, scores in self.moved)
            told.append(f"{self.metric}: moved most, of {self.all_moved} that moved: {cases}")
        for what, ids in (("0 every time", self.always_zero), ("failed every time", self.always_failed)):
            if ids:
                told.append(f"{self.metric}: {what}: {a_few(ids)}")
        return tuple(told)


def repeated_cases(run: Run) -> tuple[RepeatedCases, ...]:
    """One row for each metric that has anything to tell, in the order of the metrics and of the golden set."""
    ids = dict.fromkeys(one.id for one in run.repeated)
    asked = {result.case.id: result.outcomes for result in run.results if result.case.id in ids}
    rows = []
    for metric in run.repeated[0].outcomes if run.repeated else ():
        cases = {
            case: [outcomes[metric], *(one.outcomes[metric] for one in run.repeated if one.id == case)]
            for case, outcomes in asked.items()
        }
        rows.append(_row(metric, cases))
    return tuple(row for row in rows if row.moved or row.always_zero or row.always_failed)


def _row(metric: str, cases: dict[str, list[Outcome]]) -> RepeatedCases:
    spread = {case: _spread(outcomes) for case, outcomes in cases.items()}
    moved = sorted((case for case in cases if spread[case] > 0), key=lambda case: -spread[case])
    return RepeatedCases(
        metric,
        tuple((case, tuple(map(_value, cases[case]))) for case in moved[:_MOST_MOVED]),
        len(moved),
        tuple(case for case, outcomes in cases.items() if all(_value(one) == 0 for one in outcomes)),
        tuple(case for case, outcomes in cases.items() if all(isinstance(one, Failed) for one in outcomes)),
    )


def _value(outcome: Outcome) -> float | None:
    return outcome.value if isinstance(outcome, Scored) else None


def _spread(outcomes: Sequence[Outcome]) -> float:
    values = [one.value for one in outcomes if isinstance(one, Scored)]
    return max(values) - min(values) if values else 0.0
