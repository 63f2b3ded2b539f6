"""The main job: a config in, a run folder and the labels of the flagged answers out."""

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TypeVar

from whichhalf.catalogue import Choices, build_metric, is_judged
from whichhalf.core.case import Passage
from whichhalf.core.metric import MetricName
from whichhalf.core.run import Run
from whichhalf.datasets.cases import keep_questions, keep_split
from whichhalf.datasets.columns import check_columns
from whichhalf.datasets.corpus import load_corpus
from whichhalf.datasets.golden import GoldenSet, load_golden
from whichhalf.datasets.outputs import Outputs, load_outputs
from whichhalf.datasets.rows import GoldenRow, OutputRow
from whichhalf.errors import Fault, InputError
from whichhalf.jobs.labelling import label_with_repeats
from whichhalf.judged.answer_relevance import ANSWER_RELEVANCE
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judging.embedding import WORDLLAMA, Embedder
from whichhalf.judging.offline import OfflineJudge
from whichhalf.judging.recorded_replies import read_recorded
from whichhalf.judging.reply_store import ReplyStore
from whichhalf.judging.seam import Judge
from whichhalf.judging.settings import EmbeddingSettings
from whichhalf.judging.stack import RECORDED, build_embedder, build_judge
from whichhalf.judging.traffic import Traffic
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.retrieval.family import Conventions
from whichhalf.retrieval.quote_index import UnresolvedQuote, unresolved_quotes
from whichhalf.running.config import Config
from whichhalf.running.evaluate import Prepared, Progress, evaluate, prepare
from whichhalf.running.hygiene import golden_set_faults
from whichhalf.running.run_folder import write_run
from whichhalf.triage.flagged import Flags, read_flags
from whichhalf.triage.label_flagged import Triage

T = TypeVar("T")


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
    progress: Progress | None = None,
) -> Finished:
    """Evaluate, label the flagged answers where the config names flags, and write the run folder.

    `only` names the questions to be scored; by default all are. `name` begins the folder's name. Raises InputError
    before anything is asked, JudgeUnusable when the judge cannot be used; replies had until then are in the cache.
    """
    inputs = _read(config, only)
    _prepare(config, inputs, limit)  # what cannot work is found before the reply cache is opened
    store = open_store(config)
    traffic = Traffic.of(config.judge)
    try:
        judge = open_judge(config, replay_only, store, traffic)
        embedder = _embedder(config, replay_only, store, traffic)
        run = evaluate(
            inputs.golden,
            inputs.outputs,
            config.metric_names,
            judge=judge,
            embedder=embedder,
            corpus=inputs.corpus,
            stage=config.metrics.stage,
            conventions=_conventions(config),
            options=_options(config),
            prompts=inputs.prompts,
            max_prompt_tokens=config.judge.max_prompt_tokens,
            traffic=traffic,
            limit=limit,
            seed=config.data.seed,
            repeats=config.judge.repeats,
            repeat_share=config.judge.repeat_share,
            slices=config.metrics.slices,
            progress=progress,
            config=config.model_dump(mode="json"),
        )
        run, triage = _label(run, inputs, config, judge, embedder)
    finally:
        if store is not None:
            store.close()
    return Finished(run, _write_new(run, config.run.out, name, triage), triage)


def check_evaluation(config: Config) -> list[str]:
    """What a run would do, in lines for a person. Nothing is asked; raises InputError listing every fault."""
    inputs = _read(config)
    prepared = _prepare(config, inputs)
    answered = sum(case.has_output for case in prepared.cases)
    return [
        f"{len(prepared.cases)} questions, {answered} with an output; ready to run, nothing was asked",
        *(f"metric {metric.card.name}: {metric.card.contract}" for metric in prepared.metrics),
        *(f"note: {notice}" for notice in prepared.notices),
        *(f"look at: {fault}" for fault in golden_set_faults(prepared.cases, prepared.metrics, inputs.corpus)),
        *(f"look at: {quote}" for quote in _unresolved(inputs)),
    ]


def _unresolved(inputs: _Inputs) -> list[UnresolvedQuote]:
    return [] if inputs.corpus is None else unresolved_quotes(inputs.golden.questions, inputs.corpus)


def _read(config: Config, only: Collection[str] | None = None) -> _Inputs:
    """Every fault of every file, name and setting, in one error."""
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
    outputs = collect(lambda: load_outputs(data.outputs, data.columns))
    corpus = collect(lambda: load_corpus(data.corpus) if data.corpus else None)
    flags = collect(lambda: read_flags(config.triage.flags, config.triage.columns) if config.triage.flags else None)
    prompts = collect(lambda: PromptSet(config.prompts.versions, config.prompts.dir))
    for name in config.metric_names:
        collect(lambda name=name: build_metric(name, Choices(), tables))  # type: ignore[misc]
    judge = collect(lambda: open_judge(config, replay_only=True))
    embedder = collect(lambda: _embedder(config, replay_only=True))
    collect(lambda: _check_writable(config.run.out))
    if faults or golden is None or outputs is None or prompts is None or judge is None or embedder is None:
        raise InputError(list(dict.fromkeys(faults)))
    golden, outputs = keep_split(golden, outputs, data.split)
    asked = frozenset(question.id for question in golden.questions)
    if only is not None and asked & set(only):
        golden, outputs = keep_questions(golden, outputs, only, "only flagged answers are scored")
    return _Inputs(golden, outputs, asked, corpus, flags, prompts, judge, embedder)


def _prepare(config: Config, inputs: _Inputs, limit: int | None = None) -> Prepared:
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


def _embeds(config: Config) -> bool:
    return any(MetricName.parse(name).family == ANSWER_RELEVANCE.name for name in config.metric_names)


def open_store(config: Config) -> ReplyStore | None:
    """The cache of replies, which the caller closes; None where the config has none to keep. Raises CacheError."""
    kept = config.judge.model != "offline" and not config.judge.model.startswith(RECORDED)
    kept = kept or (config.embedding.model != WORDLLAMA and _embeds(config))
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


def _own_flags(run: Run, inputs: _Inputs, flags: Flags) -> Flags:
    """Flags on questions that were to be scored: those left out by a sample are passed over in silence."""
    scored = {result.case.id for result in run.results}
    left_out = {question.id for question in inputs.golden.questions} - scored
    wrong = tuple(flag for flag in flags.wrong if flag.id in scored)
    return Flags(wrong, tuple(flag for flag in flags.fine if flag.id in inputs.asked - left_out), flags.others)


def _label(run: Run, inputs: _Inputs, config: Config, judge: Judge, embedder: Embedder) -> tuple[Run, Triage | None]:
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
