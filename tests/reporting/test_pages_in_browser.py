"""The pages in a real browser: quiet console, nothing fetched, filters, keyboard, phone."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from browser import PROGRAM, Page, open_browser
from run_makers import a_case, a_run
from whichhalf.core.case import Passage
from whichhalf.core.outcome import Scored
from whichhalf.reporting.run_page import run_page
from whichhalf.reporting.run_reports import write_reports

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="chromium is not installed")

SHOWN = "[...document.querySelectorAll('article.answer')].filter(one => one.offsetParent).map(one => one.dataset.id)"
HOSTILE = (
    "<script>document.title='hit'</script><img src=x onerror=\"document.title='hit'\">"
    "<iframe src='javascript:top.document.title=1'></iframe></style></title>{{ 7*7 }}\u202e" + "w" * 4000
)


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with open_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(whole_demo: Path) -> Path:
    """The demo's run folder with its pages."""
    write_reports(whole_demo)
    return whole_demo


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", ["report.html", "triage.html"])
def test_quiet_alone_and_as_wide_as_the_screen(page: Page, pages: Path, name: str, width: int, dark: bool) -> None:
    page.open(pages / name, width=width, dark=dark)
    assert page.complaints == []
    assert [url for url in page.requests if not url.startswith("data:")] == [(pages / name).as_uri()]
    assert page.value("document.documentElement.scrollWidth") <= width
    page.value("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.value("document.documentElement.scrollWidth") <= width
    ground = page.value("getComputedStyle(document.body).backgroundColor")
    assert ground == ("rgb(21, 24, 28)" if dark else "rgb(251, 251, 249)")


def test_filters(page: Page, pages: Path) -> None:
    page.open(pages / "triage.html")

    def choose(field: str, value: str) -> None:
        page.value(
            f"document.getElementById('{field}').value = '{value}';"
            f"document.getElementById('{field}').dispatchEvent(new Event('input'))"
        )

    assert len(page.value(SHOWN)) == 12
    choose("by-half", "generation")
    assert page.value(SHOWN) == ["q06", "q13", "q20"]
    choose("by-reason", "unsupported_claims")
    assert page.value(SHOWN) == ["q13", "q20"]
    page.value("document.getElementById('by-text').focus()")
    page.type("fund UNITS")
    assert page.value(SHOWN) == ["q13"]
    assert page.value("document.getElementById('shown').textContent") == "1 of 12 shown"
    choose("by-half", "manual")
    assert page.value(SHOWN) == []
    assert page.complaints == []


def test_without_script_every_answer_is_there(page: Page, pages: Path) -> None:
    page.open(pages / "triage.html", script=False)
    assert len(page.value(SHOWN)) == 12
    assert page.value("document.getElementById('filters').offsetParent === null")


def test_the_keyboard_comes_first_to_the_skip_link_and_then_to_the_content(page: Page, pages: Path) -> None:
    page.open(pages / "triage.html")
    page.press("Tab")
    assert page.value("document.activeElement.className") == "skip"
    assert page.value("document.activeElement.getBoundingClientRect().left") > 0
    seen = set()
    for _ in range(20):
        page.press("Tab")
        seen.add(page.value("document.activeElement.id || document.activeElement.tagName"))
    assert {"by-half", "by-reason", "by-text", "SUMMARY"} <= seen


@pytest.mark.parametrize("width", [1280, 390])
def test_hostile_text_does_nothing(page: Page, tmp_path: Path, width: int) -> None:
    passage = Passage(id=HOSTILE, text=HOSTILE, doc=HOSTILE)
    case = a_case(
        HOSTILE, text=HOSTILE, relevant={HOSTILE: 1, "2": 1}, retrieved=(passage,), context=(passage,), answer=HOSTILE
    )
    outcome = Scored(value=0.0, notes=(HOSTILE,))
    run = a_run(
        {"faithfulness": [outcome]}, [case], config={"key": HOSTILE}, judge={"model": HOSTILE}, notices=(HOSTILE,)
    )
    run = replace(run, slices={HOSTILE: {HOSTILE: run.metrics}})
    path = tmp_path / "hostile.html"
    path.write_text(run_page("the title", run), encoding="utf-8")
    page.open(path, width=width)
    assert page.complaints == []
    assert page.requests == [path.as_uri()]
    assert page.value("document.title") == "Report: the title"
    assert page.value("document.querySelectorAll('script, img, iframe').length") == 0
    page.value("document.querySelectorAll('details').forEach(one => one.open = true)")
    assert page.value("document.documentElement.scrollWidth") <= width


def test_the_policy_stops_a_script_that_got_in_all_the_same(page: Page, pages: Path, tmp_path: Path) -> None:
    """The second line of defence: even text that was not escaped could neither run nor fetch."""
    text = (pages / "triage.html").read_text(encoding="utf-8")
    path = tmp_path / "broken.html"
    injected = "<script>document.title='hit'</script><img src='http://127.0.0.1:9/x.png'></main>"
    path.write_text(text.replace("</main>", injected), encoding="utf-8")
    page.open(path)
    assert page.value("document.title").startswith("Triage:")
    assert len(page.complaints) == 2
    assert all("Content Security Policy" in one for one in page.complaints)
    assert len(page.value(SHOWN)) == 12
