"""A night for machines: what the run says, and what the night says of it."""

import json
from pathlib import Path

from whichhalf.core.run import Run
from whichhalf.reporting.run_json import run_as_json
from whichhalf.running.night import Night


def night_as_json(night: Night, run: Run, folder: Path) -> str:
    """One JSON object: that of `run --json` with `night` added."""
    facts = json.loads(run_as_json(run, folder, None))
    return json.dumps({**facts, "night": night.model_dump(mode="json")}, ensure_ascii=False, allow_nan=False, indent=2)
