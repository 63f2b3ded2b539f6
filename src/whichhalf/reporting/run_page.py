"""report.html: a run on one page."""

from collections.abc import Sequence

from whichhalf.core.run import Run
from whichhalf.reporting.page import render_page
from whichhalf.reporting.run_view import Section, view_run
from whichhalf.reporting.verdict_line import VerdictLine
from whichhalf.triage.flagged import FlaggedAnswer


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
