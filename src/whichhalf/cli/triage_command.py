"""whichhalf triage RUN --flags FILE"""

from pathlib import Path
from typing import Annotated

import typer

from whichhalf.core.options import Rule


def triage(
    run: Annotated[Path, typer.Argument(help="A run folder.", show_default=False)],
    flags: Annotated[Path, typer.Option(help="What the expert marked: CSV or JSON Lines with at least `id`.")],
    rule: Annotated[Rule | None, typer.Option(help="In place of the config's.")] = None,
    k: Annotated[int | None, typer.Option(min=1, help="How many passages the model sees.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable result on stdout.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Label every answer an expert marked wrong: retrieval, generation or manual, with the reason.

    Examples:

    whichhalf triage runs/demo-2026-11-30T06-00-00 --flags flags.csv

    whichhalf triage runs/demo-2026-11-30T06-00-00 --flags flags.csv --rule textbook --json
    """
    import json

    from whichhalf.jobs.evaluation import triage_run
    from whichhalf.reporting.run_json import triage_facts
    from whichhalf.reporting.run_reports import write_reports
    from whichhalf.reporting.terminal_text import open_console, write_json
    from whichhalf.reporting.triage_text import print_triage

    given = {"rule": rule, "k": k}
    labelled = triage_run(run, flags, {name: value for name, value in given.items() if value is not None})
    if as_json:
        write_json(json.dumps(triage_facts(labelled), ensure_ascii=False, allow_nan=False, indent=2))
    elif not quiet:
        print_triage(open_console(), labelled)
    write_reports(run)
