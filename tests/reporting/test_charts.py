"""Charts: exact geometry, harmless labels, nothing to draw."""

import xml.etree.ElementTree as ElementTree

import pytest
from markupsafe import Markup

from whichhalf.reporting.charts import (
    Bar,
    CurveMark,
    Point,
    bar_chart,
    curve_chart,
    interval_chart,
    sparkline,
    trend_chart,
)

HOSTILE = '</text></svg><script>alert(1)</script>" onload="alert(2) \u202e{{ 7*7 }}'


def drawn(markup: Markup, tag: str, kind: str | None = None) -> list[dict[str, str]]:
    """Attributes of the elements of one kind. Parsing it as XML shows that it is well-formed."""
    root = ElementTree.fromstring(f"<div>{markup}</div>")
    return [one.attrib for one in root.iter(tag) if kind is None or one.get("class") == kind]


def texts(markup: Markup, tag: str = "text") -> list[str]:
    return [one.text or "" for one in ElementTree.fromstring(f"<div>{markup}</div>").iter(tag)]


def test_bars_are_as_long_as_their_share_of_the_longest() -> None:
    chart = bar_chart("By half", [Bar("retrieval", 8, "retrieval"), Bar("generation", 3), Bar("manual", 0)])
    assert [(bar["width"], bar["y"]) for bar in drawn(chart, "rect")] == [("100%", "19"), ("37.5%", "55"), ("0%", "91")]
    assert drawn(chart, "rect")[0]["class"] == "bar retrieval"
    assert texts(chart) == ["retrieval", "8", "generation", "3", "manual", "0"]
    assert texts(chart, "title") == ["By half"]
    assert texts(chart, "desc") == ["retrieval: 8; generation: 3; manual: 0"]
    assert drawn(chart, "svg")[0] == {"role": "img", "height": "108"}


def test_bars_that_are_all_zero() -> None:
    assert [bar["width"] for bar in drawn(bar_chart("t", [Bar("a", 0)]), "rect")] == ["0%"]


def test_intervals_lie_where_their_numbers_are() -> None:
    chart = interval_chart(
        "Change",
        [Point("recall", 0.1, -0.2, 0.4), Point("faithfulness", None), Point("far", 2.0)],
        domain=(-0.5, 0.5),
        reference=0.0,
        reference_label="no change",
    )
    assert [(one["x1"], one["x2"]) for one in drawn(chart, "line", "span")] == [("30%", "90%")]
    assert [one["cx"] for one in drawn(chart, "circle")] == ["60%", "100%"]
    assert drawn(chart, "line", "reference") == [
        {"class": "reference", "x1": "50%", "y1": "0", "x2": "50%", "y2": "108"}
    ]
    assert texts(chart) == [
        *("recall", "0.100 (-0.200 to 0.400)", "faithfulness", "no number", "far", "2.000"),
        "no change 0.000",
    ]


def test_a_trend_is_not_joined_across_a_break_or_a_gap() -> None:
    points = [
        Point("Mon", 0.6),
        Point("Tue", 0.7, 0.6, 0.8),
        Point("Wed", 0.5, broken="another golden set"),
        Point("Thu", None),
        Point("Fri", 0.8),
    ]
    chart = trend_chart("recall@5", points)
    # the scale is 0.5 to 0.8 over 150 pixels, from 172 upwards
    assert drawn(chart, "line", "link") == [{"class": "link", "x1": "0%", "y1": "122", "x2": "25%", "y2": "72"}]
    assert [one["x1"] for one in drawn(chart, "line", "break")] == ["37.5%"]
    assert [(one["cx"], one["cy"]) for one in drawn(chart, "circle", "dot")] == [
        ("0%", "122"),
        ("25%", "72"),
        ("50%", "172"),
        ("100%", "22"),
    ]
    assert [one["cx"] for one in drawn(chart, "circle", "dot hollow")] == ["75%"]
    assert [(one["y1"], one["y2"]) for one in drawn(chart, "line", "span")] == [("22", "122")]
    assert texts(chart) == ["0.8", "0.65", "0.5", "Mon", "Fri"]
    assert texts(chart, "li") == ["Wed: another golden set"]
    assert "Thu: no number" in texts(chart, "desc")[0]


@pytest.mark.parametrize(
    ("values", "ticks"),
    [((0.7, 0.7), ["0.8", "0.7", "0.6"]), ((1.0, 1.0), ["1.1", "1", "0.9"]), ((0.05, 0.41), ["0.5", "0.25", "0"])],
)
def test_the_scale_of_a_trend_is_written(values: tuple[float, ...], ticks: list[str]) -> None:
    assert texts(trend_chart("t", [Point(str(value), value) for value in values]))[:3] == ticks


def test_a_trend_of_one_night() -> None:
    chart = trend_chart("t", [Point("Mon", 0.5)], domain=(0, 1))
    assert [(one["cx"], one["cy"]) for one in drawn(chart, "circle")] == [("50%", "97")]
    assert texts(chart)[3:] == ["Mon"]


def test_a_curve_with_its_marks() -> None:
    marks = [CurveMark(2, "flattens"), CurveMark(9, "outside")]
    chart = curve_chart("Recall", [0.5, 0.75, 1.0], marks)
    assert drawn(chart, "line", "link") == [
        {"class": "link", "x1": "0%", "y1": "97", "x2": "50%", "y2": "59.5"},
        {"class": "link", "x1": "50%", "y1": "59.5", "x2": "100%", "y2": "22"},
    ]
    assert [(one["cx"], one["cy"]) for one in drawn(chart, "circle")] == [("50%", "59.5")]
    assert texts(chart) == ["1", "0.5", "0", "k = 1", "k = 3"]
    assert texts(chart, "li") == ["flattens: k = 2, 0.750"]
    assert texts(chart, "desc") == ["k = 1: 0.500; k = 3: 1.000; flattens: k = 2, 0.750"]


def test_a_curve_of_one_point() -> None:
    assert [(one["cx"], one["cy"]) for one in drawn(curve_chart("t", [0.0]), "circle")] == [("50%", "172")]


def test_a_sparkline_with_a_gap() -> None:
    chart = sparkline("recall", [0.0, 1.0, None, 0.5])
    (path,) = drawn(chart, "path")
    assert path["d"] == "M2 17h0L32.6667 3M94 10h0"
    assert texts(chart, "title") == ["recall: 0.000 to 0.500"]
    assert drawn(sparkline("t", [0.5, 0.5]), "path")[0]["d"] == "M2 10h0L94 10"


@pytest.mark.parametrize(
    "chart",
    [
        bar_chart(HOSTILE, [Bar(HOSTILE, 1)]),
        interval_chart(HOSTILE, [Point(HOSTILE, 0.5)], reference=0.5, reference_label=HOSTILE),
        trend_chart(HOSTILE, [Point(HOSTILE, 0.5), Point(HOSTILE, 0.5, broken=HOSTILE)]),
        curve_chart(HOSTILE, [0.5], [CurveMark(1, HOSTILE)], unit=HOSTILE),
        sparkline(HOSTILE, [0.5]),
        bar_chart(HOSTILE, []),
    ],
)
def test_hostile_labels_stay_text(chart: Markup) -> None:
    elements = list(ElementTree.fromstring(f"<div>{chart}</div>").iter())
    assert "script" not in {one.tag for one in elements}
    assert "onload" not in {name for one in elements for name in one.attrib}
    assert "\u202e" not in chart


def test_long_labels_are_cut_and_direction_marks_dropped() -> None:
    (label, count) = texts(bar_chart("t", [Bar("\u202e" + "x" * 100_000, 1)]))
    assert label == "x" * 43 + "…"
    assert count == "1"


@pytest.mark.parametrize(
    "chart",
    [
        bar_chart("Empty & bare", []),
        interval_chart("Empty & bare", []),
        trend_chart("Empty & bare", [Point("Mon", None)]),
        curve_chart("Empty & bare", []),
    ],
)
def test_nothing_to_draw(chart: Markup) -> None:
    assert chart == '<p class="soft">Empty &amp; bare: nothing to draw.</p>'


def test_nothing_to_draw_in_a_cell() -> None:
    assert sparkline("t", [None]) == '<span class="soft">–</span>'
