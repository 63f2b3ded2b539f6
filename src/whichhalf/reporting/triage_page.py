"""triage.html: every flagged answer on one page, for an expert who does not code."""

from collections.abc import Mapping, Sequence

from whichhalf.core.case import Passage
from whichhalf.core.run import Run
from whichhalf.reporting.page import render_page
from whichhalf.reporting.triage_view import view_triage
from whichhalf.triage.flagged import FlaggedAnswer


def triage_page(title: str, run: Run, answers: Sequence[FlaggedAnswer], corpus: Mapping[str, Passage]) -> str:
    """The page. `corpus` gives the texts of passages that no search returned; it may be empty."""
    return render_page("triage.html", view_triage(title, run, answers, corpus), "filter.js")
