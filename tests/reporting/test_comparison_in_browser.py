"""comparison.html in a real browser: quiet console, nothing fetched, no wider than a phone, hostile text inert."""

from pathlib import Path

import pytest

from browser import PROGRAM, open_browser
from run_makers import a_case, a_run, judged
from whichhalf import compare
from whichhalf.comparing.comparison import Comparison
from whichhalf.core.outcome import Outcome
from whichhalf.reporting.comparison_file import write_comparison

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="chromium is not installed")

HOSTILE = "<script>document.title='hit'</script><img src=x onerror=\"document.title='hit'\">" + "w" * 3000


@pytest.fixture
def comparison() -> Comparison:
    cases = [
        [a_case(f"q{n}{HOSTILE}", answer=f"{way}{HOSTILE}", tags={"topic": HOSTILE}) for n in (1, 2)] for way in "ab"
    ]
    scores: list[list[float | Outcome]] = [
        [judged(0.0, Claim="not_mentioned"), 1.0],
        [judged(1.0, Claim=("supported", HOSTILE)), 0.5],
    ]
    a, b = (a_run({"faithfulness": own}, some) for own, some in zip(scores, cases, strict=True))
    return compare(a, b, slices=["topic"], names=(HOSTILE, "b"))


def test_quiet_alone_and_as_wide_as_the_screen(tmp_path: Path, comparison: Comparison) -> None:
    path = write_comparison([comparison], tmp_path)
    with open_browser() as page:
        for width, dark in ((1280, False), (390, True)):
            page.open(path, width=width, dark=dark)
            page.value("document.querySelectorAll('details').forEach(one => one.open = true)")
            assert page.complaints == []
            assert [url for url in page.requests if not url.startswith("data:")] == [path.as_uri()]
            assert page.value("document.documentElement.scrollWidth") <= width
            assert page.value("document.title").startswith("Comparison: b against <script>")
            assert page.value("document.querySelectorAll('script, img').length") == 0
