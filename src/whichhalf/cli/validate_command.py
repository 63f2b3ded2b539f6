"""whichhalf validate CONFIG.toml"""

from pathlib import Path
from typing import Annotated

import typer


def validate(
    config: Annotated[Path | None, typer.Argument(help="The config file.", show_default=False)] = None,
    defaults: Annotated[bool, typer.Option("--defaults", help="Print every key with its default.")] = False,
) -> None:
    """Read everything, ask nothing, and list every fault at once.

    Examples:

    whichhalf validate configs/demo.toml

    whichhalf validate --defaults
    """
    from whichhalf.errors import InputError
    from whichhalf.jobs.evaluation import check_evaluation
    from whichhalf.reporting.terminal_text import open_console, plain
    from whichhalf.running.config import default_lines, read_config

    console = open_console()
    if defaults:
        for line in default_lines():
            console.print(line, soft_wrap=True)
    if config is not None:
        for line in check_evaluation(read_config(config)):
            console.print(plain(line), soft_wrap=True)
    elif not defaults:
        raise InputError("name a config file, or ask for --defaults")
