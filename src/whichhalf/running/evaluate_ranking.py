"""The retrieval metric core on plain dictionaries: no files, no judge."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from typing import TypeVar, cast, get_args

import numpy as np

from whichhalf.catalogue import Choices, build_metrics, check_is_a_list_of_names
from whichhalf.core.ids import id_text
from whichhalf.core.options import Gain, Ties
from whichhalf.core.run import MetricSummary, RecallCurve
from whichhalf.errors import InputError
from whichhalf.retrieval.family import Conventions, RetrievalMetric
from whichhalf.retrieval.judged_rankings import JudgedRankings, judge_lists, judge_scores
from whichhalf.retrieval.plain_lists import plain_grades
from whichhalf.retrieval.recall_curve import recall_curve
from whichhalf.statistics.mean import summarise_values

Id = TypeVar("Id", str, int)
Other = TypeVar("Other", str, int)
V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class RankingScores:
    """Values by question and metric, and their means with counts."""

    per_question: dict[str, dict[str, float | None]]
    """Question → metric → value; None where the metric is undefined."""
    summary: dict[str, MetricSummary]
    curve: RecallCurve | None
    """Mean recall at every k; None when nothing was returned."""
    without_output: tuple[str, ...]
    """Questions with labels that the run does not have: 0, and in the mean."""
    without_labels: tuple[str, ...]
    """Questions of the run that have no labels: left out."""
    repeating: tuple[str, ...]
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
    gain: Gain = "exponential",
    conventions: Conventions | None = None,
) -> RankingScores:
    """Score rankings: `qrels` is {question: {passage: grade}}, `run` {question: [passage, …]} or {question:
    {passage: score}}; a run is of one kind, and so are the ids of one ranking.

    Raises InputError for unknown metrics, unusable ids, grades or scores, or when no question is in both.
    """
    if ties not in get_args(Ties):
        raise InputError(f"ties is one of {', '.join(get_args(Ties))}, not {ties!r}")
    conventions = conventions or Conventions()
    labels = _labels(qrels)
    rankings = _by_text(run, "question")
    questions = list(labels)
    if not labels.keys() & rankings.keys():
        raise InputError("no question of the run has labels: check that both use the same ids")
    rows = [rankings.get(question) for question in questions]
    judged = _judge(rows, list(labels.values()), questions, ties, conventions)
    return score_judged(
        judged,
        questions,
        metrics,
        gain=gain,
        conventions=conventions,
        without_output=tuple(question for question in questions if question not in rankings),
        without_labels=tuple(question for question in rankings if question not in labels),
    )


def score_judged(
    judged: JudgedRankings,
    questions: Sequence[str],
    metrics: Sequence[str],
    *,
    gain: Gain,
    conventions: Conventions,
    without_output: tuple[str, ...],
    without_labels: tuple[str, ...],
) -> RankingScores:
    """Every metric over rankings that already met their labels."""
    check_is_a_list_of_names(metrics)
    if conventions.unjudged == "removed":
        judged = judged.without_unjudged()
    if conventions.missing == "skip" and without_output:
        silent = set(without_output)
        judged = judged.only(np.array([question not in silent for question in questions]))
        questions = [question for question in questions if question not in silent]
    columns: dict[str, list[float | None]] = {}
    summary: dict[str, MetricSummary] = {}
    for metric in build_metrics(metrics, Choices(conventions=conventions, defaults={"gain": gain})):
        assert isinstance(metric, RetrievalMetric)  # without tables no other can be built
        name = str(metric.name)
        if metric.stage != "retrieved":
            raise InputError(f"metric {name!r}: a run has one stage, retrieved")
        columns[name] = metric.values(judged)
        summary[name] = summarise_values(columns[name], metric.card.contract, metric.micro_mean(judged))
    names = list(columns)
    rows = zip(*columns.values(), strict=True)
    per_question = {question: dict(zip(names, row, strict=True)) for question, row in zip(questions, rows, strict=True)}
    copies = judged.duplicate_counts.nonzero()[0].tolist()
    return RankingScores(
        per_question,
        summary,
        recall_curve(judged),
        without_output,
        without_labels,
        tuple(questions[number] for number in copies),
    )


def _judge(
    rows: Sequence[Collection[object] | None],
    grades: Sequence[Mapping[str, int]],
    questions: Sequence[str],
    ties: Ties,
    conventions: Conventions,
) -> JudgedRankings:
    threshold = conventions.relevance_threshold
    if not any(isinstance(row, Mapping) for row in rows):
        lists = [[] if row is None else _ids(row, question) for row, question in zip(rows, questions, strict=True)]
        return judge_lists(lists, grades, relevance_threshold=threshold, duplicates=conventions.duplicates)
    scored = _scored(rows, questions)
    try:
        return judge_scores(scored, grades, relevance_threshold=threshold, ties=ties)
    except (InputError, TypeError, ValueError):
        _name_bad_score(scored, questions)
        raise


def _labels(qrels: Mapping[Id, Mapping[Other, int]]) -> Mapping[str, Mapping[str, int]]:
    """The labels with ids as text. Raises InputError naming the question whose labels cannot be used."""
    by_question = _by_text(qrels, "question")
    rows = list(by_question.values())
    if set(map(type, rows)) == {dict}:
        kinds = (
            set(map(type, chain.from_iterable(rows))),
            set(map(type, chain.from_iterable(row.values() for row in rows))),
        )
        if kinds == ({str}, {int}) and not any("" in row for row in rows):
            return cast("dict[str, dict[str, int]]", by_question)
    return {question: _grades(question, row) for question, row in by_question.items()}


def _grades(question: str, grades: object) -> dict[str, int]:
    if not isinstance(grades, Mapping):
        raise InputError(f"question {question!r}: labels are a map from passage to grade")
    try:
        return plain_grades(grades)
    except InputError as error:
        raise InputError(f"question {question!r}: {error}") from error


def _are_texts(ids: Iterable[object]) -> bool:
    """Whether all ids are text and none is blank."""
    found = list(ids)
    return set(map(type, found)) <= {str} and all(map(str.strip, cast("list[str]", found)))


def _by_text(row: Mapping[Id, V], what: str) -> Mapping[str, V]:
    """The mapping with ids as text; itself where they are.

    Raises InputError for unusable ids, or two that become one.
    """
    if _are_texts(row):
        return cast("dict[str, V]", row)
    found = {id_text(key, f"a {what} id"): value for key, value in row.items()}
    if len(found) < len(row):
        raise InputError(f"two {what} ids become the same text; use either text or numbers")
    return found


def _ids(row: object, question: str) -> list[str]:
    if not isinstance(row, Sequence) or isinstance(row, str | bytes):
        raise InputError(f"the ranking of {question!r} must be a list of passage ids, not a {type(row).__name__}")
    return [one if type(one) is str and one else id_text(one, "a passage id") for one in row]


def _scored(rows: Sequence[Collection[object] | None], questions: Sequence[str]) -> list[Mapping[str, float]]:
    """Passages to scores; only the first id of a ranking is looked at, since they are of one kind."""
    scored = [{} if row is None else row for row in rows]
    if set(map(type, scored)) == {dict} and _are_texts(next(iter(row)) for row in scored if row):
        return cast("list[Mapping[str, float]]", scored)
    for row, question in zip(scored, questions, strict=True):
        if not isinstance(row, Mapping):
            raise InputError(f"the ranking of {question!r} must map passages to scores, like the others of this run")
    return [_by_text(cast("Mapping[str, float]", row), "passage") for row in scored]


def _name_bad_score(scored: Sequence[Mapping[str, float]], questions: Sequence[str]) -> None:
    """Raises InputError naming the first score that is not a finite number."""
    for question, row in zip(questions, scored, strict=True):
        for passage, score in row.items():
            if isinstance(score, str | None) or not isfinite(score):
                raise InputError(f"the score of {passage!r} for question {question!r} is not a finite number")
