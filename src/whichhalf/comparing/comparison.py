"""What a comparison of two runs holds: plain data, ready to be shown or written as JSON.

A is the baseline and B the challenger; every difference is B − A.
"""

from typing import Literal

from whichhalf.core.claim import Label
from whichhalf.core.metric import Half
from whichhalf.core.options import Stage
from whichhalf.core.record import Record
from whichhalf.statistics.paired import PairedDifference

Way = Literal["better", "worse"]
Word = Literal["better", "worse", "equivalent", "not enough data"]


class Rule(Record):
    """How verdict words are given."""

    alpha: float = 0.05
    margin: float = 0.02
    """A difference within ± this is too small to matter."""
    coverage_floor: float = 0.95
    """Share of the definable pairs that must be scored on both sides."""
    cluster: str | None = None
    """A tag: questions that share its value are not independent and count as one cluster."""
    seed: int = 0

    @property
    def level(self) -> float:
        """Of the intervals."""
        return 1 - self.alpha


class Difference(Record):
    """Something that must be the same in both runs and is not."""

    what: str
    a: str
    b: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.what}: {self.a} in A, {self.b} in B" + (f" ({self.note})" if self.note else "")


class Change(Record):
    """Something about the assistant that is not the same in both runs: what the comparison is about."""

    what: str
    a: str
    b: str
    questions: int
    """Paired questions it concerns."""


class Pairing(Record):
    """Which questions are compared; runs are joined by question id, never by position."""

    paired: int
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()


class LeftOut(Record):
    """Pairs without a number on at least one side."""

    reason: str
    """Such as `refused in B`."""
    lost: bool
    """True when the number exists but was not had, on at least one side."""
    questions: tuple[str, ...]


class MetricComparison(Record):
    """One metric over the pairs that have a number on both sides."""

    metric: str
    half: Half
    higher_is_better: bool | None
    contract: str
    paired: PairedDifference | None
    """None with fewer than two pairs."""
    p_adjusted: float | None = None
    """Holm, over everything that was tested together; None where both sides are the same on every pair."""
    verdict: Word | None = None
    """None for a number that says nothing about quality."""
    because: str = ""
    """Why this word, in a sentence."""
    left_out: tuple[LeftOut, ...] = ()
    coverage: float
    """Share of the definable pairs that have a number on both sides."""
    questions_needed: int | None = None
    """To show a difference as large as the margin with a power of 0.8, going by the spread of these pairs."""
    judge_noise: float | None = None
    """The difference that the judge alone can make, where a run asked it more than once."""


class MetricChange(Record):
    """One metric on one question: a number, or the reason there is none."""

    metric: str
    before: float | str
    after: float | str


class ClaimFlip(Record):
    """One claim or fact that is judged otherwise, or that only one side has."""

    metric: str
    claim: str
    before: Label | None
    """None where A does not have the claim."""
    after: Label | None
    before_passages: tuple[str, ...] = ()
    after_passages: tuple[str, ...] = ()
    quote: str = ""
    """Words of the passage that the later verdict rests on, else of the earlier."""


class PassageMove(Record):
    """A relevant passage that is at another rank."""

    passage: str
    stage: Stage
    before: int | None
    """From 1; None where it is not in the list."""
    after: int | None


class Mover(Record):
    """A question that moved, with all that tells why."""

    question: str
    text: str
    half: Half
    """`retrieval`, or `generation` for the metrics that read the answer."""
    way: Way
    changes: tuple[MetricChange, ...]
    answer_a: str | None
    answer_b: str | None
    """The same text where the answer did not change."""
    claims: tuple[ClaimFlip, ...] = ()
    passages: tuple[PassageMove, ...] = ()


class Spend(Record):
    """What the assistant logged of one kind, over the pairs that logged it on both sides."""

    what: str
    """`latency_ms` or `cost_usd`, for one answer."""
    n: int
    mean_a: float
    mean_b: float
    median_a: float
    median_b: float
    low: float | None = None
    """Interval of the mean difference."""
    high: float | None = None


class JudgeSpend(Record):
    """What judging a run took."""

    calls: int
    cached: int
    tokens: int | None
    usd: float | None
    """None = unknown, never 0 for a model without a known price."""


class Comparison(Record):
    """Two runs over the same questions."""

    name_a: str
    name_b: str
    rule: Rule
    rule_in_words: tuple[str, ...]
    warnings: tuple[Difference, ...] = ()
    """What should have been the same; not empty only where the comparison was made all the same."""
    notes: tuple[str, ...] = ()
    changed: tuple[Change, ...]
    pairing: Pairing
    metrics: tuple[MetricComparison, ...]
    slices: dict[str, dict[str, tuple[MetricComparison, ...]]] = {}
    """Tag → value → metrics."""
    movers: tuple[Mover, ...] = ()
    spend: tuple[Spend, ...] = ()
    judging_a: JudgeSpend
    judging_b: JudgeSpend
