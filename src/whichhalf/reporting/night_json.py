"""A night for machines: what the run says, and what the night says of it."""

from pathlib import Path

from whichhalf.core.run import Run
from whichhalf.reporting.run_json import run_facts
from whichhalf.reporting.strict_json import strict_json
from whichhalf.running.night import Night, night_cost


def night_as_json(night: Night, run: Run, folder: Path) -> str:
    """One JSON object: that of `run --json` with `night` added; what was spent is that of the whole night."""
    spent = night_cost(run.cost, night.canary).model_dump(mode="json")
    return strict_json({**run_facts(run, folder), "spent": spent, "night": night.model_dump(mode="json")})
