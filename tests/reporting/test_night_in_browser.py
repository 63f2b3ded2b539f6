"""The page of a night in a real browser, plain and with hostile text."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from browser import PROGRAM, Page, open_browser
from night_makers import HOSTILE, a_night, write_night
from whichhalf.reporting.run_reports import RUN_PAGE, write_reports

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="chromium is not installed")


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module", params=["s", HOSTILE + "w" * 4000], ids=["plain", "hostile"])
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("runs")
    write_night(runs, "n-1", a_night(request.param), 1.0, "2026-11-01T00:00:00+00:00")
    second = write_night(
        runs, "n-2", a_night(request.param, baseline="n-1", moved=True), 0.5, "2026-11-02T00:00:00+00:00"
    )
    write_reports(second)
    return second / RUN_PAGE


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_quiet_alone_and_as_wide_as_the_screen(page: Page, report: Path, width: int, dark: bool) -> None:
    page.open(report, width=width, dark=dark)
    assert page.complaints == []
    assert page.requests == [report.as_uri()]
    page.value("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.value("document.documentElement.scrollWidth") <= width
    assert page.value("document.querySelectorAll('script, img, iframe').length") == 0
    assert page.value("document.querySelectorAll('.gates tbody tr').length") == 1
    assert page.value("document.querySelectorAll('#trends ~ .columns svg, section svg').length") >= 1
