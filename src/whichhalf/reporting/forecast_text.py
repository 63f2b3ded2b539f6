"""A forecast on the terminal."""

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from whichhalf.core.forecast import Forecast
from whichhalf.reporting.terminal_text import plain


def print_forecast(console: Console, forecast: Forecast, title: str) -> None:
    """What each prompt would ask, the sums, and what they rest on."""
    console.print()
    judge = f"judge {plain(forecast.judge)}"
    console.print(Text(plain(title), style="bold"), Text(f"{forecast.questions} questions"), Text(judge), sep=" · ")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("prompt")
    for heading in ("asked", "kept", "calls", "prompt tokens", "reply tokens", "USD"):
        table.add_column(heading, justify="right")
    for row in (*forecast.prompts, None):
        one = row or forecast
        table.add_row(
            Text(plain(row.prompt) if row else "together"),
            str(row.questions if row else sum(row.questions for row in forecast.prompts)),
            str(one.kept),
            str(one.calls),
            *((f"≈ {one.prompt_tokens:,}", f"≈ {one.completion_tokens:,}") if one.calls else ("–", "–")),
            "–" if not one.calls else "unknown" if one.usd is None else f"≈ {one.usd:.4f}",
        )
    console.print(table)
    for notice in forecast.notices:
        console.print(Text(f"• {plain(notice)}"))
    console.print(Text("Nothing was asked and nothing was written.", style="bold"))
    if forecast.calls:
        console.print(
            "Where no reply is kept, the offline baseline's own stands in for it: real replies may be longer, split\n"
            "answers otherwise, or need asking again. 4 bytes count as a token."
        )
