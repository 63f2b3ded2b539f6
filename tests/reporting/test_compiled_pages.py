"""Pages of a wheel, whose templates were compiled when it was built, are those of the source tree."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from run_makers import a_case, a_run
from whichhalf.reporting import page
from whichhalf.reporting.run_page import run_page
from whichhalf.reporting.run_reports import write_reports

HOSTILE = "</title><script>alert(1)</script>{{ 7*7 }}{% raw %}\u202e & \"'"


@pytest.fixture
def compile_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """From here on pages are made from what is compiled into this folder, and from nothing else."""
    folder = tmp_path / "compiled"
    page.compile_templates(folder)
    monkeypatch.setattr(page, "_ENVIRONMENT", page._environment(page._Compiled(folder)))
    return folder


NAMES = [one.name for one in page._TEMPLATES.iterdir() if one.suffix in {".html", ".css"}]


def test_every_template_is_there(compile_pages: Path) -> None:
    page.load_templates(*NAMES)
    assert len(list(compile_pages.glob("*.py"))) == len(NAMES) > 10


def test_threads_can_load_them_together(compile_pages: Path) -> None:
    for _ in range(20):
        environment = page._environment(page._Compiled(compile_pages))
        with ThreadPoolExecutor(4) as pool:
            loaded = [pool.map(environment.get_template, NAMES) for _ in range(4)]
            assert [[one.name for one in each] for each in loaded] == [NAMES] * 4


def test_pages_are_the_same(demo_run: Path, request: pytest.FixtureRequest) -> None:
    case = a_case(text=HOSTILE, answer=HOSTILE)
    hostile = a_run({"faithfulness": [0.5]}, [case])

    def pages() -> list[str]:
        written = [path.read_text(encoding="utf-8") for path in write_reports(demo_run) if path.suffix == ".html"]
        return [run_page(HOSTILE, hostile), *written]

    from_source = pages()
    request.getfixturevalue("compile_pages")
    assert pages() == from_source
    assert len(from_source) == 3
    assert "&lt;/title&gt;&lt;script&gt;alert(1)" in from_source[0]
    assert "<script>alert(1)" not in from_source[0]
