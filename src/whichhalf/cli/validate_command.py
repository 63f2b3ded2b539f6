"""whichhalf validate CONFIG.toml"""

from pathlib import Path
from typing import Annotated

import typer


def validate(
    config: Annotated[Path | None, typer.Argument(help="The config file.", show_default=False)] = None,
    defaults: Annotated[bool, typer.Option("--defaults", help="Print every key with its default.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="The lines as a JSON list on stdout.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Read everything, ask nothing, and list every fault at once.

    Examples:

    whichhalf validate configs/demo.toml

    whichhalf validate --defaults
    """
    import json

    from whichhalf.errors import InputError
    from whichhalf.jobs.evaluation import check_evaluation
    from whichhalf.jobs.nightly import check_night
    from whichhalf.reporting.terminal_text import open_console, plain, write_json
    from whichhalf.running.config import default_lines, read_config

    console = open_console()
    if defaults:
        for line in default_lines():
            console.print(line, soft_wrap=True)
    if config is not None:
        settings = read_config(config)
        lines = check_evaluation(settings)
        check_night(settings)
        if as_json:
            write_json(json.dumps(lines, ensure_ascii=False, indent=2))
        elif not quiet:
            for line in lines:
                console.print(plain(line), soft_wrap=True)
    elif not defaults:
        raise InputError("name a config file, or ask for --defaults")
