"""What lies behind the means on the terminal: slices by tag, recall at every k, and the judge's own noise."""

from collections.abc import Mapping

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from whichhalf.core.run import JudgeNoise, MetricSummary, RecallCurve, Slices
from whichhalf.reporting.terminal_text import number, plain, span

_USUAL_CUTS = (1, 3, 5, 10, 20, 50, 100)


def print_slices(console: Console, slices: Slices) -> None:
    """One table a tag: a row for every value, with its number of questions, and mean (n scored) over its interval."""
    for tag, values in slices.items():
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=f"by {plain(tag)}", title_justify="left")
        table.add_column("metric")
        for value in values:
            table.add_column(plain(value), justify="right")
        for name in next(iter(values.values())):
            table.add_row(name, *(_cell(summaries[name]) for summaries in values.values()))
        console.print(table)


def print_curves(console: Console, curves: Mapping[str, RecallCurve]) -> None:
    """Recall at a few k, the knee, and the smallest k that is nearly as good as all."""
    for stage, curve in curves.items():
        longest = len(curve.recall)
        cuts = sorted({k for k in _USUAL_CUTS if k < longest} | {curve.knee, curve.enough, longest})
        points = "  ".join(f"{number(curve.recall[k - 1])}@{k}" for k in cuts)
        console.print(Text.assemble((f"recall curve [{stage}]", "bold"), f"  {points}"))
        console.print(
            Text(
                f"  flattens at k = {curve.knee}; k = {curve.enough} reaches 95 % of the ceiling "
                f"{number(curve.recall[-1])}, all {longest} positions",
                style="dim",
            )
        )


def print_noise(console: Console, noise: Mapping[str, JudgeNoise]) -> None:
    """One row a metric: verdicts that flipped when the judge was asked again, and how far the mean moves by that."""
    if not noise:
        return
    times = max(one.repeats for one in noise.values())
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title_justify="left")
    table.title = f"the judge's own noise: asked {times + 1} times"
    table.add_column("metric")
    for column in ("cases", "lost", "verdicts", "flipped", "their mean", "mean ±"):
        table.add_column(column, justify="right")
    for name, one in noise.items():
        counts = (str(one.cases), str(one.lost), str(one.claims))
        table.add_row(name, *counts, _flipped(one), number(one.mean), number(one.deviation))
    console.print(table)
    console.print(
        Text(
            "flipped: share of verdicts with another label than the first time, exact 95 % interval that counts cases, "
            "not claims; their mean: of these cases, over all replies; mean ±: standard deviation of the mean over "
            "repeats of all questions",
            style="dim",
        )
    )


def _flipped(noise: JudgeNoise) -> str:
    if noise.flip_rate is None:
        return "–"
    return f"{number(noise.flip_rate)} {span(noise.low, noise.high)}"


def _cell(summary: MetricSummary) -> str:
    return f"{number(summary.mean)} ({summary.scored})\n{span(summary.low, summary.high)}"
