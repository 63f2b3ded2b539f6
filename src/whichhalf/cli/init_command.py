"""whichhalf init DIR"""

from pathlib import Path
from typing import Annotated

import typer


def init(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to; made if need be.", show_default=False)],
) -> None:
    """Write a config that works, with a small data set to start from. Nothing is overwritten.

    Example:

    whichhalf init my-evaluation
    """
    from whichhalf.jobs.starting import write_starter
    from whichhalf.reporting.terminal_text import open_console

    written = write_starter(folder)
    console = open_console()
    for path in written:
        console.print(f"written: {path}", soft_wrap=True)
    console.print(f"\nNext: whichhalf run {written[0]}", soft_wrap=True)
