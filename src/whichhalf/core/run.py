"""A run: all cases once, with everything that must match before two runs may be compared."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from pydantic import JsonValue

from whichhalf.core.case import Case
from whichhalf.core.outcome import Outcome
from whichhalf.core.record import Record
from whichhalf.core.run_frame import frame_of

if TYPE_CHECKING:
    import pandas

N = TypeVar("N", int, float)

Slices = dict[str, dict[str, dict[str, "MetricSummary"]]]
"""Tag → value of the tag → metric → summary over the questions with that value."""


class CaseResult(Record):
    """One case with its outcome under every metric of the run."""

    case: Case
    outcomes: dict[str, Outcome]
    """Metric name → outcome."""


class MetricSummary(Record):
    """A mean that never travels without its counts and its interval."""

    mean: float | None
    """Over the scored cases; None when there is none."""
    low: float | None = None
    """Where the mean over all questions of the kind may lie; None where too few were scored to say."""
    high: float | None = None
    interval: str | None = None
    """Level and method of low and high."""
    scored: int
    undefined: dict[str, int]
    """Reason → number of cases."""
    failed: dict[str, int]
    if_failed_were: tuple[float, float] | None
    """The mean if every failed case were 0, and if every one were 1; None when nothing is definable."""
    contract: str
    micro: float | None = None
    """Σ numerators ÷ Σ denominators, for metrics that are ratios of counts; None for others."""

    @property
    def lost(self) -> int:
        """Cases whose number exists and was not got: failed, or without an output."""
        return sum(self.failed.values()) + self.undefined.get("missing_output", 0)

    @property
    def coverage(self) -> float | None:
        """Share of the definable cases that were scored; a missing output counts against it."""
        definable = self.scored + self.lost
        return self.scored / definable if definable else None

    @property
    def in_words(self) -> str:
        """The mean with its interval and its counts."""
        mean = "no mean" if self.mean is None else f"{self.mean:.3f}"
        span = "" if self.low is None or self.high is None else f" ({self.low:.3f}–{self.high:.3f})"
        counts = f"{self.scored} scored, {sum(self.undefined.values())} undefined, {sum(self.failed.values())} failed"
        return f"{mean}{span}, {counts}"


class RecallCurve(Record):
    """Mean recall at every k of one stage."""

    recall: tuple[float, ...]
    """Mean recall@1, recall@2, … to the longest ranking; the last is the ceiling."""
    knee: int
    """Past this k the curve rises more slowly than on average."""
    enough: int
    """The smallest k that reaches 95 % of the ceiling."""


class Cost(Record):
    """What the run newly asked of the judge and spent on it, lost replies counted in where the server told."""

    judge_calls: int = 0
    """Calls that reached the judge."""
    embedding_calls: int = 0
    """Calls of the embedding model; tokens and price count them in."""
    cached: int = 0
    """Questions answered by the cache or by recorded replies."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usd: float | None = None
    """None = unknown, never 0 for a model without a known price."""

    @property
    def spent_usd(self) -> float | None:
        """The price; 0 where nothing was asked."""
        return self.usd if self.judge_calls or self.embedding_calls else 0.0

    def plus(self, other: "Cost") -> "Cost":
        """Both together; a sum with an unknown part is unknown."""
        parts = [one for one in (self, other) if one.judge_calls or one.embedding_calls]
        return Cost(
            judge_calls=self.judge_calls + other.judge_calls,
            embedding_calls=self.embedding_calls + other.embedding_calls,
            cached=self.cached + other.cached,
            prompt_tokens=sum_or_unknown([one.prompt_tokens for one in parts]),
            completion_tokens=sum_or_unknown([one.completion_tokens for one in parts]),
            usd=sum_or_unknown([one.usd for one in parts]),
        )


class RepliesCost(Record):
    """What all replies took that the numbers rest on, kept ones too: the same however often a run was resumed."""

    questions: int = 0
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    usd: float | None = None
    """None = unknown. Without embeddings: a kept vector does not tell what it took."""


class CallRecord(Record):
    """One question asked of a judge: a row of calls.jsonl."""

    prompt: str
    version: str
    prompt_sha256: str
    repeat: int
    key: str = ""
    """Of the reply in the cache; empty for an embedding."""
    model_asked: str
    model_returned: str | None
    cached: bool
    attempts: int
    """Calls made for it; 0 for a reply that was kept from before, or that the offline judge gave."""
    latency_seconds: float
    """Of a reply that was kept, what it took when it was made; 0 where that is not known."""
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: float | None
    """None = unknown."""
    result: str
    """`ok`, or the reason word of the error."""


class RepeatedResult(Record):
    """A case scored once more, with further replies of the same judge: a row of repeats.jsonl."""

    id: str
    repeat: int
    """From 1; the run itself is repeat 0."""
    outcomes: dict[str, Outcome]
    """Judged metric → outcome."""


class JudgeNoise(Record):
    """How far one metric moved when the same judge was asked again about the same answers."""

    repeats: int
    """Times that cases were scored again."""
    cases: int
    """Cases with a score in the run and in at least one repeat; only these count here."""
    lost: int
    """Repeats of a scored case that gave no score."""
    claims: int
    """Labels compared: claims of the run that a repeat named in the same words."""
    flipped: int
    """Of these, the labels that differ from the run's."""
    flip_rate: float | None
    """flipped ÷ claims; None where no claim was compared."""
    low: float | None
    high: float | None
    """Exact 95 % interval of the flip rate that counts cases, not claims: those of one case may flip together."""
    deviation: float | None
    """Standard deviation of the run's mean over repeats of all its questions."""
    mean: float | None = None
    """Of the repeated cases, each averaged over all the times it was scored; None without one."""


def full_name(name: str, metrics: Sequence[str]) -> str:
    """The one of the metrics that is meant: a name without its stage works where only one stage was scored.

    Raises KeyError saying which there are.
    """
    if name in metrics:
        return name
    matches = [full for full in metrics if full.partition("[")[0] == name]
    if len(matches) == 1:
        return matches[0]
    raise KeyError(f"{name!r} is not in this run; it has {', '.join(metrics)}")


class Summary(Mapping[str, MetricSummary]):
    """Metric name → summary. A name without its stage works where only one stage was scored."""

    def __init__(self, metrics: Mapping[str, MetricSummary]) -> None:
        self._metrics = dict(metrics)

    def __getitem__(self, name: str) -> MetricSummary:
        return self._metrics[self.full_name(name)]

    def full_name(self, name: str) -> str:
        """The name as it stands in the run. Raises KeyError saying which there are."""
        return full_name(name, list(self._metrics))

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    def __repr__(self) -> str:
        """One metric a line, so that a notebook shows what was measured."""
        return "\n".join(f"{name}: {one.in_words}" for name, one in self._metrics.items()) or "no metric"


class RunManifest(Record):
    """Everything that must match before two runs may be compared."""

    whichhalf: str
    """Version of this package."""
    created: str
    """UTC, ISO 8601."""
    config: dict[str, JsonValue]
    data: dict[str, str]
    """File role → sha256 of its bytes."""
    golden_set: dict[str, str] = {}
    """Name, version and corpus version, where the golden set states them."""
    questions: int | None = None
    """How many were scored: a sample is another line than the whole."""
    prompts: dict[str, str]
    """`name/version` → sha256 of the template."""
    judge: dict[str, JsonValue]
    """Model asked for, models as returned by the server, endpoint and sampling settings."""
    metrics: dict[str, str]
    """Metric name → contract."""
    notices: tuple[str, ...] = ()
    """What the reader of the numbers should know: conversions, rows left out, a baseline judge."""


@dataclass(frozen=True, slots=True, repr=False)
class Run:
    """The outcome of `evaluate`: what is written to, and read from, a run folder."""

    manifest: RunManifest
    results: tuple[CaseResult, ...]
    metrics: dict[str, MetricSummary]
    cost: Cost
    calls: tuple[CallRecord, ...] = ()
    slices: Slices = field(default_factory=dict)
    curves: dict[str, RecallCurve] = field(default_factory=dict)
    """Stage → recall curve, for the stages that retrieval metrics were asked of."""

    repeated: tuple[RepeatedResult, ...] = ()
    noise: dict[str, JudgeNoise] = field(default_factory=dict)
    """Judged metric → the judge's own noise; empty where nothing was asked more than once."""

    @property
    def summary(self) -> Summary:
        return Summary(self.metrics)

    def to_pandas(self) -> "pandas.DataFrame":
        """One row a case and metric: what every metric says of every case, the reasons included.

        Columns: `id`, `metric`, `outcome` (scored, undefined or failed), `value` (in [0, 1]; missing unless scored),
        `reason` (missing where scored) and, for each tag of the questions, `tag.NAME`. One column a metric is
        `frame.pivot(index="id", columns="metric", values="value")`. Raises ImportError where pandas is not installed.
        """
        return frame_of(self)

    def __repr__(self) -> str:
        return f"Run of {len(self.results)} questions\n{self.summary!r}"

    @property
    def replies_cost(self) -> RepliesCost:
        used = self._used
        return RepliesCost(
            questions=len(used),
            prompt_tokens=sum_or_unknown([call.prompt_tokens for call in used]),
            completion_tokens=sum_or_unknown([call.completion_tokens for call in used]),
            usd=sum_or_unknown([call.cost_usd for call in used]),
        )

    @property
    def replies_seconds(self) -> float | None:
        """How long the judge took for all these replies, one after another, kept ones too: of a run that was stopped
        and resumed, that of all its parts. None where it is not known of one."""
        seconds = sum_or_unknown([call.latency_seconds or None for call in self._used])
        return None if seconds is None else round(seconds, 4)

    @property
    def _used(self) -> list[CallRecord]:
        return [call for call in self.calls if call.result == "ok" and call.prompt_sha256]  # an embedding has no prompt


def sum_or_unknown(parts: list[N | None]) -> N | None:
    """The sum, whatever the order of the parts; None when one is unknown, or there is none."""
    known = sorted(part for part in parts if part is not None)
    return sum(known[1:], known[0]) if known and len(known) == len(parts) else None
