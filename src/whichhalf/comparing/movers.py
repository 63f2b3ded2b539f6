"""The questions that moved most, each half and each way apart, with both answers and what flipped.

Metrics of both halves read the answer, and stand with generation.
"""

from collections.abc import Sequence

from whichhalf.catalogue import half_of, higher_is_better
from whichhalf.comparing.comparison import MetricChange, Mover, Way
from whichhalf.comparing.flips import claim_flips, passage_moves
from whichhalf.comparing.pairs import Pair, word_of
from whichhalf.core.metric import Half
from whichhalf.core.outcome import Outcome, Scored


def biggest_movers(pairs: Sequence[Pair], metrics: Sequence[str], limit: int) -> tuple[Mover, ...]:
    """At most `limit` questions of each half that went for the better, and as many for the worse.

    A question goes the way of its largest change. Equal changes are ordered by the sum of all changes of the
    question, then as the questions are.
    """
    retrieval = [name for name in metrics if half_of(name) == "retrieval"]
    generation = [name for name in metrics if name not in retrieval]
    return _movers(pairs, retrieval, "retrieval", limit) + _movers(pairs, generation, "generation", limit)


def _movers(pairs: Sequence[Pair], metrics: Sequence[str], half: Half, limit: int) -> tuple[Mover, ...]:
    moved = [(pair, gains) for pair in pairs if any(gains := _gains(pair, metrics))]
    moved.sort(key=lambda one: (-max(map(abs, one[1])), -abs(sum(one[1]))))
    ways: dict[Way, list[Pair]] = {"better": [], "worse": []}
    for pair, gains in moved:
        ways["better" if max(gains, key=abs) > 0 else "worse"].append(pair)
    return tuple(_mover(pair, metrics, half, way) for way, some in ways.items() for pair in some[:limit])


def _gains(pair: Pair, metrics: Sequence[str]) -> list[float]:
    """How far each metric moved for the better, where both sides have a number."""
    gains = []
    for name in metrics:
        before, after = pair.a.outcomes[name], pair.b.outcomes[name]
        if isinstance(before, Scored) and isinstance(after, Scored):
            gains.append((after.value - before.value) * (1 if higher_is_better(name) else -1))
    return gains


def _mover(pair: Pair, metrics: Sequence[str], half: Half, way: Way) -> Mover:
    before, after = pair.a.outcomes, pair.b.outcomes
    changes = [MetricChange(metric=name, before=_told(before[name]), after=_told(after[name])) for name in metrics]
    return Mover(
        question=pair.id,
        text=pair.a.case.question.text,
        half=half,
        way=way,
        changes=tuple(one for one in changes if one.before != one.after),
        answer_a=pair.a.case.answer,
        answer_b=pair.b.case.answer,
        claims=claim_flips({name: before[name] for name in metrics}, {name: after[name] for name in metrics}),
        passages=passage_moves(pair.a.case, pair.b.case) if half == "retrieval" else (),
    )


def _told(outcome: Outcome) -> float | str:
    return outcome.value if isinstance(outcome, Scored) else word_of(outcome)
