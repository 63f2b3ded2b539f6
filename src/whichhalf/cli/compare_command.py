"""whichhalf compare RUN_A RUN_B"""

from pathlib import Path
from typing import Annotated

import typer

from whichhalf.cli.exit_codes import INCOMPLETE


def compare(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN_A RUN_B…", help="Run folders.", show_default=False)],
    baseline: Annotated[
        Path | None, typer.Option(help="The run that all others are compared with; the first by default.")
    ] = None,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Compare also where golden set or judge differ, and warn.")
    ] = False,
    margin: Annotated[float, typer.Option(min=1e-6, max=1, help="Differences within ± this do not matter.")] = 0.02,
    alpha: Annotated[
        float, typer.Option(min=1e-6, max=0.5, help="How often a claimed difference may be chance.")
    ] = 0.05,
    cluster: Annotated[
        str | None, typer.Option(metavar="TAG", help="Questions that share this tag's value are not independent.")
    ] = None,
    slices: Annotated[
        list[str] | None, typer.Option("--slice", metavar="TAG", help="Break the metrics down by this tag.")
    ] = None,
    movers: Annotated[int, typer.Option(min=0, help="Questions of each half, and each way, to show.")] = 3,
    coverage_floor: Annotated[float, typer.Option(min=0, max=1, help="Share of pairs that must be scored.")] = 0.95,
    seed: Annotated[int, typer.Option(min=0, help="Draws the permutations.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Write a page with charts: an .html file, or comparison.html in a folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable result on stdout.")] = False,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="For a pull request.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Compare runs over the same questions: better, worse, equivalent, or not enough data, and why.

    Runs that differ in golden set, judge, judge prompts, sampling, embedding model or the meaning of a metric are
    refused.

    Examples:

    whichhalf compare runs/demo-2026-11-29T06-00-00 runs/demo-2026-11-30T06-00-00

    whichhalf compare runs/v1 runs/v2 runs/v3 --cluster document --markdown
    """
    from whichhalf.comparing.compare_runs import Settings, compare_all
    from whichhalf.comparing.comparison import Rule
    from whichhalf.comparing.named_runs import read_named_runs
    from whichhalf.errors import InputError
    from whichhalf.reporting.comparison_file import write_comparison
    from whichhalf.reporting.comparison_json import comparisons_as_json
    from whichhalf.reporting.comparison_markdown import comparison_as_markdown
    from whichhalf.reporting.comparison_text import print_comparison
    from whichhalf.reporting.terminal_text import open_console, plain, write_json

    if as_json and as_markdown:
        raise InputError("--json and --markdown are two forms of the same: give one of them")
    named = read_named_runs(runs, baseline)
    rule = Rule(margin=margin, alpha=alpha, cluster=cluster, coverage_floor=coverage_floor, seed=seed)
    compared = compare_all(named[0], named[1:], Settings(rule, slices, anyway, movers))
    page = write_comparison(compared, out) if out is not None else None
    if as_json:
        write_json(comparisons_as_json(compared))
    elif as_markdown:
        write_json("\n".join(map(comparison_as_markdown, compared)))
    elif not quiet:
        for one in compared:
            print_comparison(open_console(), one)
        if page is not None:
            open_console().print(f"\nPage: {page}", soft_wrap=True)
    lost = [(one, metric) for one in compared for metric in one.metrics if metric.coverage < coverage_floor]
    if lost:
        console = open_console(stderr=True)
        for one, metric in lost:
            line = f"whichhalf: {metric.metric}, {one.name_a} and {one.name_b}: {metric.because}"
            console.print(plain(line), soft_wrap=True)
        raise typer.Exit(INCOMPLETE)
