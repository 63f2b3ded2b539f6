"""What a run asked of judges, prompt by prompt, as plain data for a page."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from whichhalf.core.run import CallRecord


@dataclass(frozen=True, slots=True)
class PromptCost:
    """All questions asked with one version of a prompt. Metrics share replies, so cost has no better home."""

    prompt: str
    asked: int
    kept: int
    """Of these, answered by kept replies."""
    calls: int
    """Calls that reached the judge, repeats after a fault included."""
    failed: dict[str, int]
    """Reason → questions without a reply."""
    prompt_tokens: int
    completion_tokens: int
    unknown_tokens: int
    """Fresh replies that did not tell their tokens; the sums lack them."""
    usd: float
    unknown_usd: int
    """Fresh replies without a known price; the sum lacks them."""
    slowest_seconds: float | None
    """None when nothing was asked afresh."""
    seconds: float
    """Spent waiting for replies, all threads together."""


def cost_by_prompt(calls: Sequence[CallRecord]) -> tuple[PromptCost, ...]:
    """One row for every version of a prompt, in the order of first use."""
    names = dict.fromkeys((call.prompt, call.version) for call in calls)
    return tuple(_row(name, [call for call in calls if (call.prompt, call.version) == name]) for name in names)


def _row(name: tuple[str, str], calls: Sequence[CallRecord]) -> PromptCost:
    fresh = [call for call in calls if not call.cached]
    replied = [call for call in fresh if call.result == "ok"]
    return PromptCost(
        prompt="/".join(filter(None, name)),
        asked=len(calls),
        kept=len(calls) - len(fresh),
        calls=sum(call.attempts for call in fresh),
        failed=dict(Counter(call.result for call in calls if call.result != "ok")),
        prompt_tokens=_known_sum(call.prompt_tokens for call in replied),
        completion_tokens=_known_sum(call.completion_tokens for call in replied),
        unknown_tokens=sum(call.prompt_tokens is None for call in replied),
        usd=sum(call.cost_usd for call in replied if call.cost_usd is not None),
        unknown_usd=sum(call.cost_usd is None for call in replied),
        slowest_seconds=max((call.latency_seconds for call in fresh), default=None),
        seconds=sum(call.latency_seconds for call in fresh),
    )


def _known_sum(counts: Iterable[int | None]) -> int:
    return sum(count for count in counts if count is not None)
