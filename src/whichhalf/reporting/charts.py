"""Charts as inline SVG that a page can hold: no script, the colours of the page, readable at every width.

Every chart has a title and a description for screen readers, and writes the numbers that it draws.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor

from markupsafe import Markup

from whichhalf.core.diagnosis import GuiltyHalf
from whichhalf.reporting.inert_text import inert, shortened
from whichhalf.reporting.svg_parts import (
    PLOT_BOTTOM,
    PLOT_TOP,
    Range,
    across,
    dot,
    down,
    line,
    nothing_to_draw,
    percent,
    picture,
    scale,
    spread,
    words_at,
)
from whichhalf.reporting.terminal_text import number

_ROW = 36
_BELOW = PLOT_BOTTOM + 16
_SPARK_WIDTH, _SPARK_HEIGHT = 96, 20


@dataclass(frozen=True, slots=True)
class Bar:
    label: str
    count: int
    half: GuiltyHalf | None = None
    """Gives the bar the colour of that half."""


@dataclass(frozen=True, slots=True)
class Point:
    label: str
    """What, or when, in the words to be shown."""
    value: float | None
    """None is shown as missing."""
    low: float | None = None
    high: float | None = None
    broken: str = ""
    """In a trend: why it must not be joined with the point before, such as `another golden set`; empty if it may."""

    @property
    def in_words(self) -> str:
        if self.value is None:
            return "no number"
        if self.low is None or self.high is None:
            return number(self.value)
        return f"{number(self.value)} ({number(self.low)} to {number(self.high)})"


@dataclass(frozen=True, slots=True)
class CurveMark:
    k: int
    label: str


def bar_chart(title: str, bars: Sequence[Bar]) -> Markup:
    """One bar a row, its label above and its count at the end; the longest bar fills the width."""
    if not bars:
        return nothing_to_draw(title)
    longest = max(1, *(bar.count for bar in bars))
    parts = [
        words_at(0, top + 13, bar.label, kind="label")
        + words_at(1, top + 13, str(bar.count), anchor="end", kind="label")
        + Markup('<rect class="bar {}" x="0%" y="{}" width="{}" height="10"/>').format(
            bar.half or "", top + 19, percent(bar.count / longest)
        )
        for top, bar in zip(range(0, _ROW * len(bars), _ROW), bars, strict=True)
    ]
    return picture(title, "; ".join(f"{bar.label}: {bar.count}" for bar in bars), _ROW * len(bars), parts)


def interval_chart(
    title: str,
    points: Sequence[Point],
    *,
    domain: Range = (0.0, 1.0),
    reference: float | None = None,
    reference_label: str = "",
) -> Markup:
    """One row a point: its label and number above, its interval as a bar below; `reference` as a line across all.

    `domain` is what the width stands for. What lies outside is drawn at the edge, and written as it is.
    """
    if not points:
        return nothing_to_draw(title)
    height = _ROW * len(points)
    parts = [_interval_row(_ROW * place, point, domain) for place, point in enumerate(points)]
    if reference is not None:
        at = across(reference, domain)
        anchor = "start" if at < 0.2 else "end" if at > 0.8 else "middle"
        parts.append(line("reference", at, 0, at, height))
        parts.append(words_at(at, height + 14, f"{reference_label} {number(reference)}".strip(), anchor=anchor))
        height += 20
    return picture(title, "; ".join(f"{point.label}: {point.in_words}" for point in points), height, parts)


def trend_chart(title: str, points: Sequence[Point], *, domain: Range | None = None) -> Markup:
    """Points over time, oldest first. A gap stays a gap; a break is a line across, and its reason stands below.

    The scale is `domain`, else from the lowest to the highest value, to the next tenth; it is written.
    """
    values = [one for point in points for one in (point.value, point.low, point.high) if one is not None]
    if not values:
        return nothing_to_draw(title)
    span = domain or _tenths(values)
    places = list(zip(spread(len(points)), points, strict=True))
    parts = list(scale(span))
    for (before_at, before), (at, point) in pairwise(places):
        if point.broken:
            parts.append(line("break", (before_at + at) / 2, PLOT_TOP, (before_at + at) / 2, PLOT_BOTTOM))
        elif before.value is not None and point.value is not None:
            parts.append(line("link", before_at, down(before.value, span), at, down(point.value, span)))
    parts += [_trend_point(at, point, span) for at, point in places]
    parts += _ends([point.label for point in points])
    told = [f"{one.label}: {one.in_words}" + (f" (not joined: {one.broken})" if one.broken else "") for one in points]
    broken = [f"{point.label}: {point.broken}" for point in points[1:] if point.broken]
    return picture(title, "; ".join(told), _BELOW + 6, parts) + _listed("Not joined across a change:", broken)


def curve_chart(title: str, values: Sequence[float], marks: Iterable[CurveMark] = (), *, unit: str = "k") -> Markup:
    """A curve over 1, 2, … on a scale from 0 to 1. Marked places are named below; those outside are left out."""
    if not values:
        return nothing_to_draw(title)
    places = list(zip(spread(len(values)), [down(value, (0.0, 1.0)) for value in values], strict=True))
    parts = list(scale((0.0, 1.0)))
    parts += [line("link", *before, *here) for before, here in pairwise(places)]
    kept = [mark for mark in marks if 1 <= mark.k <= len(values)]
    for at, y in [places[mark.k - 1] for mark in kept]:
        parts += [line("reference", at, y, at, PLOT_BOTTOM), dot(at, y)]
    if len(values) == 1:
        parts.append(dot(*places[0]))
    parts += _ends([f"{unit} = {k}" for k in range(1, len(values) + 1)])
    named = [f"{mark.label}: {unit} = {mark.k}, {number(values[mark.k - 1])}" for mark in kept]
    ends = [f"{unit} = 1: {number(values[0])}", f"{unit} = {len(values)}: {number(values[-1])}"]
    return picture(title, "; ".join([*ends, *named]), _BELOW + 6, parts) + _listed("", named)


def sparkline(title: str, values: Sequence[float | None]) -> Markup:
    """A small line for a table cell, from the lowest value to the highest; None is a gap."""
    known = [value for value in values if value is not None]
    if not known:
        return Markup('<span class="soft">–</span>')
    low, high = min(known), max(known)
    step = (_SPARK_WIDTH - 4) / max(1, len(values) - 1)
    path = ""
    for place, value in enumerate(values):
        if value is None:
            continue
        share = (value - low) / (high - low) if high > low else 0.5
        joined = place > 0 and values[place - 1] is not None
        at = f"{2 + step * place:g} {_SPARK_HEIGHT - 3 - share * (_SPARK_HEIGHT - 6):g}"
        path += f"L{at}" if joined else f"M{at}h0"  # h0 with round ends: one without neighbours shows as a dot
    return Markup(
        '<svg class="spark" role="img" viewBox="0 0 {} {}"><title>{}</title><path class="link" d="{}"/></svg>'
    ).format(_SPARK_WIDTH, _SPARK_HEIGHT, f"{shortened(title, 200)}: {number(known[0])} to {number(known[-1])}", path)


def _interval_row(top: int, point: Point, domain: Range) -> Markup:
    middle = top + 25
    parts = [
        words_at(0, top + 13, point.label, kind="label"),
        words_at(1, top + 13, point.in_words, anchor="end", kind="label"),
        line("rail", 0, middle, 1, middle),
    ]
    if point.low is not None and point.high is not None:
        parts.append(line("span", across(point.low, domain), middle, across(point.high, domain), middle))
    if point.value is not None:
        parts.append(dot(across(point.value, domain), middle))
    return Markup("").join(parts)


def _trend_point(at: float, point: Point, span: Range) -> Markup:
    if point.value is None:
        return Markup('<circle class="dot hollow" cx="{}" cy="{}" r="3"/>').format(percent(at), PLOT_BOTTOM)
    if point.low is None or point.high is None:
        return dot(at, down(point.value, span))
    return line("span", at, down(point.high, span), at, down(point.low, span)) + dot(at, down(point.value, span))


def _ends(labels: Sequence[str]) -> list[Markup]:
    """The first and the last label, below a plot."""
    if len(labels) == 1:
        return [words_at(0.5, _BELOW, labels[0], anchor="middle")]
    return [words_at(0, _BELOW, labels[0]), words_at(1, _BELOW, labels[-1], anchor="end")]


def _listed(heading: str, lines: Sequence[str]) -> Markup:
    if not lines:
        return Markup("")
    items = Markup("").join(Markup("<li>{}</li>").format(inert(one)) for one in lines)
    head = Markup('<p class="small soft">{}</p>').format(heading) if heading else Markup("")
    return head + Markup('<ul class="small soft">{}</ul>').format(items)


def _tenths(values: Sequence[float]) -> Range:
    """The next tenths around the values, at least one tenth apart; rounding noise does not count."""
    low, high = floor(round(min(values) * 10, 6)) / 10, ceil(round(max(values) * 10, 6)) / 10
    return (low, high) if high > low else (low - 0.1, high + 0.1)
