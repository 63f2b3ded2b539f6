"""A run for machines: strict JSON, the numbers of summary.json, what was newly spent, the labels of triage.jsonl."""

from pathlib import Path
from typing import Any

from whichhalf.core.run import Run
from whichhalf.reporting.strict_json import strict_json
from whichhalf.triage.flagged import count_halves
from whichhalf.triage.label_flagged import Triage


def run_as_json(run: Run, folder: Path, triage: Triage | None) -> str:
    """One JSON object."""
    labels = {} if triage is None else {"triage": triage_facts(triage)}
    return strict_json({**run_facts(run, folder), **labels})


def run_facts(run: Run, folder: Path) -> dict[str, Any]:
    """What that object says of the run itself."""
    return {
        "run": str(folder),
        "questions": len(run.results),
        "metrics": {name: summary.model_dump(mode="json") for name, summary in run.metrics.items()},
        "slices": {
            tag: {
                value: {name: one.model_dump(mode="json") for name, one in row.items()} for value, row in rows.items()
            }
            for tag, rows in run.slices.items()
        },
        "curves": {stage: curve.model_dump() for stage, curve in run.curves.items()},
        "judge_noise": {name: one.model_dump(mode="json") for name, one in run.noise.items()},
        "judge": run.manifest.judge,
        "notices": run.manifest.notices,
        "cost": {**run.replies_cost.model_dump(mode="json"), "seconds": run.replies_seconds},
        "spent": run.cost.model_dump(mode="json"),
    }


def triage_facts(triage: Triage) -> dict[str, Any]:
    """Counts by half, every label with its evidence, flagged ids the run does not know, and notices."""
    answers = [
        {
            **answer.flag.model_dump(),
            "others": [one.model_dump() for one in answer.others],
            **answer.diagnosis.model_dump(mode="json"),
        }
        for answer in triage.answers
    ]
    disputed = [answer.flag.id for answer in triage.answers if answer.is_disputed]
    return {
        **count_halves(triage.answers),
        "answers": answers,
        "unknown": list(triage.unknown),
        "disputed": disputed,
        "notices": list(triage.notices),
    }
