"""whichhalf run CONFIG.toml"""

from pathlib import Path
from typing import Annotated

import typer

from whichhalf.cli.asking import AsJson, DryRun, Judge, Limit, Quiet, ReplayOnly, asking, config_with, show_forecast
from whichhalf.cli.exit_codes import INCOMPLETE
from whichhalf.cli.interrupts import RESUME


def run(
    config: Annotated[Path, typer.Argument(help="The config file.", show_default=False)],
    judge: Judge = None,
    limit: Limit = None,
    outputs: Annotated[Path | None, typer.Option(help="An outputs file, in place of the config's.")] = None,
    live: Annotated[bool, typer.Option("--live", help="Ask the config's assistant first, and score that.")] = False,
    replay_only: ReplayOnly = False,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="Neither read nor keep replies.")] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Evaluate: golden set and outputs in; run folder and summary out. Where the config names flags, label them.

    Examples:

    whichhalf run configs/demo.toml

    whichhalf run configs/demo.toml --judge offline --limit 10 --json

    whichhalf run configs/demo.toml --judge openai/gpt-4o-mini --dry-run
    """
    settings = config_with(config, judge, asks=not (dry_run or replay_only))
    from whichhalf.errors import InputError, ReplyNotRecorded
    from whichhalf.jobs.evaluation import run_evaluation
    from whichhalf.reporting.run_page import load_run_page
    from whichhalf.reporting.run_reports import write_reports
    from whichhalf.reporting.run_words import coverage_in_words
    from whichhalf.reporting.terminal_text import open_console, plain, write_json

    if no_cache:
        settings = settings.model_copy(update={"run": settings.run.model_copy(update={"use_cache": False})})
    if outputs is not None:
        if live:
            raise InputError("--live records new outputs, and --outputs names a file of old ones: choose one")
        settings = settings.model_copy(update={"data": settings.data.model_copy(update={"outputs": outputs})})
    if dry_run:
        from whichhalf.jobs.forecasting import forecast_evaluation

        forecast = forecast_evaluation(settings, limit=limit, live=live)
        show_forecast(forecast, config.stem, as_json=as_json, quiet=quiet)
        return
    with asking("asking and scoring" if live else "scoring", quiet, quiet or as_json) as progress:
        finished = run_evaluation(
            settings,
            config.stem,
            limit=limit,
            replay_only=replay_only,
            live=live,
            meanwhile=load_run_page,
            progress=progress,
        )
    below = finished.below_floor(settings.run.coverage_floor)
    if as_json:
        from whichhalf.reporting.run_json import run_as_json

        write_json(run_as_json(finished.run, finished.folder, finished.triage))
    elif not quiet:
        from whichhalf.reporting.summary_text import print_summary

        console = open_console()
        print_summary(console, finished.run, config.stem, micro=settings.metrics.micro)
        if finished.triage is not None:
            from whichhalf.reporting.triage_text import print_triage

            print_triage(console, finished.triage)
        console.print(f"\nRun folder: {finished.folder}", soft_wrap=True)
    write_reports(finished.folder, finished.run)  # last: if a page goes wrong, the run is there and was shown
    remedies = {ReplyNotRecorded.reason: "without --replay-only the judge is asked"}
    lacking = [
        *(f"{said}; {remedies.get(why, RESUME)}" for why, said in finished.lacking(replay_only).items()),
        *(f"{name}: {coverage_in_words(finished.run.metrics[name], settings.run.coverage_floor)}" for name in below),
    ]
    if lacking:
        console = open_console(stderr=True)
        for sentence in lacking:
            console.print(f"whichhalf: {plain(sentence)}", soft_wrap=True)
        raise typer.Exit(INCOMPLETE)
