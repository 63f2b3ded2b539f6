"""Join two runs by question id, and the numbers of a metric by pair."""

from collections.abc import Sequence
from dataclasses import dataclass

from whichhalf.comparing.comparison import LeftOut, Pairing
from whichhalf.core.outcome import Failed, Outcome, Scored, Undefined
from whichhalf.core.run import CaseResult, Run


@dataclass(frozen=True, slots=True)
class Pair:
    """One question in both runs."""

    a: CaseResult
    b: CaseResult

    @property
    def id(self) -> str:
        return self.a.case.id

    @property
    def tags(self) -> dict[str, str]:
        return self.a.case.question.tags


@dataclass(frozen=True, slots=True)
class PairedValues:
    """One metric over pairs, in their order."""

    pairs: tuple[Pair, ...]
    """Those with a number on both sides."""
    a: tuple[float, ...]
    b: tuple[float, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def coverage(self) -> float:
        """Share of the definable pairs that have both numbers; 1 where none is definable."""
        lost = sum(len(one.questions) for one in self.left_out if one.lost)
        return len(self.a) / (len(self.a) + lost) if lost else 1.0


def pair_runs(a: Run, b: Run) -> tuple[tuple[Pair, ...], Pairing]:
    """Pairs in the order of A, and the questions of one run only."""
    others = {result.case.id: result for result in b.results}
    pairs = tuple(Pair(result, others[result.case.id]) for result in a.results if result.case.id in others)
    paired = {pair.id for pair in pairs}
    only_a = tuple(result.case.id for result in a.results if result.case.id not in paired)
    only_b = tuple(one for one in others if one not in paired)
    return pairs, Pairing(paired=len(pairs), only_a=only_a, only_b=only_b)


def pair_values(pairs: Sequence[Pair], metric: str) -> PairedValues:
    """The numbers of a metric where both sides have one, and the other pairs by reason."""
    kept: list[tuple[Pair, float, float]] = []
    reasons: dict[tuple[str, bool], list[str]] = {}
    for pair in pairs:
        one, other = pair.a.outcomes[metric], pair.b.outcomes[metric]
        if isinstance(one, Scored) and isinstance(other, Scored):
            kept.append((pair, one.value, other.value))
        else:
            reasons.setdefault((_reason(one, other), _is_lost(one) or _is_lost(other)), []).append(pair.id)
    left_out = tuple(
        LeftOut(reason=reason, lost=lost, questions=tuple(questions)) for (reason, lost), questions in reasons.items()
    )
    return PairedValues(
        pairs=tuple(pair for pair, _, _ in kept),
        a=tuple(one for _, one, _ in kept),
        b=tuple(other for _, _, other in kept),
        left_out=left_out,
    )


def word_of(outcome: Outcome) -> str:
    """Why an outcome is no number; empty where it is one."""
    if isinstance(outcome, Failed):
        return f"failed ({outcome.error})"
    return outcome.because if isinstance(outcome, Undefined) else ""


def _reason(one: Outcome, other: Outcome) -> str:
    before, after = word_of(one), word_of(other)
    if before == after:
        return f"{before} in both"
    parts = [(before, "A"), (after, "B")]
    return ", ".join(f"{word} in {side}" for word, side in parts if word)


def _is_lost(outcome: Outcome) -> bool:
    return isinstance(outcome, Failed) or (isinstance(outcome, Undefined) and outcome.because == "missing_output")
