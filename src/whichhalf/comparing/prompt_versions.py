"""Two versions of a judge prompt on the same cases: how scores shift, which verdicts flip, and what asking takes."""

from collections.abc import Iterator, Sequence
from math import fsum

from whichhalf.comparing.comparison import ClaimFlip, Comparison
from whichhalf.comparing.flips import claim_flips
from whichhalf.comparing.labelled_claims import LabelComparison
from whichhalf.comparing.pairs import Pair
from whichhalf.core.record import Record
from whichhalf.core.run import CallRecord


class CaseFlips(Record):
    """What flipped on one question."""

    question: str
    flips: tuple[ClaimFlip, ...]


class Asking(Record):
    """What asking with one version took, replies kept from before included: what it would take without them."""

    version: str
    asked: int
    kept: int
    """Of these, answered by kept replies: nothing was paid for them this time."""
    lost: int
    """Questions without a usable reply."""
    prompt_tokens: int | None
    completion_tokens: int | None
    """None where a reply did not tell."""
    usd: float | None
    """None = unknown, never 0 for a model without a known price."""


class PromptComparison(Record):
    """Version B of a judge prompt against version A."""

    prompt: str
    comparison: Comparison
    """The runs of both versions; its warnings name the prompt, which is what is compared."""
    reads_prompts: bool
    """False for the offline judge, which answers the same whatever the prompt says."""
    flips: tuple[CaseFlips, ...]
    asking: tuple[Asking, Asking]
    labels: LabelComparison | None = None


def flips_by_case(pairs: Sequence[Pair]) -> Iterator[CaseFlips]:
    """Questions on which a verdict flipped, in the order of the golden set."""
    for pair in pairs:
        flips = claim_flips(pair.a.outcomes, pair.b.outcomes)
        if flips:
            yield CaseFlips(question=pair.id, flips=flips)


def asking(calls: Sequence[CallRecord], prompt: str, version: str) -> Asking:
    """What the calls with one version of a prompt took."""
    own = [call for call in calls if (call.prompt, call.version) == (prompt, version)]
    replied = [call for call in own if call.result == "ok"]
    tokens = [[call.prompt_tokens for call in replied], [call.completion_tokens for call in replied]]
    prompt_tokens, completion_tokens = (None if None in some else sum(filter(None, some)) for some in tokens)
    prices = [call.cost_usd for call in replied]
    return Asking(
        version=version,
        asked=len(own),
        kept=sum(call.cached for call in own),
        lost=len(own) - len(replied),
        prompt_tokens=prompt_tokens,
        completion_tokens=completion_tokens,
        usd=None if None in prices else fsum(filter(None, prices)),
    )
