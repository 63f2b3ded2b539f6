"""whichhalf report RUN"""

from pathlib import Path
from typing import Annotated

import typer


def report(
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Write report.html of a run again and, where answers were flagged, triage.html and triage.csv.

    Examples:

    whichhalf report runs/demo-2026-11-30T06-00-00
    """
    from whichhalf.reporting.run_reports import write_reports
    from whichhalf.reporting.terminal_text import open_console

    for path in write_reports(run):
        if not quiet:
            open_console().print(str(path), soft_wrap=True)
