"""Triage: label what experts marked wrong, in a finished run or in a run made for it."""

from dataclasses import replace
from pathlib import Path

from whichhalf.core.case import Passage
from whichhalf.core.run import Run
from whichhalf.datasets.corpus import load_corpus
from whichhalf.errors import InputError
from whichhalf.jobs.evaluation import Finished, run_evaluation
from whichhalf.jobs.labelling import label_run
from whichhalf.running.config import Config, TriageSettings
from whichhalf.running.run_folder import add_triage, read_run
from whichhalf.running.score_cases import Progress
from whichhalf.running.writable import check_writable
from whichhalf.triage.flagged import Flags, read_flags
from whichhalf.triage.label_flagged import Triage

_ONE_REPLY = (
    "The run's config asks for {} replies to whatever a label rests on, and no judge is asked here: these labels rest "
    "on one. For more: whichhalf triage CONFIG.toml"
)


def settings_of(run: Run, overrides: dict[str, object]) -> TriageSettings:
    """The triage settings of the run's config, unless overridden; those of a newer version are passed over."""
    kept = run.manifest.config.get("triage")
    known = {key: kept[key] for key in TriageSettings.model_fields if key in kept} if isinstance(kept, dict) else {}
    return TriageSettings.model_validate({**known, **overrides})


def triage_run(folder: Path, overrides: dict[str, object]) -> Triage:
    """Label the flagged answers of a finished run and write them into its folder. No judge is asked.

    Rule, flags and the other settings are those of the run's config, unless overridden. A notice says so where that
    config asks for repeats.
    """
    run = read_run(folder)
    check_writable(folder)
    settings = settings_of(run, overrides)
    triage = label_run(run, _flags(settings), settings, _corpus_of(run))
    add_triage(folder, run, triage.answers)
    return triage if settings.repeats == 1 else replace(triage, notices=(_ONE_REPLY.format(settings.repeats),))


def triage_config(
    config: Config,
    name: str,
    overrides: dict[str, object],
    *,
    replay_only: bool = False,
    progress: Progress | None = None,
) -> Finished:
    """Score the flagged cases alone, under the metrics that triage reads, and label them."""
    settings = TriageSettings.model_validate({**config.triage.model_dump(), **overrides})
    metrics = config.metrics.model_copy(update={"retrieval": [], "judged": list(settings.metrics), "slices": []})
    config = config.model_copy(update={"triage": settings, "metrics": metrics})
    wrong = {flag.id for flag in _flags(settings).wrong}
    return run_evaluation(config, f"{name}-triage", only=wrong, replay_only=replay_only, progress=progress)


def _flags(settings: TriageSettings) -> Flags:
    if settings.flags is None:
        raise InputError("nothing is flagged: give --flags, or [triage] flags in the config")
    return read_flags(settings.flags, settings.columns)


def _corpus_of(run: Run) -> dict[str, Passage] | None:
    """The corpus that the run's config names; None where it names none, or it is no longer there."""
    data = run.manifest.config.get("data")
    path = data.get("corpus") if isinstance(data, dict) else None
    return load_corpus(path) if isinstance(path, str) and Path(path).exists() else None
