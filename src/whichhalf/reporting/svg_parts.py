"""The pieces that charts are drawn with.

Positions across are percentages and positions down are pixels, so that a chart becomes narrow on a phone while its
text keeps its size.
"""

from collections.abc import Iterable, Iterator

from markupsafe import Markup

from whichhalf.reporting.inert_text import shortened

LONGEST_LABEL = 44
PLOT_TOP, PLOT_HEIGHT = 22, 150
PLOT_BOTTOM = PLOT_TOP + PLOT_HEIGHT

Range = tuple[float, float]
"""The lowest and the highest value that a direction stands for."""


def picture(title: str, description: str, height: float, parts: Iterable[Markup]) -> Markup:
    """An image with a name and a description for those who do not see it."""
    return Markup('<svg role="img" height="{:g}"><title>{}</title><desc>{}</desc>{}</svg>').format(
        height, shortened(title, 200), shortened(description, 4000), Markup("").join(parts)
    )


def nothing_to_draw(title: str) -> Markup:
    return Markup('<p class="soft">{}: nothing to draw.</p>').format(shortened(title, 200))


def line(kind: str, x1: float, y1: float, x2: float, y2: float) -> Markup:
    """From the share x1 of the width and y1 pixels down to x2 and y2."""
    return Markup('<line class="{}" x1="{}" y1="{:g}" x2="{}" y2="{:g}"/>').format(
        kind, percent(x1), y1, percent(x2), y2
    )


def dot(x: float, y: float) -> Markup:
    return Markup('<circle class="dot" cx="{}" cy="{:g}" r="5"/>').format(percent(x), y)


def words_at(x: float, y: float, text: str, *, anchor: str = "start", kind: str = "quiet") -> Markup:
    return Markup('<text class="{}" x="{}" y="{:g}" text-anchor="{}">{}</text>').format(
        kind, percent(x), y, anchor, shortened(text, LONGEST_LABEL)
    )


def scale(span: Range) -> Iterator[Markup]:
    """Three lines across the plot with their numbers, the highest first."""
    for share in (1.0, 0.5, 0.0):
        value = span[0] + share * (span[1] - span[0])
        yield line("grid", 0, down(value, span), 1, down(value, span))
        yield words_at(0, down(value, span) - 4, f"{value:.3g}")


def across(value: float, domain: Range) -> float:
    """The share of the width at which a value lies, from 0 to 1; values outside lie at the edge."""
    low, high = domain
    return min(1.0, max(0.0, (value - low) / (high - low)))


def down(value: float, span: Range) -> float:
    """How many pixels down a value lies in a plot."""
    return round(PLOT_TOP + PLOT_HEIGHT * (1 - across(value, span)), 2)


def spread(places: int) -> list[float]:
    """Where evenly spread places lie, from 0 to 1; one alone lies in the middle."""
    return [place / (places - 1) for place in range(places)] if places > 1 else [0.5] * places


def percent(share: float) -> str:
    return f"{100 * share:.5g}%"
