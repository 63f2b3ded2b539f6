"""What was added to a golden set, on the terminal and as JSON."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from whichhalf.reporting.terminal_text import plain
from whichhalf.triage.growing import TAG, Growth


def print_growth(console: Console, growth: Growth, file: Path | None, header: Mapping[str, str]) -> None:
    """Every id, under what became of it. `file` is None where nothing was written."""
    if file is None:
        lines = ["No new golden set: nothing was confirmed that is not there already"]
    else:
        lines = [f"{file}: {header['golden_set']}, version {header['version']}, {len(growth.questions)} questions"]
    for what, ids in (
        ("Added", growth.added),
        (f"Were there, now marked {TAG}", growth.marked),
        ("Were there and marked before", growth.present),
    ):
        if ids:
            lines.append(f"  {what}: {', '.join(ids)}")
    for reason in dict.fromkeys(growth.skipped.values()):
        ids = tuple(one for one, why in growth.skipped.items() if why == reason)
        lines.append(f"  Left out, {reason}: {', '.join(ids)}")
    console.print()
    for line in lines:
        console.print(plain(line), soft_wrap=True)


def growth_facts(growth: Growth, file: Path | None, header: Mapping[str, str]) -> dict[str, Any]:
    """One JSON object."""
    return {
        "file": None if file is None else str(file),
        "header": None if file is None else dict(header),
        "added": list(growth.added),
        "marked": list(growth.marked),
        "present": list(growth.present),
        "skipped": dict(growth.skipped),
    }
