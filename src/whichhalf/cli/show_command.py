"""whichhalf show RUN ID"""

from pathlib import Path
from typing import Annotated

import typer


def show(
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    question: Annotated[str, typer.Argument(metavar="ID", help="A question id.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable result on stdout.")] = False,
) -> None:
    """Print one case so that an expert can read it: passages, claims, verdicts and the quotes they rest on.

    Examples:

    whichhalf show runs/demo-2026-11-30T06-00-00 q01

    whichhalf show runs/demo-2026-11-30T06-00-00 q01 --json
    """
    from whichhalf.reporting.case_text import print_case
    from whichhalf.reporting.terminal_text import open_console, write_json
    from whichhalf.running.run_folder import find_case

    result, flagged = find_case(run, question)
    if as_json:
        write_json(result.model_dump_json(indent=2))
    else:
        print_case(open_console(), result, flagged)
