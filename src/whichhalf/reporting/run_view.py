"""A run as plain data for a page."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from whichhalf.catalogue import half_of
from whichhalf.core.outcome import Failed
from whichhalf.core.run import Cost, JudgeNoise, MetricSummary, Run, RunManifest, Slices
from whichhalf.reporting.charts import CurveMark, Point, curve_chart, interval_chart
from whichhalf.reporting.cost_view import PromptCost, cost_by_prompt
from whichhalf.reporting.repeated_cases import RepeatedCases, repeated_cases
from whichhalf.reporting.run_words import judge_in_words
from whichhalf.reporting.triage_view import triage_in_words
from whichhalf.reporting.verdict_line import VerdictLine, run_verdict
from whichhalf.reporting.worst_cases import WorstCases, worst_cases
from whichhalf.triage.flagged import FlaggedAnswer

_MOST_FAILURES = 50


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page that another job adds, before the metrics."""

    anchor: str
    """Names the part in links: a few letters."""
    heading: str
    body: Markup
    """Charts, tables and paragraphs; whoever makes it escapes what people wrote."""


@dataclass(frozen=True, slots=True)
class MetricGroup:
    heading: str
    chart: Markup
    metrics: Mapping[str, MetricSummary]


@dataclass(frozen=True, slots=True)
class CurveView:
    stage: str
    chart: Markup
    enough: int
    """The k to use: the smallest that reaches 95 % of the ceiling."""
    ceiling: float
    longest: int


@dataclass(frozen=True, slots=True)
class Failure:
    id: str
    metric: str
    stage: str
    error: str
    message: str


@dataclass(frozen=True, slots=True)
class RunView:
    title: str
    questions: int
    judge: str
    verdict: VerdictLine
    triage: str
    """One sentence on flagged answers; empty where none is flagged."""
    sections: tuple[Section, ...]
    groups: tuple[MetricGroup, ...]
    metrics: Mapping[str, MetricSummary]
    noise: Mapping[str, JudgeNoise]
    """Judged metric → how far it moved when the judge was asked again; empty where it was not."""
    repeated: tuple[RepeatedCases, ...]
    slices: Slices
    curves: tuple[CurveView, ...]
    worst: tuple[WorstCases, ...]
    failures: tuple[Failure, ...]
    """The first of them, one for every outcome that could not be had."""
    failure_counts: Mapping[str, int]
    """`metric: stage: error` → number of cases; all of them."""
    cost: Cost
    prompts: tuple[PromptCost, ...]
    manifest: RunManifest
    config: str


def view_run(
    title: str,
    run: Run,
    answers: Sequence[FlaggedAnswer] = (),
    verdict: VerdictLine | None = None,
    sections: Sequence[Section] = (),
) -> RunView:
    """`verdict` replaces the sentence on top, and `sections` follow it: what a nightly job knows and a run does not."""
    failed = [
        Failure(result.case.id, name, outcome.stage, outcome.error, outcome.message)
        for result in run.results
        for name, outcome in result.outcomes.items()
        if isinstance(outcome, Failed)
    ]
    return RunView(
        title=title,
        questions=len(run.results),
        judge=judge_in_words(run),
        verdict=verdict or run_verdict(run),
        triage=triage_in_words(answers) if answers else "",
        sections=tuple(sections),
        groups=_groups(run.metrics),
        metrics=run.metrics,
        noise=run.noise,
        repeated=repeated_cases(run),
        slices=run.slices,
        curves=_curves(run),
        worst=worst_cases(run),
        failures=tuple(failed[:_MOST_FAILURES]),
        failure_counts=Counter(f"{one.metric}: {one.stage}: {one.error}" for one in failed),
        cost=run.cost,
        prompts=cost_by_prompt(run.calls),
        manifest=run.manifest,
        config=json.dumps(run.manifest.config, indent=2, ensure_ascii=False),
    )


def _groups(metrics: Mapping[str, MetricSummary]) -> tuple[MetricGroup, ...]:
    """The retrieval half, then the generation half with what both halves share."""
    retrieval = {name: one for name, one in metrics.items() if half_of(name) == "retrieval"}
    rest = {name: one for name, one in metrics.items() if name not in retrieval}
    both = any(half_of(name) == "both" for name in rest)
    parts = [("Retrieval half", retrieval), ("Generation half, and both together" if both else "Generation half", rest)]
    return tuple(
        MetricGroup(heading, interval_chart(heading, _points(group)), group) for heading, group in parts if group
    )


def _points(metrics: Mapping[str, MetricSummary]) -> list[Point]:
    return [Point(name, one.mean, one.low, one.high) for name, one in metrics.items()]


def _curves(run: Run) -> tuple[CurveView, ...]:
    return tuple(
        CurveView(
            stage,
            curve_chart(
                f"Recall at every k, stage {stage}",
                curve.recall,
                [CurveMark(curve.knee, "flattens"), CurveMark(curve.enough, "reaches 95 % of the ceiling")],
            ),
            curve.enough,
            curve.recall[-1],
            len(curve.recall),
        )
        for stage, curve in run.curves.items()
    )
