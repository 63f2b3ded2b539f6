"""What the commands that ask a judge have in common: their options, and how they end early."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from whichhalf.cli.interrupts import RESUME, stoppable
from whichhalf.cli.progress import progress_bar

if TYPE_CHECKING:
    from whichhalf.core.forecast import Forecast
    from whichhalf.running.config import Config
    from whichhalf.running.score_cases import Progress

Judge = Annotated[str | None, typer.Option("--judge", help="Judge model, in place of the config's.")]
Limit = Annotated[int | None, typer.Option("--limit", min=1, help="Score a seeded sample of this many questions.")]
ReplayOnly = Annotated[bool, typer.Option("--replay-only", help="Use kept replies only; call no judge.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Forecast calls, tokens and price; ask nothing.")]
AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable result on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]


def config_with(config: Path, judge: str | None, *, asks: bool) -> "Config":
    """The config of a file, with another judge where one is named, which will be asked if `asks`. Raises InputError."""
    from whichhalf.running.early_start import begin_early

    if asks:
        begin_early(config, judge)
    from whichhalf.running.config import read_config, with_judge  # loads much: not before the line above

    settings = read_config(config)
    return settings if judge is None else with_judge(settings, judge)


@contextmanager
def asking(what: str, quiet: bool, silent: bool) -> "Iterator[Progress]":
    """A progress bar, unless `silent`. Where the block is stopped, or the judge cannot be used, the error says how to
    go on."""
    from whichhalf.errors import JudgeUnusable, WhichHalfError

    try:
        with stoppable(quiet), progress_bar(what, silent) as progress:
            yield progress
    except KeyboardInterrupt:  # caught here, since the command line library would turn it into an exit code of its own
        raise WhichHalfError(f"stopped; {RESUME}") from None
    except JudgeUnusable as error:
        said = "; ".join([str(error), *getattr(error, "__notes__", [])])
        raise WhichHalfError(f"{said}; {RESUME}") from error


def show_forecast(forecast: "Forecast", title: str, *, as_json: bool, quiet: bool) -> None:
    from whichhalf.reporting.forecast_text import print_forecast
    from whichhalf.reporting.terminal_text import open_console, write_json

    if as_json:
        write_json(forecast.model_dump_json(indent=2))
    elif not quiet:
        print_forecast(open_console(), forecast, title)
