"""How the parts of a comparison are written, in every form it is shown in."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from whichhalf.comparing.comparison import (
    Change,
    ClaimFlip,
    Comparison,
    JudgeSpend,
    MetricChange,
    MetricComparison,
    PassageMove,
    Spend,
)
from whichhalf.core.ids import a_few
from whichhalf.core.metric import Half
from whichhalf.reporting.terminal_text import number

HALF_TITLES: dict[Half, str] = {
    "retrieval": "retrieval",
    "generation": "generation",
    "both": "both halves",
}
_LABELS = {
    "supported": "supported",
    "contradicted": "contradicted",
    "not_mentioned": "not mentioned",
    "unsure": "unsure",
}
NO_PAIR_DIFFERS = "no pair differs"
_MOST_DECIMALS = 9


def telling(value: float | None, border: float = 0.0, *, signed: bool = False) -> str:
    """Three decimals, or as many as show on which side of the border the value lies; a dash where there is none."""
    if value is None:
        return "–"
    decimals = 3
    while decimals < _MOST_DECIMALS and _side(round(value, decimals), border) != _side(value, border):
        decimals += 1
    if not round(value, decimals):
        return f"{0:.{decimals}f}"
    return f"{value:+.{decimals}f}" if signed else f"{value:.{decimals}f}"


def _side(value: float, border: float) -> int:
    return (value > border) - (value < border)


def means(one: MetricComparison) -> tuple[str, str, str]:
    """A, B and B − A."""
    found = one.paired
    if found is None:
        return "–", "–", "–"
    return number(found.mean_a), number(found.mean_b), telling(found.difference, signed=True)


def interval(one: MetricComparison) -> str:
    found = one.paired
    if found is None or found.low is None:
        return "–"
    return f"{telling(found.low, signed=True)} to {telling(found.high, signed=True)}"


def p_value(one: MetricComparison, alpha: float) -> str:
    """After Holm."""
    return telling(one.p_adjusted, alpha)


def counts(one: MetricComparison) -> str:
    """Questions on which B is higher, the same, lower."""
    found = one.paired
    return "–" if found is None else f"{found.wins} / {found.ties} / {found.losses}"


def no_pair_differs(one: MetricComparison) -> bool:
    return one.paired is not None and one.paired.ties == one.paired.n


def rows_that_differ(values: Mapping[str, Sequence[MetricComparison]]) -> tuple[tuple[MetricComparison, ...], ...]:
    """Slices by metric, one cell a value of the tag, without metrics that no pair of any value differs in."""
    rows = zip(*values.values(), strict=True)
    return tuple(row for row in rows if not all(map(no_pair_differs, row)))


def slices_that_differ(one: Comparison) -> Iterator[tuple[str, dict[str, tuple[MetricComparison, ...]]]]:
    """The tags under which some metric moved."""
    return ((tag, values) for tag, values in one.slices.items() if rows_that_differ(values))


def verdict(one: MetricComparison) -> str:
    """The word; where nothing differs and too few pairs were asked for `equivalent`, that is said instead."""
    if one.verdict == "not enough data" and no_pair_differs(one):
        return NO_PAIR_DIFFERS
    return one.verdict or "no verdict"


def explanation(one: MetricComparison) -> str:
    """The reason of the word, and the pairs that have no say in it."""
    left_out = [f"{len(some.questions)} {some.reason} ({a_few(some.questions)})" for some in one.left_out]
    lower = ["lower is better"] if one.higher_is_better is False else []
    noise = [] if one.judge_noise is None else [f"the judge's own noise is {one.judge_noise:.3g}"]
    without = [f"left out: {', '.join(left_out)}"] if left_out else []
    return "; ".join([one.because, *lower, *noise, *without])


def explanations(metrics: Iterable[MetricComparison]) -> dict[str, str]:
    """Names of metrics, joined → the reason they share."""
    names: dict[str, list[str]] = {}
    for one in metrics:
        names.setdefault(explanation(one), []).append(one.metric)
    return {", ".join(own): reason for reason, own in names.items()}


def change(one: Change, paired: int) -> str:
    where = "all questions" if one.questions == paired else f"{one.questions} of {paired} questions"
    if one.a or one.b:
        return f"{one.what}: {one.a} → {one.b} ({where})"
    return f"{one.what}: differ on {where}"


def unpaired(one: Comparison) -> Iterator[str]:
    for name, ids in ((one.name_a, one.pairing.only_a), (one.name_b, one.pairing.only_b)):
        if ids:
            yield f"{len(ids)} question(s) only in {name}, left out: {a_few(ids)}"


def metric_change(one: MetricChange) -> str:
    before, after = (side if isinstance(side, str) else number(side) for side in (one.before, one.after))
    return f"{one.metric} {before} → {after}"


def passage_move(one: PassageMove) -> str:
    before, after = ("absent" if rank is None else f"rank {rank}" for rank in (one.before, one.after))
    return f"{one.passage} [{one.stage}]: {before} → {after}"


def claim_flip(one: ClaimFlip) -> str:
    """`supported → not mentioned`, with the passages behind each."""
    before = "not in A" if one.before is None else _judged(one.before, one.before_passages)
    after = "not in B" if one.after is None else _judged(one.after, one.after_passages)
    return f"{before} → {after}"


def _judged(label: str, passages: tuple[str, ...]) -> str:
    return _LABELS[label] + (f" ({a_few(passages)})" if passages else "")


def spending(one: Comparison) -> Iterator[str]:
    """What answers and judging cost, a line each."""
    yield from map(spend, one.spend)
    yield f"judging A: {judging(one.judging_a)}"
    yield f"judging B: {judging(one.judging_b)}"


def spend(one: Spend) -> str:
    what, unit = ("latency", "ms") if one.what == "latency_ms" else ("cost", "USD")
    span = "" if one.low is None else f", mean difference {one.low:+.4g} to {one.high:+.4g}"
    return (
        f"{what} of an answer: mean {one.mean_a:.4g} → {one.mean_b:.4g} {unit}, "
        f"median {one.median_a:.4g} → {one.median_b:.4g} {unit}{span} ({one.n} pairs)"
    )


def judging(one: JudgeSpend) -> str:
    price = "price unknown" if one.usd is None else f"{one.usd:.4f} USD"
    tokens = "" if one.tokens is None else f", {one.tokens} tokens"
    return f"{one.calls} calls, {one.cached} from kept replies" + (f"{tokens}, {price}" if one.calls else "")
