"""The retrieval metric core on plain dictionaries: no files, no judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TypeVar

from whichhalf.catalogue import Choices, build_metrics
from whichhalf.core.ids import id_text
from whichhalf.core.options import Ties
from whichhalf.core.outcome import Outcome, Scored, Undefined
from whichhalf.core.run import MetricSummary
from whichhalf.errors import InputError
from whichhalf.retrieval.family import Conventions, RetrievalMetric
from whichhalf.retrieval.ordering import order_by_score
from whichhalf.statistics.mean import summarise

Id = TypeVar("Id", str, int)
Other = TypeVar("Other", str, int)


@dataclass(frozen=True, slots=True)
class RankingScores:
    """Values by question and metric, and their means with counts."""

    per_question: dict[str, dict[str, float | None]]
    """Question → metric → value; None where the metric is undefined."""
    summary: dict[str, MetricSummary]
    without_output: tuple[str, ...]
    """Questions with labels that the run does not have: 0, and in the mean."""
    without_labels: tuple[str, ...]
    """Questions of the run that have no labels: left out."""
    repeating: tuple[str, ...] = ()
    """Questions whose ranking repeats a passage id."""

    @property
    def means(self) -> dict[str, float | None]:
        """Metric → mean; None where nothing was scored."""
        return {name: summary.mean for name, summary in self.summary.items()}


def evaluate_ranking(
    qrels: Mapping[Id, Mapping[Other, int]],
    run: Mapping[Id, Sequence[Other]] | Mapping[Id, Mapping[Other, float]],
    metrics: Sequence[str],
    *,
    ties: Ties = "input",
    gain: str = "exponential",
    conventions: Conventions | None = None,
) -> RankingScores:
    """Score rankings: `qrels` is {question: {passage: grade}}, `run` {question: [passage, …]} or {question:
    {passage: score}}.

    Raises InputError for unknown metrics, unusable ids, grades or scores, or when no question is in both.
    """
    choices = Choices(conventions=conventions or Conventions(), defaults={"gain": gain})
    built = [metric for metric in build_metrics(metrics, choices) if isinstance(metric, RetrievalMetric)]
    labels = {
        _id(question): {_id(one): _grade(question, grade) for one, grade in grades.items()}
        for question, grades in qrels.items()
    }
    rankings = {_id(question): _ordered(question, ranking, ties) for question, ranking in run.items()}
    if not labels.keys() & rankings.keys():
        raise InputError("no question of the run has labels: check that both use the same ids")
    rows: dict[str, dict[str, float | None]] = {}
    for question, grades in labels.items():
        ranking = choices.conventions.label(rankings.get(question, []), grades)
        rows[question] = {str(metric.name): metric.value(ranking) for metric in built}
    summary = {
        name: summarise((_outcome(row[name]) for row in rows.values()), metric.card.contract)
        for metric in built
        for name in [str(metric.name)]
    }
    return RankingScores(
        rows,
        summary,
        without_output=tuple(question for question in labels if question not in rankings),
        without_labels=tuple(question for question in rankings if question not in labels),
        repeating=tuple(question for question, ids in rankings.items() if len(set(ids)) < len(ids)),
    )


def _ordered(question: object, ranking: Sequence[Other] | Mapping[Other, float], ties: Ties) -> list[str]:
    if isinstance(ranking, str):
        raise InputError(f"the ranking of {question!r} must be a list of passage ids, not one text")
    if not isinstance(ranking, Mapping):
        return [_id(one) for one in ranking]
    scored = [(_id(one), float(score)) for one, score in ranking.items()]
    bad = [one for one, score in scored if not isfinite(score)]
    if bad:
        raise InputError(f"the score of {bad[0]!r} for question {question!r} is not a finite number")
    return order_by_score(scored, ties)


def _grade(question: object, grade: float) -> int:
    if isinstance(grade, bool) or not isfinite(grade) or grade != int(grade):
        raise InputError(f"question {question!r} has the grade {grade!r}; grades are whole numbers")
    return int(grade)


def _id(value: object) -> str:
    return value if type(value) is str and value else id_text(value)


def _outcome(value: float | None) -> Outcome:
    return Undefined(because="no_relevant_labels") if value is None else Scored(value=value)
