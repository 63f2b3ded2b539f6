"""The main job: a config in, a run folder and the labels of the flagged answers out."""

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TypeVar

from whichhalf.catalogue import Choices, beside_ndcg, build_metric, is_judged
from whichhalf.core.case import Passage
from whichhalf.core.metric import MetricName
from whichhalf.core.outcome import Failed
from whichhalf.core.run import Run
from whichhalf.datasets.cases import keep_questions, keep_split
from whichhalf.datasets.columns import check_columns
from whichhalf.datasets.corpus import load_corpus
from whichhalf.datasets.golden import GoldenSet, load_golden
from whichhalf.datasets.outputs import Outputs, load_outputs
from whichhalf.datasets.rows import GoldenRow, OutputRow
from whichhalf.errors import BudgetSpent, Fault, InputError
from whichhalf.jobs.answering import assistant_named, record_outputs
from whichhalf.jobs.labelling import label_with_repeats
from whichhalf.judged.answer_relevance import ANSWER_RELEVANCE
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judging.embedding import Embedder
from whichhalf.judging.offline import OfflineJudge
from whichhalf.judging.prices import price_of
from whichhalf.judging.recorded_replies import read_recorded
from whichhalf.judging.reply_store import ReplyStore
from whichhalf.judging.seam import Judge
from whichhalf.judging.settings import EmbeddingSettings, JudgeSettings
from whichhalf.judging.stack import build_embedder, build_estimators, build_judge, is_free
from whichhalf.judging.traffic import Traffic
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.reporting.answer_text import assistant_in_words
from whichhalf.retrieval.family import Conventions
from whichhalf.retrieval.quote_index import UnresolvedQuote, unresolved_quotes
from whichhalf.running.ask_assistant import Answered
from whichhalf.running.config import Config, DataSettings
from whichhalf.running.evaluate import Prepared, prepare, score_prepared
from whichhalf.running.hygiene import golden_set_faults
from whichhalf.running.recorded_outputs import is_recorded
from whichhalf.running.run_folder import write_run
from whichhalf.running.score_cases import Progress
from whichhalf.triage.flagged import Flags, read_flags
from whichhalf.triage.label_flagged import Triage

T = TypeVar("T")

OUTPUTS = "outputs.jsonl"
"""In a run folder: what the assistant said, where it was asked for this run."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What a run left behind."""

    run: Run
    folder: Path
    triage: Triage | None

    @property
    def unpaid(self) -> int:
        """Questions that lack an outcome because the budget was spent."""
        outcomes = [result.outcomes.values() for result in self.run.results]
        return sum(any(isinstance(one, Failed) and one.error == BudgetSpent.reason for one in row) for row in outcomes)

    def below_floor(self, floor: float) -> list[str]:
        """Metrics whose coverage is under the floor; one with nothing definable is not."""
        return [name for name, one in self.run.metrics.items() if one.coverage is not None and one.coverage < floor]


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


def run_evaluation(
    config: Config,
    name: str,
    *,
    limit: int | None = None,
    only: Collection[str] | None = None,
    replay_only: bool = False,
    live: bool = False,
    progress: Progress | None = None,
) -> Finished:
    """Evaluate, label the flagged answers where the config names flags, and write the run folder.

    `only` names the questions to be scored; by default all are. `name` begins the folder's name. With `live`, or
    without outputs in the config, the assistant is asked first: its outputs are recorded beside the run folders, and
    moved into this run's folder at the end.

    Raises InputError before anything is asked, JudgeUnusable when the judge or the assistant cannot be used; replies
    had until then are kept.
    """
    recorded = None
    if live or config.data.outputs is None:
        if only is not None or replay_only:
            raise InputError("the outputs are to be recorded from the assistant now: name a file of old ones instead")
        read_inputs(_with_outputs(config, None))
        recorded = record_outputs(config, name, limit=limit, progress=progress)
        config, limit = _with_outputs(config, recorded.file), None
    try:
        inputs = read_inputs(config, only, asks=not replay_only)
        scored = _as_recorded(inputs, recorded) if recorded is not None else inputs
        prepared = prepare_inputs(config, scored, limit)  # what cannot work is found before the reply cache is opened
    except InputError as error:
        if recorded is None:
            raise
        kept = "the outputs recorded for this run are kept here; delete the file to ask the assistant anew"
        raise InputError([*error.faults, Fault(kept, str(recorded.file))]) from error
    store = open_store(config)
    traffic = Traffic.of(config.judge, config.run.deadline_minutes)
    try:
        judge = open_judge(config, replay_only, store, traffic)
        embedder = _embedder(config, replay_only, store, traffic)
        run = score_prepared(
            prepared,
            judge,
            embedder,
            inputs.prompts,
            max_prompt_tokens=config.judge.max_prompt_tokens,
            workers=traffic.workers,
            traffic=traffic,
            estimators=estimators(config, store),
            slices=config.metrics.slices,
            seed=config.data.seed,
            repeats=config.judge.repeats,
            repeat_share=config.judge.repeat_share,
            progress=progress,
            config=config.model_dump(mode="json"),
        )
        run, triage = _label(run, inputs, config, judge, embedder)
    finally:
        if store is not None:
            store.close()
    folder = _write_new(run, config.run.out, name, triage)
    if recorded is not None:
        recorded.file.replace(folder / OUTPUTS)
    return Finished(run, folder, triage)


def check_evaluation(config: Config) -> list[str]:
    """What a run would do, in lines for a person. Nothing is asked; raises InputError listing every fault."""
    inputs = read_inputs(config)
    if config.data.outputs is None:
        count = len(inputs.golden.questions)
        return [f"{count} questions, to be asked of {assistant_named(config)} first; ready to run, nothing was asked"]
    prepared = prepare_inputs(config, inputs)
    answered = sum(case.has_output for case in prepared.cases)
    return [
        f"{len(prepared.cases)} questions, {answered} with an output; ready to run, nothing was asked",
        *(f"metric {metric.card.name}: {metric.card.contract}" for metric in prepared.metrics),
        *(f"note: {notice}" for notice in prepared.notices),
        *(f"look at: {fault}" for fault in golden_set_faults(prepared.cases, prepared.metrics, inputs.corpus)),
        *(f"look at: {quote}" for quote in _unresolved(inputs)),
    ]


def metrics_of(config: Config) -> tuple[list[str], dict[str, set[str]]]:
    """Full names of the metrics that a run of this config would have, and the values of every tag of its questions.

    Nothing is asked; raises InputError listing every fault.
    """
    inputs = read_inputs(config)
    tags: dict[str, set[str]] = {}
    for question in inputs.golden.questions:
        for tag, value in question.tags.items():
            tags.setdefault(tag, set()).add(value)
    if config.data.outputs is None:  # the assistant is asked first: which stage it logs is not known yet
        return beside_ndcg(config.metric_names), tags
    return [str(metric.card.name) for metric in prepare_inputs(config, inputs).metrics], tags


def _unresolved(inputs: Inputs) -> list[UnresolvedQuote]:
    return [] if inputs.corpus is None else unresolved_quotes(inputs.golden.questions, inputs.corpus)


def read_inputs(config: Config, only: Collection[str] | None = None, *, asks: bool = True) -> Inputs:
    """Every fault of every file, name and setting, in one error. Keys and prices count only where it `asks`."""
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
    judge = collect(lambda: open_judge(config, replay_only=not asks))
    embedder = collect(lambda: _embedder(config, replay_only=not asks))
    collect(lambda: _check_prices(config) if asks else None)
    if config.assistant.kind is not None:
        collect(lambda: assistant_named(config))
    collect(lambda: _check_writable(config.run.out))
    if faults or golden is None or outputs is None or prompts is None or judge is None or embedder is None:
        raise InputError(list(dict.fromkeys(faults)))
    golden, outputs = keep_split(golden, outputs, data.split)
    asked = frozenset(question.id for question in golden.questions)
    if only is not None and asked & set(only):
        golden, outputs = keep_questions(golden, outputs, only, "only flagged answers are scored")
    return Inputs(golden, outputs, asked, corpus, flags, prompts, judge, embedder)


def _read_outputs(data: DataSettings) -> Outputs:
    """Empty where they are still to be recorded."""
    if data.outputs is None:
        return Outputs({})
    return load_outputs(data.outputs, {} if is_recorded(data.outputs) else data.columns)


def _with_outputs(config: Config, outputs: Path | None) -> Config:
    return config.model_copy(update={"data": config.data.model_copy(update={"outputs": outputs})})


def _as_recorded(inputs: Inputs, recorded: Answered) -> Inputs:
    """The questions that were asked, and notices of who was asked and what failed."""
    ids = {row.id for row in recorded.rows}
    golden = inputs.golden
    questions = tuple(one for one in golden.questions if one.id in ids)
    notices = [
        *golden.notices,
        *recorded.notices,
        f"outputs recorded from {assistant_in_words(recorded.identity)}: {recorded.asked} asked now, "
        f"{recorded.questions - recorded.asked} kept from a run that was stopped",
    ]
    failed = next((row for row in recorded.rows if row.error is not None), None)
    if failed is not None:
        counts = ", ".join(f"{count} {reason}" for reason, count in recorded.failures.items())
        notices.append(f"questions the assistant failed on: {counts}; first {failed.id}: {failed.error}")
    if len(questions) < len(golden.questions):
        notices.append(f"a sample of {len(questions)} of {len(golden.questions)} questions")
    asked = replace(golden, questions=questions, notices=tuple(dict.fromkeys(notices)))
    rows = {one: row for one, row in inputs.outputs.rows.items() if one in ids}
    return replace(inputs, golden=asked, outputs=replace(inputs.outputs, rows=rows))


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


def open_judge(
    config: Config, replay_only: bool, store: ReplyStore | None = None, traffic: Traffic | None = None
) -> Judge:
    """The judge of a config. Raises InputError when its key or its replies are missing."""
    settings = config.judge
    if not _asks_a_judge(config):
        return OfflineJudge()  # it will not be asked: no key is needed
    recorded = read_recorded(settings.replies) if settings.replies else None
    return build_judge(settings, store=store, recorded=recorded, replay_only=replay_only, traffic=traffic)


def _embedder(
    config: Config, replay_only: bool, store: ReplyStore | None = None, traffic: Traffic | None = None
) -> Embedder:
    if not _embeds(config):
        return build_embedder(EmbeddingSettings())  # it will not be asked: no key is needed
    recorded = read_recorded(config.judge.replies) if config.judge.replies else None
    return build_embedder(config.embedding, store=store, recorded=recorded, replay_only=replay_only, traffic=traffic)


def estimators(config: Config, store: ReplyStore | None) -> tuple[Judge, Embedder]:
    """What tells, without asking anybody, what asking would take."""
    settings = config.judge if _asks_a_judge(config) else JudgeSettings()
    recorded = read_recorded(config.judge.replies) if config.judge.replies else None
    return build_estimators(settings, config.embedding, store=store, recorded=recorded)


def _check_prices(config: Config) -> None:
    """Raises InputError when money is limited and a model that would be asked has no known price."""
    models = [config.judge.model] if _asks_a_judge(config) else []
    models += [config.embedding.model] if _embeds(config) else []
    priceless = [one for one in models if not is_free(one) and price_of(one) is None]
    if config.judge.budget_usd is not None and priceless:
        message = f"the price of {' and '.join(priceless)} is not known, so money cannot be limited: set max_calls"
        raise InputError(Fault(message, field="[judge] budget_usd"))


def _embeds(config: Config) -> bool:
    return any(MetricName.parse(name).family == ANSWER_RELEVANCE.name for name in config.metric_names)


def open_store(config: Config) -> ReplyStore | None:
    """The cache of replies, which the caller closes; None where the config has none to keep. Raises CacheError."""
    kept = not is_free(config.judge.model) or (not is_free(config.embedding.model) and _embeds(config))
    return ReplyStore(config.run.cache) if kept and config.run.use_cache and _asks_a_judge(config) else None


def _asks_a_judge(config: Config) -> bool:
    return any(is_judged(name) for name in config.metric_names)


def _check_writable(folder: Path) -> None:
    """Raises InputError when no run folder could be written at the end."""
    parent = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise InputError(Fault("is not a folder that can be written", str(parent), field="[run] out"))


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


def _own_flags(run: Run, inputs: Inputs, flags: Flags) -> Flags:
    """Flags on questions that were to be scored: those left out by a sample are passed over in silence."""
    scored = {result.case.id for result in run.results}
    left_out = {question.id for question in inputs.golden.questions} - scored
    wrong = tuple(flag for flag in flags.wrong if flag.id in scored)
    return Flags(wrong, tuple(flag for flag in flags.fine if flag.id in inputs.asked - left_out), flags.others)


def _label(run: Run, inputs: Inputs, config: Config, judge: Judge, embedder: Embedder) -> tuple[Run, Triage | None]:
    """The run with the calls that labelling took; ids of no question at all are listed."""
    if inputs.flags is None:
        return run, None
    tables = ClaimTables(judge, inputs.prompts, config.judge.max_prompt_tokens, embedder)
    workers = 1 if judge.identity.is_baseline else config.judge.concurrency
    own = _own_flags(run, inputs, inputs.flags)
    run, triage = label_with_repeats(run, own, config.triage, inputs.corpus, tables, workers)
    unknown = tuple(flag.id for flag in inputs.flags.wrong if flag.id not in inputs.asked)
    return run, replace(triage, unknown=unknown)


def _write_new(run: Run, out: Path, name: str, triage: Triage | None) -> Path:
    """The run under the first free name; when another process is faster, under the next."""
    stamp = datetime.now(UTC).strftime("%Y-%m-%dT%H-%M-%S")
    for number in count(1):
        folder = out / (f"{name}-{stamp}" + (f"-{number}" if number > 1 else ""))
        if folder.exists():
            continue
        try:
            write_run(run, folder, triage.answers if triage else None)
        except InputError:  # taken in the meantime
            continue
        return folder
    raise AssertionError("numbers do not end")
