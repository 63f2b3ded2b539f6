"""A run on the terminal: every mean beside its counts, and what each number means."""

from collections.abc import Mapping

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from whichhalf.catalogue import is_judged
from whichhalf.core.ids import a_few
from whichhalf.core.run import Cost, MetricSummary, Run
from whichhalf.reporting.breakdown_text import print_curves, print_noise, print_slices
from whichhalf.reporting.repeated_cases import repeated_cases
from whichhalf.reporting.run_words import counts_in_words, judge_in_words
from whichhalf.reporting.terminal_text import number, plain, span


def print_summary(console: Console, run: Run, title: str, *, micro: bool = False) -> None:
    """Metrics, slices, recall curves, contracts, notices and cost of a run."""
    console.print()
    console.print(
        Text(plain(title), style="bold"), Text(f"{len(run.results)} questions"), Text(judge_in_words(run)), sep=" · "
    )
    console.print(metric_table(run.metrics, micro=micro))
    print_slices(console, run.slices)
    print_curves(console, run.curves)
    print_noise(console, run.noise)
    for row in repeated_cases(run):
        for phrase in row.in_words:
            console.print(Text(plain(phrase)), soft_wrap=True)
    console.print()
    print_contracts(console, {name: summary.contract for name, summary in run.metrics.items()})
    print_interval_methods(console, run.metrics)
    if run.manifest.notices:
        console.print()
        console.print(Text("Good to know", style="bold"))
        for notice in run.manifest.notices:
            console.print(Padding(Text(f"• {plain(notice)}"), (0, 0, 0, 2)))
    if run.manifest.judge:
        console.print()
        console.print(Text(_cost(run)))


def metric_table(metrics: Mapping[str, MetricSummary], *, micro: bool = False) -> Table:
    """One row a metric, retrieval before generation; a mean with failures shows its bounds."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("metric", no_wrap=True)
    table.add_column("mean", justify="right")
    table.add_column("95 % interval")
    if micro:
        table.add_column("micro", justify="right")
    table.add_column("scored", justify="right")
    table.add_column("undefined")
    table.add_column("failed")
    judged_before = None
    for name, summary in metrics.items():
        judged = is_judged(name)
        if judged != judged_before:
            table.add_row(Text("judged" if judged else "retrieval", style="dim italic"))
            judged_before = judged
        failed = Text(counts_in_words(summary.failed), style="red" if summary.failed else "")
        means = [_mean(summary), span(summary.low, summary.high), *([number(summary.micro)] if micro else [])]
        table.add_row(f"  {name}", *means, str(summary.scored), counts_in_words(summary.undefined), failed)
    return table


def print_contracts(console: Console, contracts: Mapping[str, str]) -> None:
    """What each number means; conventions that several metrics share are said once, after them."""
    console.print(Text("What the numbers mean", style="bold"))
    shared: dict[str, list[str]] = {}
    for name, contract in contracts.items():
        meaning, _, conventions = contract.partition("; ")
        shared.setdefault(conventions, []).append(name)
        console.print(Padding(Text.assemble((name, "cyan"), "  ", meaning), (0, 0, 0, 2)))
    for conventions, names in shared.items():
        who = names[0] if len(names) == 1 else f"{len(names)} metrics, {names[0]} to {names[-1]}"
        console.print(Padding(Text(f"{who}: {conventions}", style="dim"), (0, 0, 0, 2)))


def print_interval_methods(console: Console, metrics: Mapping[str, MetricSummary]) -> None:
    """How each interval was made; the names that share a method are said once."""
    for method in sorted({one.interval for one in metrics.values() if one.interval}):
        who = a_few([name for name, one in metrics.items() if one.interval == method])
        console.print(Padding(Text(f"interval of {who}: {method}", style="dim"), (0, 0, 0, 2)))


def _mean(summary: MetricSummary) -> str:
    if not summary.failed or summary.if_failed_were is None:
        return number(summary.mean)
    low, high = summary.if_failed_were
    return f"{number(summary.mean)} ({number(low)} to {number(high)})"


def _cost(run: Run) -> str:
    cost = run.cost
    if run.manifest.judge.get("is_baseline"):
        return "Cost: nothing, no judge model was asked"
    tokens = [f"{count} {what} tokens" for count, what in _tokens(cost) if count is not None]
    price = "price unknown" if cost.usd is None else f"{cost.usd:.4f} USD"
    spent = [f"{cost.judge_calls} judge calls", f"{cost.cached} answered from kept replies"]
    line = "Cost: " + ", ".join([*spent, *(tokens if cost.judge_calls else []), *([price] if cost.judge_calls else [])])
    return f"{line}; all replies together {', '.join(whole)}" if cost.cached and (whole := _whole(run)) else line


def _whole(run: Run) -> list[str]:
    """What all replies took, kept ones too, as far as it is known."""
    usd, seconds = run.replies_cost.usd, run.replies_seconds
    return [*([f"{usd:.4f} USD"] if usd else []), *([f"{seconds:.0f} s of the judge's time"] if seconds else [])]


def _tokens(cost: Cost) -> list[tuple[int | None, str]]:
    return [(cost.prompt_tokens, "prompt"), (cost.completion_tokens, "completion")]
