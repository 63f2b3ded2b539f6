"""Gates: what a night must reach to be called green, each with the sentence that explains its verdict.

Numbers are compared as they are, never rounded, and printed with as many digits as the verdict needs. A gate on a
metric that scored nothing, or too little, is never green.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self

from pydantic import Field, model_validator

from whichhalf.catalogue import higher_is_better, is_judged
from whichhalf.core.outcome import Scored
from whichhalf.core.record import Record
from whichhalf.core.run import CaseResult, MetricSummary, Run, Summary, full_name
from whichhalf.statistics.paired import paired_difference

QUANTITIES = ("usd", "judge_calls", "latency_ms", "flip_rate")
"""What a gate may hold down beside metrics. `latency_ms` is the 95th percentile of what answers logged, `flip_rate`
the largest share of verdicts, under any one metric, that flip when the judge is asked again ([judge] repeats)."""

GateWord = Literal["passed", "failed", "incomplete", "not_compared"]
"""`incomplete`: too little was scored to say. `not_compared`: there is no night to compare with; counts as passed."""


class GateSettings(Record):
    """One `[[gate]]` of a config."""

    metric: str = Field(min_length=1)
    """A metric of the run, or one of QUANTITIES."""
    min: float | None = None
    max: float | None = None
    max_drop: float | None = Field(default=None, ge=0.0, le=1.0)
    """Against the last green night over the same questions: a drop fails when the interval of the paired difference
    excludes zero and its estimate is larger than this."""
    slice: dict[str, str] = {}
    """One tag and its value, to look at those questions only."""
    coverage_floor: float | None = Field(default=None, ge=0.0, le=1.0)
    """By default that of [run]."""

    @model_validator(mode="after")
    def _can_decide(self) -> Self:
        if self.min is None and self.max is None and self.max_drop is None:
            raise ValueError("a gate needs min, max or max_drop")
        if self.metric in QUANTITIES and (self.min is not None or self.max_drop is not None or self.slice):
            raise ValueError(f"a gate on {self.metric} takes max only")
        if len(self.slice) > 1:
            raise ValueError('a slice is one tag and its value, such as {topic = "rent"}')
        return self

    @property
    def name(self) -> str:
        """The gate in a few words, the same every night."""
        where = "".join(f" [{tag}={value}]" for tag, value in self.slice.items())
        rules = [
            f"{rule} {in_full(value)}"
            for rule in ("min", "max", "max_drop")
            if (value := getattr(self, rule)) is not None
        ]
        return f"{self.metric}{where} {', '.join(rules)}"


class GateVerdict(Record):
    """What one gate says of a night."""

    gate: str
    verdict: GateWord
    sentence: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """The night that drops are measured against, or why there is none."""

    run: Run | None
    name: str
    """Its folder; or the reason in words."""


@dataclass(frozen=True, slots=True)
class Baselines:
    """Another judge makes judged metrics incomparable, and leaves arithmetic alone."""

    arithmetic: Baseline
    judged: Baseline

    def of(self, metric: str) -> Baseline:
        return self.judged if is_judged(metric) else self.arithmetic


def check_gates(
    gates: Sequence[GateSettings],
    run: Run,
    baselines: Baselines,
    *,
    coverage_floor: float,
    quantities: Mapping[str, float | None],
) -> tuple[GateVerdict, ...]:
    """One verdict for every rule of every gate, in their order.

    `quantities` holds what was spent, None where unknown. A slice that the run does not have is incomplete.
    """
    verdicts: list[GateVerdict] = []
    for gate in gates:
        if gate.metric in QUANTITIES:
            verdicts.append(_on_quantity(gate, quantities.get(gate.metric)))
            continue
        summary = _summary(gate, run)
        if summary is None:
            sentence = f"{gate.metric}{_where(gate)}: the run has none of these questions"
            verdicts.append(GateVerdict(gate=gate.name, verdict="incomplete", sentence=sentence))
            continue
        floor = coverage_floor if gate.coverage_floor is None else gate.coverage_floor
        lacking = _lacking(summary, floor)
        if lacking:
            verdicts.append(GateVerdict(gate=gate.name, verdict="incomplete", sentence=f"{gate.metric}: {lacking}"))
            continue
        verdicts += _on_mean(gate, summary)
        if gate.max_drop is not None:
            verdicts.append(_on_drop(gate, run, baselines.of(gate.metric)))
    return tuple(verdicts)


def check_gate_names(gates: Sequence[GateSettings], metrics: Sequence[str], tags: Mapping[str, set[str]]) -> list[str]:
    """What is wrong with the gates of a config, before anything is asked. `tags` maps a tag to its values."""
    faults = []
    for number, gate in enumerate(gates, start=1):
        if gate.metric not in QUANTITIES:
            try:
                full_name(gate.metric, metrics)
            except KeyError as error:
                faults.append(f"gate {number}: {error.args[0]}")
        for tag, value in gate.slice.items():
            if value not in tags.get(tag, set()):
                there = ", ".join(sorted(tags.get(tag, set()))) or "none"
                faults.append(f"gate {number}: no question has {tag} = {value!r}; there are {there}")
    return faults


def _summary(gate: GateSettings, run: Run) -> MetricSummary | None:
    """Of the questions that the gate looks at; None where the run has none of them."""
    for tag, value in gate.slice.items():
        rows = run.slices.get(tag, {}).get(value)
        return None if rows is None else Summary(rows)[gate.metric]
    return run.summary[gate.metric]


def _lacking(summary: MetricSummary, floor: float) -> str:
    if summary.mean is None:
        return "nothing was scored, so nothing can be said"
    coverage = summary.coverage
    if coverage is not None and coverage < floor:
        return f"{summary.scored} of {summary.scored + summary.lost} cases scored, under the coverage floor {floor:g}"
    return ""


def _on_mean(gate: GateSettings, summary: MetricSummary) -> list[GateVerdict]:
    mean = summary.mean
    assert mean is not None
    found = []
    if gate.min is not None:
        found.append(_compared(gate, mean, "<" if mean < gate.min else "≥", gate.min, mean >= gate.min, summary))
    if gate.max is not None:
        found.append(_compared(gate, mean, ">" if mean > gate.max else "≤", gate.max, mean <= gate.max, summary))
    return found


def _compared(
    gate: GateSettings, mean: float, sign: str, bound: float, passed: bool, summary: MetricSummary
) -> GateVerdict:
    spread = (
        "" if summary.low is None or summary.high is None else f", interval {summary.low:.4f} to {summary.high:.4f}"
    )
    comparison = f"{deciding(mean, bound)} {sign} {in_full(bound)}"
    text = f"{gate.metric}{_where(gate)}: {comparison} over {summary.scored} cases{spread}"
    return GateVerdict(gate=gate.name, verdict="passed" if passed else "failed", sentence=text)


def _on_quantity(gate: GateSettings, value: float | None) -> GateVerdict:
    if value is None or gate.max is None:
        return GateVerdict(gate=gate.name, verdict="incomplete", sentence=f"{gate.metric}: unknown for this run")
    passed = value <= gate.max
    sentence = f"{gate.metric}: {deciding(value, gate.max)} {'≤' if passed else '>'} {in_full(gate.max)}"
    return GateVerdict(gate=gate.name, verdict="passed" if passed else "failed", sentence=sentence)


def _on_drop(gate: GateSettings, run: Run, baseline: Baseline) -> GateVerdict:
    assert gate.max_drop is not None
    what = f"{gate.metric}{_where(gate)}"

    def verdict(word: GateWord, sentence: str) -> GateVerdict:
        return GateVerdict(gate=gate.name, verdict=word, sentence=sentence)

    if baseline.run is None:
        return verdict("not_compared", f"{what}: no night to compare with ({baseline.name})")
    before, now = _paired_values(gate, baseline.run, run)
    rises = higher_is_better(gate.metric) is False
    paired = paired_difference(now, before) if not rises else paired_difference(before, now)
    loss, low, high = paired.difference, paired.low, paired.high
    if loss is None or low is None or high is None:
        return verdict("not_compared", f"{what}: too few questions scored in both nights to compare ({paired.n})")
    since = f"(since {baseline.name})"
    if loss <= 0:
        return verdict("passed", f"{what}: no loss over {paired.n} questions {since}")
    moved = (
        f"{what} {'rose' if rises else 'fell'} by {loss:.6g} over {paired.n} questions, "
        f"95 % interval of the loss {low:.6g} to {high:.6g}"
    )
    if loss <= gate.max_drop:
        return verdict("passed", f"{moved}: within the {gate.max_drop!r} allowed {since}")
    if low <= 0:
        return verdict("passed", f"{moved}: could be chance {since}")
    return verdict("failed", f"{moved}: a real loss, larger than {gate.max_drop!r} {since}")


def _paired_values(gate: GateSettings, before: Run, now: Run) -> tuple[list[float], list[float]]:
    """Scores of the questions that both nights scored, in the order of the first."""
    later = {result.case.id: _value(gate, now, result) for result in now.results if _inside(gate, result)}
    pairs = [
        (first, second)
        for result in before.results
        if (first := _value(gate, before, result)) is not None and (second := later.get(result.case.id)) is not None
    ]
    return [first for first, _ in pairs], [second for _, second in pairs]


def _inside(gate: GateSettings, result: CaseResult) -> bool:
    return all(result.case.question.tags.get(tag) == value for tag, value in gate.slice.items())


def _value(gate: GateSettings, run: Run, result: CaseResult) -> float | None:
    outcome = result.outcomes.get(run.summary.full_name(gate.metric))
    return outcome.value if isinstance(outcome, Scored) else None


def _where(gate: GateSettings) -> str:
    return "".join(f" where {tag} = {value}" for tag, value in gate.slice.items())


def deciding(value: float, bound: float) -> str:
    """A number with four decimals, or as many more as show on which side of the bound it lies."""
    for decimals in range(4, 17):
        short = round(value, decimals)
        if (short < bound, short > bound) == (value < bound, value > bound):
            return in_full(short)
    return repr(value)


def in_full(value: float) -> str:
    """A number with all the digits that could decide a comparison."""
    return f"{value:.6g}" if float(f"{value:.6g}") == value else repr(value)
