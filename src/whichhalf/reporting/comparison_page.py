"""comparison.html: each run against the baseline, with every difference drawn."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from whichhalf.comparing.comparison import Comparison, MetricComparison, Mover
from whichhalf.reporting import comparison_words as words
from whichhalf.reporting.charts import Point, interval_chart
from whichhalf.reporting.page import render_page

_STATES = {"worse": "bad", "better": "good", "not enough data": "warn"}


@dataclass(frozen=True, slots=True)
class _Group:
    heading: str
    chart: Markup
    """The differences of its metrics with their intervals, around 0; empty where no pair differs."""
    metrics: tuple[MetricComparison, ...]


@dataclass(frozen=True, slots=True)
class _Slices:
    tag: str
    values: tuple[str, ...]
    rows: tuple[tuple[MetricComparison, ...], ...]
    """One a metric, without those that no pair of any value differs in; a cell for every value."""


@dataclass(frozen=True, slots=True)
class _ComparisonView:
    anchor: str
    one: Comparison
    state: str
    sentence: str
    changed: tuple[str, ...]
    groups: tuple[_Group, ...]
    slices: tuple[_Slices, ...]
    movers: tuple[Mover, ...]
    spent: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _View:
    comparisons: tuple[_ComparisonView, ...]
    words: object


def comparison_page(comparisons: Sequence[Comparison]) -> str:
    """The page."""
    views = tuple(_view(f"c{number}", one) for number, one in enumerate(comparisons, start=1))
    return render_page("comparison.html", _View(views, words))


def _view(anchor: str, one: Comparison) -> _ComparisonView:
    state, sentence = _sentence(one)
    return _ComparisonView(
        anchor=anchor,
        one=one,
        state=state,
        sentence=sentence,
        changed=tuple(words.change(each, one.pairing.paired) for each in one.changed),
        groups=tuple(_groups(one)),
        slices=tuple(
            _Slices(tag, tuple(values), words.rows_that_differ(values)) for tag, values in words.slices_that_differ(one)
        ),
        movers=one.movers,
        spent=tuple(words.spending(one)),
        notes=(*one.notes, *words.unpaired(one)),
    )


def _sentence(one: Comparison) -> tuple[str, str]:
    """Which metrics got which word; worse in any, then better in any, gives the colour."""
    told: dict[str, list[str]] = {}
    for metric in one.metrics:
        told.setdefault(words.verdict(metric), []).append(metric.metric)
    state = next((_STATES[word] for word in _STATES if word in told), "")
    named = [
        f"{word}: {', '.join(told[word])}"
        for word in ("better", "worse", "equivalent", "not enough data")
        if word in told
    ]
    same = [f"no pair differs in {len(told[words.NO_PAIR_DIFFERS])} metrics"] if words.NO_PAIR_DIFFERS in told else []
    return state, "; ".join(named + same)


def _groups(one: Comparison) -> Iterator[_Group]:
    """All charts of a comparison have one scale."""
    drawn = [metric for metric in one.metrics if metric.paired and not words.no_pair_differs(metric)]
    ends = [
        abs(end) for metric in drawn if (found := metric.paired) for end in (found.low, found.high) if end is not None
    ]
    wide = min(1.0, 1.1 * max(ends, default=0.1))
    for half, heading in words.HALF_TITLES.items():
        own = tuple(metric for metric in one.metrics if metric.half == half)
        if own:
            yield _Group(heading, _chart(heading, [metric for metric in drawn if metric.half == half], wide), own)


def _chart(heading: str, metrics: Sequence[MetricComparison], wide: float) -> Markup:
    points = [
        Point(metric.metric, found.difference, found.low, found.high) for metric in metrics if (found := metric.paired)
    ]
    if not points:
        return Markup("")
    title = f"B − A, {heading}"
    return interval_chart(title, points, domain=(-wide, wide), reference=0.0, reference_label="no difference")
