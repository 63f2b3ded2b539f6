"""Outputs that are recorded from the assistant for a run, before it is scored."""

from dataclasses import replace
from pathlib import Path

from whichhalf.jobs.inputs import Inputs
from whichhalf.reporting.run_words import counts_in_words
from whichhalf.running.ask_assistant import Answered
from whichhalf.running.config import Config
from whichhalf.running.run_folder import write_text

OUTPUTS = "outputs.jsonl"
"""In a run folder: what the assistant said, where it was asked for this run."""


def live_file(config: Config, name: str) -> Path:
    """Where a run of that name records outputs until it is finished: beside the run folders."""
    return config.run.out / f"{name}-live.jsonl"


def keep_outputs(config: Config, name: str, folder: Path) -> None:
    """Have the next run of that name score the outputs of this run folder, which was not finished, again."""
    outputs = folder / OUTPUTS
    if outputs.exists():
        write_text(live_file(config, name), outputs.read_text(encoding="utf-8"))


def with_outputs(config: Config, outputs: Path | None) -> Config:
    return config.model_copy(update={"data": config.data.model_copy(update={"outputs": outputs})})


def as_recorded(inputs: Inputs, recorded: Answered) -> Inputs:
    """The questions that were asked, and notices of who was asked and what failed."""
    ids = {row.id for row in recorded.rows}
    golden = inputs.golden
    questions = tuple(one for one in golden.questions if one.id in ids)
    notices = [
        *golden.notices,
        *recorded.notices,
        f"outputs recorded from {recorded.identity.in_words}: {recorded.asked} asked now, "
        f"{recorded.questions - recorded.asked} kept from a run that was not finished",
    ]
    failed = next((row for row in recorded.rows if row.error is not None), None)
    if failed is not None:
        counts = counts_in_words(recorded.failures)
        notices.append(f"questions the assistant failed on: {counts}; first {failed.id}: {failed.error}")
    if len(questions) < len(golden.questions):
        notices.append(f"a sample of {len(questions)} of {len(golden.questions)} questions")
    asked = replace(golden, questions=questions, notices=tuple(dict.fromkeys(notices)))
    rows = {one: row for one, row in inputs.outputs.rows.items() if one in ids}
    return replace(inputs, golden=asked, outputs=replace(inputs.outputs, rows=rows))
