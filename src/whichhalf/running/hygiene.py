"""Faults of a golden set that no reader can refuse, yet that spoil its numbers: for `whichhalf validate`."""

from collections.abc import Mapping, Sequence
from statistics import stdev

from whichhalf.core.case import Case, Passage
from whichhalf.core.ids import a_few
from whichhalf.core.metric import Metric
from whichhalf.core.outcome import Scored
from whichhalf.datasets.near_duplicates import near_duplicates
from whichhalf.retrieval.family import RetrievalMetric
from whichhalf.statistics.power import detectable_difference

_USUAL_GRADES = range(5)


def golden_set_faults(
    cases: Sequence[Case], metrics: Sequence[Metric], corpus: Mapping[str, Passage] | None = None
) -> list[str]:
    """One sentence a finding; empty when nothing was found."""
    questions = [case.question for case in cases]
    findings = [
        (
            "answerable question(s) without labels: no retrieval metric can score them",
            [one.id for one in questions if one.answerable and not one.relevant and not one.evidence],
        ),
        (
            "question(s) and none with an answer: an assistant that declines everything would be right each time",
            [one.id for one in questions] if not any(one.answerable for one in questions) else [],
        ),
        (
            f"label(s) with a grade outside {_USUAL_GRADES[0]} to {_USUAL_GRADES[-1]}",
            [
                f"{one.id} {passage} ({grade})"
                for one in questions
                for passage, grade in one.relevant.items()
                if grade not in _USUAL_GRADES
            ],
        ),
        ("pair(s) of questions that ask nearly the same", _pairs({one.id: one.text for one in questions})),
    ]
    if corpus is not None:
        stale = [f"{one.id} {passage}" for one in questions for passage in one.relevant if passage not in corpus]
        texts = {one: passage.text for one, passage in corpus.items() if passage.text and passage.text.strip()}
        findings += [
            ("label(s) for passages that are not in the corpus: stale?", stale),
            ("pair(s) of passages that say nearly the same: a second hit may be the same text again", _pairs(texts)),
        ]
    short = [f"{name} ({count})" for name, count in _short_lists(cases, metrics).items()]
    findings.append(("metric(s) whose k some rankings do not reach (questions)", short))
    sentences = [f"{len(found)} {what}: {a_few(found)}" for what, found in findings if found]
    return [*sentences, *_detectable(cases, metrics)]


def _pairs(texts: Mapping[str, str]) -> list[str]:
    return [f"{one} = {other}" for one, other in near_duplicates(texts)]


def _short_lists(cases: Sequence[Case], metrics: Sequence[Metric]) -> dict[str, int]:
    """Metric → questions whose ranking is shorter than its k."""
    counts = {}
    for metric in metrics:
        name = metric.card.name
        if name.stage is not None and name.k is not None:
            lengths = [len(case.ranking(name.stage) or ()) for case in cases if case.has_output]
            counts[str(name)] = sum(length < name.k for length in lengths)
    return {name: count for name, count in counts.items() if count}


def _detectable(cases: Sequence[Case], metrics: Sequence[Metric]) -> list[str]:
    """What difference between two runs the questions can show, from the spread of this run's own values."""
    for metric in metrics:
        if not isinstance(metric, RetrievalMetric):
            continue
        outcomes = metric.score_all(cases, metric.conventions.judge(cases, metric.stage))
        values = [outcome.value for outcome in outcomes if isinstance(outcome, Scored)]
        if len(values) > 1 and (spread := stdev(values)) > 0:
            smallest = detectable_difference(spread, len(values))
            return [
                f"{len(values)} questions can show a difference in {metric.name} of about {smallest:.2f} between two "
                "runs (80 % power, 5 % level, differences as spread as this run's values)"
            ]
    return []
