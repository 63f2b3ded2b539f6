"""whichhalf history [METRIC]"""

from pathlib import Path
from typing import Annotated

import typer

REBUILD = "rebuild"


def history(
    metric: Annotated[
        str | None, typer.Argument(help="A metric as reports print it; or `rebuild`.", show_default=False)
    ] = None,
    runs: Annotated[Path, typer.Option("--runs", help="The folder of run folders.")] = Path("runs"),
    part: Annotated[str, typer.Option("--slice", help="Only the questions with this tag, as tag=value.")] = "",
    last: Annotated[int, typer.Option(min=1, help="How many runs to show.")] = 30,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable result on stdout.")] = False,
) -> None:
    """Past runs as a table; of one metric, with its trend. The line breaks where runs may not be compared.

    `rebuild` makes the index anew from the run folders.

    Examples:

    whichhalf history

    whichhalf history faithfulness --slice topic=rent --last 14

    whichhalf history rebuild
    """
    import json

    from whichhalf.core.run import full_name
    from whichhalf.errors import InputError
    from whichhalf.reporting.history_json import runs_as_json, trend_as_json
    from whichhalf.reporting.history_text import print_runs, print_trend
    from whichhalf.reporting.terminal_text import open_console, write_json
    from whichhalf.running.history import History

    console = open_console()
    past = History(runs)
    if metric == REBUILD:
        count = past.rebuild()
        if as_json:
            write_json(json.dumps({"runs": count}))
        else:
            console.print(f"{count} runs in {runs}", soft_wrap=True)
        return
    if past.is_empty:
        raise InputError(f"{runs} is no folder of runs; name one with --runs")
    past.sync()
    if metric is None:
        found = past.runs()[-last:]
        if as_json:
            write_json(runs_as_json(found))
        else:
            print_runs(console, found)
        return
    try:
        name = full_name(metric, scored := past.metrics())
    except KeyError:
        raise InputError(f"no run has {metric!r} under one name; there are {', '.join(scored) or 'none'}") from None
    points = past.trend(name, part)[-last:]
    if not points:
        raise InputError(f"no run has {name} for {part}")
    if as_json:
        write_json(trend_as_json(name, points))
    else:
        print_trend(console, name, points)
