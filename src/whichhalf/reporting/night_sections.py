"""What a night adds to the page of its run: the verdict, the gates, what changed, the trends and the canary."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from whichhalf.catalogue import is_judged
from whichhalf.comparing.comparison import Comparison
from whichhalf.reporting import comparison_words
from whichhalf.reporting.charts import Point, trend_chart
from whichhalf.reporting.page import render_part
from whichhalf.reporting.run_view import Section
from whichhalf.reporting.verdict_line import VerdictLine
from whichhalf.running.history import History, PastRun
from whichhalf.running.history import Point as PastPoint
from whichhalf.running.night import Night, NightWord

_STATES: dict[NightWord, Literal["good", "warn", "bad"]] = {"green": "good", "red": "bad", "incomplete": "warn"}
_SHOWN = 60
"""Nights that a trend goes back."""


@dataclass(frozen=True, slots=True)
class NightView:
    """A night as plain data for the page."""

    night: Night
    changed: tuple[str, ...]
    """What is not the same about the assistant since the night compared with, in words."""
    unlike: tuple[str, ...]
    """What should have been the same as that night and is not: judged metrics are then left out of the next two."""
    moved: tuple[tuple[str, str, str, str], ...]
    """Metric, word, difference and interval, since the night compared with."""
    movers: tuple[tuple[str, str, tuple[str, ...]], ...]
    """Question id, question, and what changed about it."""
    trends: tuple[tuple[str, Markup], ...]
    """Metric and its chart."""


def night_verdict_line(night: Night) -> VerdictLine:
    return VerdictLine(_STATES[night.verdict], night.headline)


def night_sections(
    night: Night, since: Comparison | None, history: History, metrics: Sequence[str], title: str
) -> list[Section]:
    """Parts of the page; `since` compares with the night that drops are measured against, None where there is none.

    The trends end with the run named `title`: a page made again later shows what was known that morning.
    """
    view = NightView(
        night=night,
        changed=tuple(comparison_words.change(one, since.pairing.paired) for one in since.changed) if since else (),
        unlike=tuple(f"{one.what}: {one.a}, now {one.b}" for one in since.warnings) if since else (),
        moved=_moved(since) if since else (),
        movers=_movers(since) if since else (),
        trends=tuple((name, _trend(name, history.trend(name), title)) for name in metrics),
    )
    parts = [("gates", "Gates"), ("since", f"Since {night.baseline}" if since else "Since the last green night")]
    parts += [("trends", "Trends")]
    parts += [("canary", "The judge itself")] if night.canary else []
    return [Section(anchor, heading, render_part(f"night_{anchor}.html", view)) for anchor, heading in parts]


def _moved(since: Comparison) -> tuple[tuple[str, str, str, str], ...]:
    rows = [(one, comparison_words.means(one)[2]) for one in since.metrics if _is_comparable(one.metric, since)]
    return tuple(
        (one.metric, comparison_words.verdict(one), difference, comparison_words.interval(one))
        for one, difference in rows
    )


def _movers(since: Comparison) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    return tuple(
        (
            one.question,
            one.text,
            (
                *map(comparison_words.metric_change, one.changes),
                *map(comparison_words.passage_move, one.passages),
                *(f"“{flip.claim}”: {comparison_words.claim_flip(flip)}" for flip in one.claims),
            ),
        )
        for one in since.movers
        if one.way == "worse" and all(_is_comparable(change.metric, since) for change in one.changes)
    )


def _is_comparable(metric: str, since: Comparison) -> bool:
    """The night compared with is alike for arithmetic; another judge makes judged numbers another thing."""
    return not (since.warnings and is_judged(metric))


def _trend(metric: str, points: Sequence[PastPoint], last: str) -> Markup:
    names = [point.run.folder for point in points]
    known = points[: names.index(last) + 1] if last in names else points
    return trend_chart(metric, [_point(one) for one in known[-_SHOWN:]])


def _point(one: PastPoint) -> Point:
    return Point(
        _label(one.run), one.mean, one.low, one.high, f"another {' and '.join(one.breaks)}" if one.breaks else ""
    )


def _label(run: PastRun) -> str:
    return f"{run.created[:10]} {run.verdict}"
