"""whichhalf nightly CONFIG.toml"""

from pathlib import Path
from typing import Annotated

import typer

from whichhalf.cli.exit_codes import GATE_FAILED, INCOMPLETE
from whichhalf.cli.interrupts import RESUME, stoppable
from whichhalf.cli.progress import progress_bar


def nightly(
    config: Annotated[Path, typer.Argument(help="The config file, with its gates.", show_default=False)],
    gate: Annotated[bool, typer.Option("--gate/--no-gate", help="Whether a failed gate sets the exit code.")] = True,
    junit_cases: Annotated[bool, typer.Option("--junit-cases", help="One JUnit test a case as well.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable result on stdout.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Run, then gates, canary, history, report and exit code: made for cron and CI.

    The same command goes on with a night that broke off: replies that had arrived are kept. Exit code 0 is green, 1 a
    failed gate, 2 a config or data that cannot work, 3 a night that could not finish.

    Examples:

    whichhalf nightly configs/nightly.toml

    whichhalf nightly configs/nightly.toml --quiet --junit-cases
    """
    from whichhalf.errors import JudgeUnusable, WhichHalfError
    from whichhalf.jobs.nightly import run_night
    from whichhalf.reporting.night_json import night_as_json
    from whichhalf.reporting.night_text import print_night
    from whichhalf.reporting.summary_text import print_summary
    from whichhalf.reporting.terminal_text import open_console, plain, write_json
    from whichhalf.running.config import read_config

    settings = read_config(config)
    try:
        with stoppable(quiet), progress_bar("scoring", quiet or as_json) as progress:
            done = run_night(settings, config.stem, junit_cases=junit_cases, progress=progress)
    except KeyboardInterrupt:
        raise WhichHalfError(f"stopped; {RESUME}") from None
    except JudgeUnusable as error:
        said = "; ".join([str(error), *getattr(error, "__notes__", [])])
        raise WhichHalfError(f"{said}; {RESUME}") from error
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
