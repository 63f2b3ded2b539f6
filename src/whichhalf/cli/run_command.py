"""whichhalf run CONFIG.toml"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from whichhalf.cli.exit_codes import INCOMPLETE
from whichhalf.cli.interrupts import RESUME, stoppable
from whichhalf.cli.progress import progress_bar

if TYPE_CHECKING:
    from whichhalf.running.config import Config


def run(
    config: Annotated[Path, typer.Argument(help="The config file.", show_default=False)],
    judge: Annotated[str | None, typer.Option(help="Judge model, in place of the config's.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Score a seeded sample of this many questions.")] = None,
    outputs: Annotated[Path | None, typer.Option(help="An outputs file, in place of the config's.")] = None,
    live: Annotated[bool, typer.Option("--live", help="Ask the config's assistant first, and score that.")] = False,
    replay_only: Annotated[bool, typer.Option("--replay-only", help="Use kept replies only; call no judge.")] = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Neither read nor keep replies.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Forecast calls, tokens and price; ask nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable result on stdout.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Evaluate: golden set and outputs in; run folder and summary out. Where the config names flags, label them.

    Examples:

    whichhalf run configs/demo.toml

    whichhalf run configs/demo.toml --judge offline --limit 10 --json

    whichhalf run configs/demo.toml --judge openai/gpt-4o-mini --dry-run
    """
    from whichhalf.errors import InputError, JudgeUnusable, WhichHalfError
    from whichhalf.jobs.evaluation import run_evaluation
    from whichhalf.reporting.run_json import run_as_json
    from whichhalf.reporting.run_reports import write_reports
    from whichhalf.reporting.summary_text import coverage_in_words, print_summary
    from whichhalf.reporting.terminal_text import open_console, plain, write_json
    from whichhalf.reporting.triage_text import print_triage
    from whichhalf.running.config import read_config, with_judge

    settings = read_config(config)
    if judge is not None:
        settings = with_judge(settings, judge)
    if no_cache:
        settings = settings.model_copy(update={"run": settings.run.model_copy(update={"use_cache": False})})
    if outputs is not None:
        if live:
            raise InputError("--live records new outputs, and --outputs names a file of old ones: choose one")
        settings = settings.model_copy(update={"data": settings.data.model_copy(update={"outputs": outputs})})
    if dry_run:
        _forecast(settings, config.stem, limit, live, as_json, quiet)
        return
    try:
        with stoppable(quiet), progress_bar("asking and scoring" if live else "scoring", quiet or as_json) as progress:
            finished = run_evaluation(
                settings, config.stem, limit=limit, replay_only=replay_only, live=live, progress=progress
            )
    except KeyboardInterrupt:  # caught here, since the command line library would turn it into an exit code of its own
        raise WhichHalfError(f"stopped; {RESUME}") from None
    except JudgeUnusable as error:
        raise WhichHalfError(f"{error}; {RESUME}") from error
    below = finished.below_floor(settings.run.coverage_floor)
    if as_json:
        write_json(run_as_json(finished.run, finished.folder, finished.triage))
    elif not quiet:
        console = open_console()
        print_summary(console, finished.run, config.stem, micro=settings.metrics.micro)
        if finished.triage is not None:
            print_triage(console, finished.triage)
        console.print(f"\nRun folder: {finished.folder}", soft_wrap=True)
    write_reports(finished.folder, finished.run)  # last: if a page goes wrong, the run is there and was shown
    unrecorded = finished.unrecorded if replay_only else 0
    if below or finished.unpaid or unrecorded:
        console = open_console(stderr=True)
        if unrecorded:
            message = f"replies that are not kept: {unrecorded} of {len(finished.run.results)} questions lack outcomes"
            console.print(f"whichhalf: {message}; without --replay-only the judge is asked", soft_wrap=True)
        if finished.unpaid:
            message = f"the budget is spent: {finished.unpaid} of {len(finished.run.results)} questions lack outcomes"
            console.print(f"whichhalf: {message}; {RESUME}", soft_wrap=True)
        for name in below:
            lost = coverage_in_words(finished.run.metrics[name], settings.run.coverage_floor)
            console.print(f"whichhalf: {name}: {plain(lost)}", soft_wrap=True)
        raise typer.Exit(INCOMPLETE)


def _forecast(settings: "Config", title: str, limit: int | None, live: bool, as_json: bool, quiet: bool) -> None:
    from whichhalf.jobs.forecasting import forecast_evaluation
    from whichhalf.reporting.forecast_text import print_forecast
    from whichhalf.reporting.terminal_text import open_console, write_json

    forecast = forecast_evaluation(settings, limit=limit, live=live)
    if as_json:
        write_json(forecast.model_dump_json(indent=2))
    elif not quiet:
        print_forecast(open_console(), forecast, title)
