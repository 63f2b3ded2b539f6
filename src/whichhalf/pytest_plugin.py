"""Runs as assertions, for test suites: the message of a failure shows the claim and the quote behind it.

def test_the_assistant(whichhalf_run):
    run = whichhalf_run("configs/demo.toml")
    assert_scores(run, {"faithfulness": 0.85})
    assert_no_regression(run, read_run("runs/last-green"))
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from whichhalf.core.run import Run

_SHOWN = 3


@pytest.fixture(scope="session")
def whichhalf_run() -> Callable[[str | Path], "Run"]:
    """A function from a config file to its run; each file is evaluated once a session."""
    from whichhalf.jobs.evaluation import run_evaluation
    from whichhalf.running.config import read_config

    runs: dict[Path, Run] = {}

    def run(config: str | Path) -> "Run":
        path = Path(config).absolute()
        if path not in runs:
            runs[path] = run_evaluation(read_config(path), path.stem).run
        return runs[path]

    return run


def assert_scores(run: "Run", floors: Mapping[str, float], *, coverage_floor: float = 0.95) -> None:
    """Fail when the mean of a metric is below its floor, or too few cases were scored to say.

    `floors` maps metric names to means. The message shows the worst cases with their unsupported claims.
    """
    from whichhalf.running.gate import Baseline, Baselines, GateSettings, check_gates

    gates = [GateSettings(metric=name, min=floor) for name, floor in floors.items()]
    nothing = Baseline(None, "no baseline")
    found = check_gates(gates, run, Baselines(nothing, nothing), coverage_floor=coverage_floor, quantities={})
    _fail_with(
        run, [(gate.metric, one.sentence) for gate, one in zip(gates, found, strict=True) if one.verdict != "passed"]
    )


def assert_no_regression(
    run: "Run",
    baseline: "Run",
    metrics: Sequence[str] | None = None,
    *,
    max_drop: float = 0.0,
    coverage_floor: float = 0.95,
) -> None:
    """Fail when a metric is really worse than in the baseline, over the questions that both scored.

    Really: the interval of the paired difference excludes zero and its estimate is larger than `max_drop`. `metrics`
    are by default all that both runs have. Fails too when the runs may not be compared.
    """
    from whichhalf.running.gate import Baseline, Baselines, GateSettings, check_gates
    from whichhalf.running.history import differences, lineage

    changed = differences(lineage(baseline.manifest), lineage(run.manifest))
    if changed:
        pytest.fail(f"the runs may not be compared: {', '.join(changed)} differ", pytrace=False)
    names = list(metrics) if metrics is not None else [name for name in run.metrics if name in baseline.metrics]
    gates = [GateSettings(metric=name, max_drop=max_drop) for name in names]
    compared = Baseline(baseline, f"the baseline of {baseline.manifest.created}")
    found = check_gates(gates, run, Baselines(compared, compared), coverage_floor=coverage_floor, quantities={})
    bad = [
        (gate.metric, one.sentence)
        for gate, one in zip(gates, found, strict=True)
        if one.verdict in ("failed", "incomplete")
    ]
    _fail_with(run, bad)


def _fail_with(run: "Run", faults: Sequence[tuple[str, str]]) -> None:
    if faults:
        lines = [line for metric, sentence in faults for line in (sentence, *_worst(run, metric))]
        pytest.fail("\n".join(lines), pytrace=False)


def _worst(run: "Run", metric: str) -> Iterator[str]:
    """The lowest cases under a metric, each with the claims that lack support."""
    from whichhalf.core.outcome import Scored

    name = run.summary.full_name(metric)
    scored = [(one.value, result, one) for result in run.results if isinstance(one := result.outcomes[name], Scored)]
    for value, result, outcome in sorted(scored, key=lambda row: row[0])[:_SHOWN]:
        yield f"  {result.case.id} ({value:.3f}): {_clean(result.case.question.text)}"
        for verdict in outcome.verdicts:
            if verdict.label != "supported":
                quotes = "; ".join(f"{one.passage} says “{_clean(one.quote)}”" for one in verdict.evidence)
                yield f"    {verdict.label}: {_clean(verdict.claim.text)}" + (f" ({quotes})" if quotes else "")


def _clean(text: str) -> str:
    from whichhalf.reporting.terminal_text import plain

    return plain(text)
