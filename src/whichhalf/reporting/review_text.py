"""The expert's verdicts beside the labels, on the terminal and as JSON."""

from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from whichhalf.reporting.terminal_text import number, plain
from whichhalf.statistics.agreement import Estimate
from whichhalf.triage.expert_verdicts import Review


def print_review(console: Console, review: Review) -> None:
    """Agreement with its interval, the confusion table, and every overturned label."""
    found = review.agreement
    console.print()
    console.print(Text(f"Labels and expert on {found.n} answers", style="bold"))
    console.print(Text(f"  same half {_estimate(found.observed)}"))
    console.print(Text(f"  kappa     {_estimate(found.kappa)}"))
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("label \\ expert")
    for said in found.table:
        table.add_column(said, justify="right")
    for label, row in found.table.items():
        table.add_row(label, *(str(count) for count in row.values()))
    console.print(table)
    for answer, verdict in review.overturned:
        note = f": {plain(verdict.expert_note)}" if verdict.expert_note else ""
        label = f"{answer.diagnosis.half} ({answer.diagnosis.reason})"
        console.print(Text(f"Overturned: {plain(answer.flag.id)}, {label} → {verdict.expert_half}{note}"))
    if review.unread:
        console.print(Text(f"Without a verdict: {review.unread}", style="dim"))
    if review.unknown:
        console.print(Text(f"With a verdict, but not labelled: {plain(', '.join(review.unknown))}", style="red"))


def review_facts(review: Review) -> dict[str, Any]:
    """One JSON object."""
    return {
        "agreement": review.agreement.model_dump(mode="json"),
        "overturned": [
            {"id": one.id, "half": answer.diagnosis.half, "reason": answer.diagnosis.reason, **one.model_dump()}
            for answer, one in review.overturned
        ],
        "unread": review.unread,
        "unknown": list(review.unknown),
    }


def _estimate(value: Estimate | None) -> str:
    if value is None:
        return "– (one and the same label throughout)"
    return f"{number(value.value)} ({value.level:.0%} interval {number(value.low)} to {number(value.high)})"
