"""The main job: a config in, a run folder and the labels of the flagged answers out."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from whichhalf.core.case import Passage
from whichhalf.core.run import Run
from whichhalf.datasets.columns import check_columns
from whichhalf.datasets.corpus import load_corpus
from whichhalf.datasets.golden import GoldenSet, load_golden
from whichhalf.datasets.outputs import Outputs, load_outputs
from whichhalf.datasets.rows import GoldenRow, OutputRow
from whichhalf.errors import Fault, InputError
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judging.reply_store import ReplyStore, read_recorded
from whichhalf.judging.seam import Judge
from whichhalf.judging.stack import RECORDED, build_judge
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.retrieval.family import Conventions
from whichhalf.running.config import Config, TriageSettings
from whichhalf.running.evaluate import Progress, evaluate, prepare
from whichhalf.running.run_folder import add_triage, read_run, write_run
from whichhalf.triage.flagged import Flags, read_flags
from whichhalf.triage.label_flagged import Triage, label_flagged


@dataclass(frozen=True, slots=True)
class Finished:
    """What a run left behind."""

    run: Run
    folder: Path
    triage: Triage | None

    def below_floor(self, floor: float) -> list[str]:
        """Metrics whose coverage is under the floor; one with nothing definable is not."""
        return [name for name, one in self.run.metrics.items() if one.coverage is not None and one.coverage < floor]


@dataclass(frozen=True, slots=True)
class _Inputs:
    golden: GoldenSet
    outputs: Outputs
    corpus: dict[str, Passage] | None
    flags: Flags | None


def run_evaluation(
    config: Config,
    name: str,
    *,
    limit: int | None = None,
    replay_only: bool = False,
    progress: Progress | None = None,
) -> Finished:
    """Evaluate, label the flagged answers where the config names flags, and write the run folder.

    `name` begins the folder's name. Raises InputError before anything is asked, JudgeUnusable when the judge cannot
    be used; replies had until then are in the cache.
    """
    inputs = _read(config)
    run = evaluate(
        inputs.golden,
        inputs.outputs,
        config.metric_names,
        judge=_judge(config, replay_only),
        corpus=inputs.corpus,
        stage=config.metrics.stage,
        conventions=_conventions(config),
        options=_options(config),
        prompts=PromptSet(config.prompts.versions, config.prompts.dir),
        max_prompt_tokens=config.judge.max_prompt_tokens,
        concurrency=config.judge.concurrency,
        limit=limit,
        seed=config.data.seed,
        progress=progress,
        config=config.model_dump(mode="json"),
    )
    triage = _label(run, inputs.flags, config.triage) if inputs.flags else None
    folder = _new_folder(config.run.out, name)
    write_run(run, folder, triage.answers if triage else None)
    return Finished(run, folder, triage)


def check_evaluation(config: Config) -> list[str]:
    """What a run would do, in lines for a person. Nothing is asked; raises InputError listing every fault."""
    inputs = _read(config)
    tables = ClaimTables(_judge(config, replay_only=True), PromptSet(config.prompts.versions, config.prompts.dir))
    prepared = prepare(
        inputs.golden,
        inputs.outputs,
        config.metric_names,
        tables,
        corpus=inputs.corpus,
        stage=config.metrics.stage,
        conventions=_conventions(config),
        options=_options(config),
    )
    answered = sum(case.has_output for case in prepared.cases)
    return [
        f"{len(prepared.cases)} questions, {answered} with an output; nothing wrong was found, nothing was asked",
        *(f"metric {metric.card.name}: {metric.card.contract}" for metric in prepared.metrics),
        *(f"note: {notice}" for notice in prepared.notices),
    ]


def triage_run(folder: Path, flags_path: Path, overrides: dict[str, object]) -> Triage:
    """Label the flagged answers of a finished run and write them into its folder.

    The rule and its settings are those of the run's config, unless overridden.
    """
    run = read_run(folder)
    kept = run.manifest.config.get("triage", {})
    settings = TriageSettings.model_validate({**(kept if isinstance(kept, dict) else {}), **overrides})
    triage = _label(run, read_flags(flags_path), settings)
    add_triage(folder, run, triage.answers)
    return triage


def _read(config: Config) -> _Inputs:
    """Every fault of every file, in one error."""
    data = config.data
    faults: list[Fault] = []
    check_columns(data.columns, {*GoldenRow.model_fields, *OutputRow.model_fields})
    results: list[object] = []
    for read in (
        lambda: load_golden(data.golden, data.columns),
        lambda: load_outputs(data.outputs, data.columns),
        lambda: load_corpus(data.corpus) if data.corpus else None,
        lambda: read_flags(config.triage.flags) if config.triage.flags else None,
    ):
        try:
            results.append(read())
        except InputError as error:
            faults += error.faults
    if faults:
        raise InputError(faults)
    return _Inputs(*results)  # type: ignore[arg-type]


def _judge(config: Config, replay_only: bool) -> Judge:
    settings = config.judge
    recorded = read_recorded(settings.replies) if settings.replies else None
    kept = settings.model != "offline" and not settings.model.startswith(RECORDED)
    store = ReplyStore(config.run.cache) if kept and config.metrics.judged else None
    return build_judge(settings, store=store, recorded=recorded, replay_only=replay_only)


def _conventions(config: Config) -> Conventions:
    return Conventions(config.metrics.relevance_threshold, config.metrics.duplicates)


def _options(config: Config) -> dict[str, str]:
    return {"gain": config.metrics.gain, "no_claims": config.metrics.no_claims}


def _label(run: Run, flags: Flags, settings: TriageSettings) -> Triage:
    return label_flagged(run, flags, rule=settings.rule, k=settings.k, faithfulness_floor=settings.faithfulness_floor)


def _new_folder(out: Path, name: str) -> Path:
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S")
    folder = out / f"{name}-{stamp}"
    number = 2
    while folder.exists():
        folder = out / f"{name}-{stamp}-{number}"
        number += 1
    return folder
