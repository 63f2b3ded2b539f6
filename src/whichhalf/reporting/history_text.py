"""Past runs on the terminal: a table with a trend, broken where runs may not be compared."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from whichhalf.reporting.terminal_text import number, plain
from whichhalf.running.history import PastRun, Point, differences

_BARS = "▁▂▃▄▅▆▇█"
_STYLES = {"green": "green", "red": "red", "incomplete": "yellow", "run": "dim"}


def print_trend(console: Console, metric: str, points: Sequence[Point]) -> None:
    """One row a run, oldest first; a line where the series breaks, with what changed."""
    console.print()
    console.print(Text(plain(metric), style="bold"), Text(sparkline(points)), sep="  ")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("run", overflow="fold", min_width=24)
    table.add_column("verdict")
    for heading in ("mean", "95 % interval", "scored", "failed"):
        table.add_column(heading, justify="right")
    for point in points:
        if point.breaks:
            table.add_row(Text(f"— new line: {', '.join(point.breaks)} changed", style="yellow"))
        spread = "–" if point.low is None else f"{number(point.low)} to {number(point.high)}"
        numbers = (number(point.mean), spread, str(point.scored), str(point.failed))
        table.add_row(plain(point.run.folder), _verdict(point.run), *numbers)
    console.print(table)


def print_runs(console: Console, runs: Sequence[PastRun]) -> None:
    """One row a run, oldest first."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("run", overflow="fold", min_width=24)
    table.add_column("verdict")
    for heading in ("judge calls", "price"):
        table.add_column(heading, justify="right")
    table.add_column("changed since the run before")
    before: PastRun | None = None
    for run in runs:
        changed = differences(before.lineage, run.lineage) if before else ()
        price = "–" if run.usd is None else f"{run.usd:.4f} USD"
        table.add_row(plain(run.folder), _verdict(run), str(run.judge_calls), price, ", ".join(changed) or "–")
        before = run
    console.print(table)


def sparkline(points: Sequence[Point]) -> str:
    """One bar a run on the scale 0 to 1, a dot where there is no mean, a border where the series breaks."""
    drawn = []
    for point in points:
        border = "|" if point.breaks else ""
        bar = "·" if point.mean is None else _BARS[min(int(point.mean * len(_BARS)), len(_BARS) - 1)]
        drawn.append(border + bar)
    return "".join(drawn)


def _verdict(run: PastRun) -> Text:
    return Text(run.verdict, style=_STYLES.get(run.verdict, ""))
