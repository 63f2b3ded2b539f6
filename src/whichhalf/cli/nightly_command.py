"""whichhalf nightly CONFIG.toml"""

from pathlib import Path
from typing import Annotated

import typer

from whichhalf.cli.asking import AsJson, DryRun, Judge, Limit, Quiet, ReplayOnly, asking, config_with, show_forecast
from whichhalf.cli.exit_codes import GATE_FAILED, INCOMPLETE


def nightly(
    config: Annotated[Path, typer.Argument(help="The config file, with its gates.", show_default=False)],
    gate: Annotated[bool, typer.Option("--gate/--no-gate", help="Whether a failed gate sets the exit code.")] = True,
    junit_cases: Annotated[bool, typer.Option("--junit-cases", help="One JUnit test a case as well.")] = False,
    judge: Judge = None,
    limit: Limit = None,
    replay_only: ReplayOnly = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Run, then gates, canary, history, report and exit code: made for cron and CI.

    The same command goes on with a night that broke off: replies that had arrived are kept. Exit code 0 is green, 1 a
    failed gate, 2 a config or data that cannot work, 3 a night that could not finish.

    Examples:

    whichhalf nightly configs/nightly.toml

    whichhalf nightly configs/nightly.toml --quiet --junit-cases

    whichhalf nightly configs/nightly.toml --judge openai/gpt-4o-mini --dry-run
    """
    settings = config_with(config, judge, asks=not (dry_run or replay_only))
    from whichhalf.jobs.nightly import forecast_night, run_night
    from whichhalf.reporting.night_json import night_as_json
    from whichhalf.reporting.night_text import print_night
    from whichhalf.reporting.summary_text import print_summary
    from whichhalf.reporting.terminal_text import open_console, plain, write_json

    if dry_run:
        show_forecast(forecast_night(settings, limit=limit), config.stem, as_json=as_json, quiet=quiet)
        return
    with asking("scoring", quiet, quiet or as_json) as progress:
        done = run_night(
            settings, config.stem, limit=limit, replay_only=replay_only, junit_cases=junit_cases, progress=progress
        )
    if as_json:
        write_json(night_as_json(done.night, done.finished.run, done.finished.folder))
    elif not quiet:
        console = open_console()
        print_summary(console, done.finished.run, config.stem, micro=settings.metrics.micro)
        print_night(console, done.night)
        console.print(f"\nRun folder: {done.finished.folder}", soft_wrap=True)
    if done.hook_fault:
        open_console(stderr=True).print(f"whichhalf: {plain(done.hook_fault)}", soft_wrap=True)
    if done.night.verdict == "incomplete":
        raise typer.Exit(INCOMPLETE)
    if done.night.verdict == "red" and gate:
        raise typer.Exit(GATE_FAILED)
