"""Retrieval metrics of a question labelled by quotes: the quote is the unit, whatever the passages are called.

    recall@k    = mean over quotes of the share of their letters and digits held by the first k passages together
    precision@k = passages in the first k that each hold at least half of a quote ÷ k
    hit_rate@k, rr: such a passage counts as relevant;  f1@k = harmonic mean of recall@k and precision@k

What a passage holds, and when a part counts, is said in core/held_quotes. Metrics that need labels on passages, such
as ap and ndcg, have no value.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from whichhalf.core.case import Passage, Question
from whichhalf.core.held_quotes import Part, wanted_quote
from whichhalf.core.options import Duplicates
from whichhalf.errors import InputError
from whichhalf.retrieval.judged_rankings import first_repeated

NOTE = "scored by evidence quotes"
"""Stands with every outcome that rests on quotes."""


@dataclass(frozen=True, slots=True)
class QuotedRanking:
    """One ranking seen through the quotes of its question. Ranks start at 1."""

    recalls: tuple[float, ...]
    """recall@1, recall@2, … to the end of the ranking."""
    hit_ranks: tuple[int, ...]
    """Ranks of the passages that hold at least half of a quote."""
    quote_count: int
    copies: int
    """Positions that repeat an earlier id."""

    def value(self, family: str, k: int | None) -> float | None:
        """The value of a metric in [0, 1]; None where it needs labels on passages."""
        return _VALUES[family](self, k) if family in _VALUES else None

    def ratio(self, family: str, k: int | None) -> tuple[float, float]:
        """Numerator and denominator of a value that is a ratio of counts; every quote counts as one label."""
        below = {"recall": self.quote_count, "precision": k or len(self.recalls)}.get(family.removeprefix("set_"), 1)
        return (self.value(family, k) or 0.0) * below, float(below)


def look_for_quotes(
    question: Question, passages: Sequence[Passage], duplicates: Duplicates = "first_copy"
) -> QuotedRanking:
    """Repeated ids are treated as in every ranking. Raises InputError for a passage without text."""
    ids = [passage.id for passage in passages]
    copies = len(ids) - len(set(ids))
    if copies and duplicates == "error":
        raise InputError(f"passage {first_repeated(ids)!r} is ranked more than once")
    wanted = [wanted_quote(label) for label in question.evidence]
    parts: list[list[Part]] = [[] for _ in wanted]
    shares = [0.0 for _ in wanted]
    recalls: list[float] = []
    hit_ranks: list[int] = []
    seen: set[str] = set()
    for passage in passages:
        if passage.id in seen:
            if duplicates != "collapse":
                recalls.append(fsum(shares) / len(shares))
            continue
        seen.add(passage.id)
        if passage.text is None:
            raise InputError(f"question {question.id!r} is scored by quotes, and passage {passage.id!r} has no text")
        best = 0.0
        for number, quote in enumerate(wanted):
            own = quote.parts(passage)
            if own:
                parts[number] += own
                shares[number] = quote.share(parts[number])
                best = max(best, quote.share(own))
        recalls.append(fsum(shares) / len(shares))
        if best >= 0.5:
            hit_ranks.append(len(recalls))
    return QuotedRanking(tuple(recalls), tuple(hit_ranks), len(wanted), copies)


def _recall(ranking: QuotedRanking, k: int | None) -> float:
    within = ranking.recalls[:k]
    return within[-1] if within else 0.0


def _hits(ranking: QuotedRanking, k: int | None) -> int:
    return sum(k is None or rank <= k for rank in ranking.hit_ranks)


def _precision(ranking: QuotedRanking, k: int | None) -> float:
    positions = len(ranking.recalls) if k is None else k
    return _hits(ranking, k) / positions if positions else 0.0


def _f1(ranking: QuotedRanking, k: int | None) -> float:
    recall, precision = _recall(ranking, k), _precision(ranking, k)
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def _hit_rate(ranking: QuotedRanking, k: int | None) -> float:
    return float(_hits(ranking, k) > 0)


def _reciprocal_rank(ranking: QuotedRanking, k: int | None) -> float:
    return 1 / ranking.hit_ranks[0] if _hits(ranking, k) else 0.0


_VALUES: Mapping[str, Callable[[QuotedRanking, int | None], float]] = {
    "recall": _recall,
    "set_recall": _recall,
    "precision": _precision,
    "set_precision": _precision,
    "f1": _f1,
    "set_f1": _f1,
    "hit_rate": _hit_rate,
    "rr": _reciprocal_rank,
}
