"""Ask the judge again about some of the cases, to see how far its own replies differ."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil
from random import Random

from whichhalf.core.case import Case
from whichhalf.core.metric import Metric
from whichhalf.core.outcome import Scored
from whichhalf.core.run import CaseResult, JudgeNoise, RepeatedResult
from whichhalf.judged.family import JudgedMetric
from whichhalf.statistics.judge_noise import judge_noise

Score = Callable[[Sequence[Case], Sequence[Metric]], Sequence[CaseResult]]


def score_again(
    cases: Sequence[Case], metrics: Sequence[Metric], repeats: int, share: float, seed: int, score: Score
) -> tuple[RepeatedResult, ...]:
    """Outcomes of a seeded share of the cases with an output, under the judged metrics, in repeats 1 to n − 1.

    At least one case is drawn. Claims of reference answers are not split again.
    """
    with_output = [case for case in cases if case.has_output]
    drawn = set(Random(seed).sample(range(len(with_output)), ceil(share * len(with_output))))
    chosen = [case for place, case in enumerate(with_output) if place in drawn]
    judged = [metric for metric in metrics if isinstance(metric, JudgedMetric)]
    return tuple(
        RepeatedResult(id=result.case.id, repeat=repeat, outcomes=result.outcomes)
        for repeat in (range(1, repeats) if judged else ())
        for result in score(chosen, [_repeat_of(metric, repeat) for metric in judged])
    )


def noise_of(results: Sequence[CaseResult], repeated: Sequence[RepeatedResult]) -> dict[str, JudgeNoise]:
    """Metric → how far its verdicts and its mean moved, for the metrics that were repeated."""
    first = {result.case.id: result.outcomes for result in results}
    again: dict[str, list[RepeatedResult]] = {}
    for one in repeated:
        again.setdefault(one.id, []).append(one)
    names = list(repeated[0].outcomes) if repeated else []
    return {
        name: judge_noise(
            [[first[case][name], *(one.outcomes[name] for one in rows)] for case, rows in again.items()],
            sum(isinstance(outcomes[name], Scored) for outcomes in first.values()),
        )
        for name in names
    }


def _repeat_of(metric: JudgedMetric, repeat: int) -> JudgedMetric:
    return replace(metric, tables=replace(metric.tables, repeat=repeat))
