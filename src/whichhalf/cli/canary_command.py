"""whichhalf canary freeze RUN OUT"""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Frozen claims that show whether the judge itself has moved.", no_args_is_help=True)


@app.callback()
def canary() -> None:
    """Frozen claims that show whether the judge itself has moved."""


@app.command()
def freeze(
    run: Annotated[Path, typer.Argument(help="A run folder whose verdicts you trust.", show_default=False)],
    out: Annotated[Path, typer.Argument(help="The anchors file to write.", show_default=False)],
    config: Annotated[Path, typer.Option("-c", "--config", help="The config with the judge.", show_default=False)],
    size: Annotated[int, typer.Option(min=10, help="How many claims, at least.")] = 100,
    checks: Annotated[int, typer.Option(min=0, help="How often each claim is judged again before it counts.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable result on stdout.")] = False,
) -> None:
    """Draw claims with their passages and verdicts from a run, and leave out those whose verdict does not hold.

    Name the file in the config: [canary] anchors = "…". Never edit it: another set is another file.

    Example:

    whichhalf canary freeze runs/nightly-2026-11-30 canary.jsonl -c configs/nightly.toml
    """
    import json

    from whichhalf.jobs.canary import freeze_canary
    from whichhalf.reporting.terminal_text import open_console, write_json
    from whichhalf.running.config import read_config

    made = freeze_canary(run, read_config(config), out, size=size, checks=checks)
    if as_json:
        facts = {"anchors": str(out), "claims": made.claims, "answers": made.answers, "left_out": made.left_out}
        write_json(json.dumps(facts, indent=2))
        return
    left = f"; {made.left_out} claims left out, their verdict did not hold or was not got" if made.left_out else ""
    open_console().print(f"{made.claims} claims of {made.answers} answers frozen in {out}{left}", soft_wrap=True)
