"""The retrieval metric core on plain dictionaries: no files, no judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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

    Raises InputError for unknown metrics, unusable ids, or when no question is in both.
    """
    choices = Choices(conventions=conventions or Conventions(), defaults={"gain": gain})
    built = [metric for metric in build_metrics(metrics, choices) if isinstance(metric, RetrievalMetric)]
    labels = {_id(question): {_id(one): grade for one, grade in grades.items()} for question, grades in qrels.items()}
    rankings = {_id(question): _ordered(ranking, ties) for question, ranking in run.items()}
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
    )


def _ordered(ranking: Sequence[Other] | Mapping[Other, float], ties: Ties) -> list[str]:
    if isinstance(ranking, Mapping):
        return order_by_score([(_id(one), float(score)) for one, score in ranking.items()], ties)
    return [_id(one) for one in ranking]


def _id(value: object) -> str:
    return value if type(value) is str and value else id_text(value)


def _outcome(value: float | None) -> Outcome:
    return Undefined(because="no_relevant_labels") if value is None else Scored(value=value)
