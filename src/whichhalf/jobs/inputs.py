"""What a config names, read and checked before anything is asked."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

from whichhalf.catalogue import Choices, build_metric
from whichhalf.core.case import Passage
from whichhalf.datasets.cases import keep_questions, keep_split
from whichhalf.datasets.columns import check_columns
from whichhalf.datasets.corpus import load_corpus
from whichhalf.datasets.golden import GoldenSet, load_golden
from whichhalf.datasets.outputs import Outputs, load_outputs
from whichhalf.datasets.rows import GoldenRow, OutputRow
from whichhalf.errors import Fault, InputError
from whichhalf.jobs.assistant_name import assistant_named
from whichhalf.jobs.opening import check_prices, keeps_replies, open_embedder, open_judge
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judging.embedding import Embedder
from whichhalf.judging.offline import OfflineJudge
from whichhalf.judging.seam import Judge
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.retrieval.family import Conventions
from whichhalf.running.check_inputs import check_slices
from whichhalf.running.config import Config, DataSettings
from whichhalf.running.evaluate import Prepared, prepare
from whichhalf.running.recorded_outputs import is_recorded
from whichhalf.running.writable import check_writable
from whichhalf.triage.flagged import Flags, read_flags

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Inputs:
    golden: GoldenSet
    outputs: Outputs
    asked: frozenset[str]
    """Ids of all questions, also of those that are not to be scored."""
    corpus: dict[str, Passage] | None
    flags: Flags | None
    prompts: PromptSet
    check_judge: Judge
    """With the identity of the judge to be asked; it has no cache and calls nobody."""
    check_embedder: Embedder
    """Likewise."""


def read_inputs(
    config: Config, only: Collection[str] | None = None, *, asks: bool = True, writes: bool = True
) -> Inputs:
    """Every fault of every file, name and setting, in one error.

    Keys, prices and the cache count only where it `asks`, the folder of runs where it `writes`.
    """
    data = config.data
    tables = ClaimTables(OfflineJudge(), PromptSet())
    faults: list[Fault] = []

    def collect(read: Callable[[], T]) -> T | None:
        try:
            return read()
        except InputError as error:
            faults.extend(error.faults)
            return None

    collect(lambda: check_columns(data.columns, {*GoldenRow.model_fields, *OutputRow.model_fields}))
    golden = collect(lambda: load_golden(data.golden, data.columns))
    outputs = collect(lambda: _read_outputs(data))
    corpus = collect(lambda: load_corpus(data.corpus) if data.corpus else None)
    flags = collect(lambda: read_flags(config.triage.flags, config.triage.columns) if config.triage.flags else None)
    prompts = collect(lambda: PromptSet(config.prompts.versions, config.prompts.dir))
    for name in config.metric_names:
        collect(lambda name=name: build_metric(name, Choices(), tables))  # type: ignore[misc]
    if golden is not None:
        questions = golden.questions
        collect(lambda: check_slices(questions, config.metrics.slices))
    judge = collect(lambda: open_judge(config, replay_only=not asks))
    embedder = collect(lambda: open_embedder(config, replay_only=not asks))
    collect(lambda: check_prices(config) if asks else None)
    if config.assistant.kind is not None:
        collect(lambda: assistant_named(config))
    collect(lambda: check_writable(config.run.out, "[run] out") if writes else None)
    collect(lambda: check_writable(config.run.cache, "[run] cache") if asks and keeps_replies(config) else None)
    if faults or golden is None or outputs is None or prompts is None or judge is None or embedder is None:
        raise InputError(list(dict.fromkeys(faults)))
    golden, outputs = keep_split(golden, outputs, data.split)
    asked = frozenset(question.id for question in golden.questions)
    if only is not None and asked & set(only):
        golden, outputs = keep_questions(golden, outputs, only, "only flagged answers are scored")
    return Inputs(golden, outputs, asked, corpus, flags, prompts, judge, embedder)


def prepare_inputs(config: Config, inputs: Inputs, limit: int | None = None) -> Prepared:
    """Join and check; nothing is asked and nothing is written. Raises InputError."""
    flagged = [flag.id for flag in inputs.flags.wrong] if inputs.flags else []
    asked = [question.id for question in inputs.golden.questions]
    if flagged and not set(flagged) & set(asked):
        message = f"no flagged id is a question: flags have {flagged[0]!r}, the golden set {asked[0]!r}"
        raise InputError(Fault(message, str(config.triage.flags)))
    return prepare(
        inputs.golden,
        inputs.outputs,
        config.metric_names,
        ClaimTables(inputs.check_judge, inputs.prompts, embedder=inputs.check_embedder),
        corpus=inputs.corpus,
        stage=config.metrics.stage,
        conventions=_conventions(config),
        options=_options(config),
        limit=limit,
        seed=config.data.seed,
    )


def _read_outputs(data: DataSettings) -> Outputs:
    """Empty where they are still to be recorded."""
    if data.outputs is None:
        return Outputs({})
    return load_outputs(data.outputs, {} if is_recorded(data.outputs) else data.columns)


def _conventions(config: Config) -> Conventions:
    settings = config.metrics
    return Conventions(
        settings.relevance_threshold,
        settings.duplicates,
        settings.unjudged,
        settings.missing,
        settings.near_duplicates,
        settings.unit,
    )


def _options(config: Config) -> dict[str, str]:
    metrics = config.metrics
    return {"gain": metrics.gain, "no_claims": metrics.no_claims, "questions": str(metrics.relevance_questions)}
