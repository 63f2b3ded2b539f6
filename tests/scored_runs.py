"""Runs made of scores alone, as nights leave them: broken down by topic, with facts that differ from night to night."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from run_makers import JUDGE, a_case, a_run, failed
from whichhalf.core.outcome import Outcome
from whichhalf.core.run import Cost, MetricSummary, Run
from whichhalf.statistics.mean import summarise

Scores = Mapping[str, Sequence[float | None]]
"""Metric → one score a question; None is a reply that was lost."""
TOPICS = ("salary", "rent")


def scored_run(
    scores: Scores,
    *,
    created: str = "2026-11-30T02:17:00+00:00",
    golden: str = "g1",
    outputs: str = "o1",
    model: str = "m-1",
    prompt: str = "p1",
) -> Run:
    """Questions q1, q2, …; every second one is about rent, the others about salary. Seven judge calls were made."""
    outcomes = {name: [failed() if value is None else value for value in values] for name, values in scores.items()}
    count = len(next(iter(scores.values())))
    run = a_run(
        outcomes,
        [a_case(f"q{number + 1}", tags={"topic": TOPICS[number % 2]}) for number in range(count)],
        cost=Cost(judge_calls=7),
        created=created,
        data={"golden": golden, "outputs": outputs},
        judge={**JUDGE, "returned": [model]},
        prompts={"verify_claims/v1": prompt},
    )
    by_topic = {
        topic: {name: _summary(run, name, topic) for name in scores}
        for topic in sorted(TOPICS)
        if count > 1 or topic == "salary"
    }
    return replace(run, slices={"topic": by_topic})


def _summary(run: Run, name: str, topic: str) -> MetricSummary:
    found: list[Outcome] = [one.outcomes[name] for one in run.results if one.case.question.tags["topic"] == topic]
    return summarise(found, run.metrics[name].contract)
