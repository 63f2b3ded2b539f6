"""A night on the terminal: the verdict first, then the sentence of every gate."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from whichhalf.reporting.terminal_text import plain
from whichhalf.running.gate import GateWord
from whichhalf.running.night import Night

_MARKS: dict[GateWord, tuple[str, str]] = {
    "passed": ("passed", "green"),
    "failed": ("FAILED", "bold red"),
    "incomplete": ("incomplete", "yellow"),
    "not_compared": ("not compared", "dim"),
}
_STYLES = {"green": "bold green", "red": "bold red", "incomplete": "bold yellow"}


def print_night(console: Console, night: Night) -> None:
    """Verdict, gates, canary and the night that drops are measured against."""
    console.print()
    console.print(Text(plain(night.headline), style=_STYLES[night.verdict]))
    console.print()
    table = Table.grid(padding=(0, 1))
    for one in night.gates:
        mark, style = _MARKS[one.verdict]
        table.add_row(Text(f"  {mark:<12}", style=style), Text(plain(one.sentence)))
    if night.canary is not None:
        style = "dim" if night.canary.word == "passed" else _MARKS[night.canary.word][1]
        table.add_row(Text("  canary", style=style), Text(plain(night.canary.sentence)))
    console.print(table)
    asked = f"; judge calls for the canary: {night.canary.cost.judge_calls}" if night.canary is not None else ""
    console.print(
        Text(f"  baseline: {plain(night.baseline)}; the night took {night.seconds:.0f} s{asked}", style="dim")
    )
