"""report.html: a run on one page."""

from collections.abc import Sequence

from whichhalf.core.run import Run
from whichhalf.reporting.page import load_templates, render_page
from whichhalf.reporting.run_view import Section, view_run
from whichhalf.reporting.verdict_line import VerdictLine
from whichhalf.triage.flagged import FlaggedAnswer


def load_run_page() -> None:
    """What `run_page` would else load itself; it takes a while."""
    load_templates("run.html", "base.html", "page.css", "run_worst.html", "case.html")


def run_page(
    title: str,
    run: Run,
    answers: Sequence[FlaggedAnswer] = (),
    *,
    verdict: VerdictLine | None = None,
    sections: Sequence[Section] = (),
) -> str:
    """The page. `verdict` replaces the sentence on top, and `sections` follow it before the metrics."""
    return render_page("run.html", view_run(title, run, answers, verdict, sections))
