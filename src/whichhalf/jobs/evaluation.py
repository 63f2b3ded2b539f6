"""The main job: a config in, a run folder and the labels of the flagged answers out."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from whichhalf.catalogue import beside_ndcg
from whichhalf.core.outcome import Failed
from whichhalf.core.run import Run
from whichhalf.errors import BudgetSpent, DeadlinePassed, Fault, InputError, ReplyNotRecorded
from whichhalf.jobs.assistant_name import assistant_named
from whichhalf.jobs.inputs import Inputs, prepare_inputs, read_inputs
from whichhalf.jobs.live_outputs import OUTPUTS, as_recorded, keep_outputs, with_outputs
from whichhalf.jobs.opening import estimators, open_embedder, open_judge, open_store
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judging.embedding import Embedder
from whichhalf.judging.seam import Judge
from whichhalf.judging.traffic import Traffic
from whichhalf.judging.window import passage_tokens
from whichhalf.retrieval.quote_index import UnresolvedQuote, unresolved_quotes
from whichhalf.running.config import Config
from whichhalf.running.evaluate import score_prepared
from whichhalf.running.hygiene import golden_set_faults
from whichhalf.running.run_folder import write_run
from whichhalf.running.score_cases import Progress
from whichhalf.triage.flagged import Flags

if TYPE_CHECKING:
    from whichhalf.triage.label_flagged import Triage

STOPPED = {BudgetSpent.reason: "the budget is spent", DeadlinePassed.reason: "the deadline has passed"}
"""Why no more was asked, though more could be had later. Reason word → sentence."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What a run left behind."""

    run: Run
    folder: Path
    triage: "Triage | None"

    @property
    def unpaid(self) -> int:
        """Questions that lack an outcome because the budget was spent."""
        return self._lost_to(BudgetSpent.reason)

    def lacking(self, replay_only: bool) -> dict[str, str]:
        """Why outcomes are missing that could be had later. Reason word → sentence."""
        why = STOPPED | ({ReplyNotRecorded.reason: "replies that are not kept"} if replay_only else {})
        counts = {reason: self._lost_to(reason) for reason in why}
        of = f"of {len(self.run.results)} questions lack outcomes"
        return {reason: f"{why[reason]}: {count} {of}" for reason, count in counts.items() if count}

    def _lost_to(self, reason: str) -> int:
        outcomes = [result.outcomes.values() for result in self.run.results]
        return sum(any(isinstance(one, Failed) and one.error == reason for one in row) for row in outcomes)

    def below_floor(self, floor: float) -> list[str]:
        """Metrics whose coverage is under the floor; one with nothing definable is not."""
        return [name for name, one in self.run.metrics.items() if one.coverage is not None and one.coverage < floor]


def run_evaluation(
    config: Config,
    name: str,
    *,
    limit: int | None = None,
    only: Collection[str] | None = None,
    replay_only: bool = False,
    live: bool = False,
    traffic: Traffic | None = None,
    meanwhile: Callable[[], object] | None = None,
    progress: Progress | None = None,
) -> Finished:
    """Evaluate, label the flagged answers where the config names flags, and write the run folder.

    `only` names the questions to be scored; by default all are. `name` begins the folder's name. With `live`, or
    without outputs in the config, the assistant is asked first: its outputs are recorded beside the run folders, and
    moved into this run's folder at the end; where the budget or the deadline ended it early they stay in both places,
    and the next run of that name scores them. `traffic` is what the judge's calls go through; by default the config's.
    `meanwhile` is called in a thread while what the first call needs is loaded.

    Raises InputError before anything is asked, JudgeUnusable when the judge or the assistant cannot be used; replies
    had until then are kept.
    """
    recorded = None
    if live or config.data.outputs is None:
        if only is not None or replay_only:
            raise InputError("the outputs are to be recorded from the assistant now: name a file of old ones instead")
        from whichhalf.jobs.answering import record_outputs  # assistants are loaded where one is asked

        read_inputs(with_outputs(config, None))
        recorded = record_outputs(config, name, limit=limit, progress=progress)
        config, limit = with_outputs(config, recorded.file), None
    try:
        inputs = read_inputs(config, only, asks=not replay_only)
        scored = as_recorded(inputs, recorded) if recorded is not None else inputs
        prepared = prepare_inputs(config, scored, limit)  # what cannot work is found before the reply cache is opened
    except InputError as error:
        if recorded is None:
            raise
        kept = "the outputs recorded for this run are kept here; delete the file to ask the assistant anew"
        raise InputError([*error.faults, Fault(kept, str(recorded.file))]) from error
    store = open_store(config, read_only=replay_only)
    traffic = traffic or Traffic.of(config.judge, config.run.deadline_minutes)
    if meanwhile is not None:
        traffic.before_first_call(meanwhile)
    try:
        judge = open_judge(config, replay_only, store, traffic)
        embedder = open_embedder(config, replay_only, store, traffic)
        run = score_prepared(
            prepared,
            judge,
            embedder,
            inputs.prompts,
            max_prompt_tokens=passage_tokens(config.judge, judge.identity),
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
    finished = Finished(run, folder, triage)
    if recorded is not None and finished.lacking(replay_only):
        keep_outputs(config, name, folder)
    return finished


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


def metrics_of(config: Config, *, asks: bool = True, writes: bool = True) -> tuple[list[str], dict[str, set[str]]]:
    """Full names of the metrics that a run of this config would have, and the values of every tag of its questions.

    Nothing is asked; raises InputError listing every fault: see `read_inputs`.
    """
    inputs = read_inputs(config, asks=asks, writes=writes)
    tags: dict[str, set[str]] = {}
    for question in inputs.golden.questions:
        for tag, value in question.tags.items():
            tags.setdefault(tag, set()).add(value)
    if config.data.outputs is None:  # the assistant is asked first: which stage it logs is not known yet
        return beside_ndcg(config.metric_names), tags
    return [str(metric.card.name) for metric in prepare_inputs(config, inputs).metrics], tags


def _unresolved(inputs: Inputs) -> list[UnresolvedQuote]:
    return [] if inputs.corpus is None else unresolved_quotes(inputs.golden.questions, inputs.corpus)


def _own_flags(run: Run, inputs: Inputs, flags: Flags) -> Flags:
    """Flags on questions that were to be scored: those left out by a sample are passed over in silence."""
    scored = {result.case.id for result in run.results}
    left_out = {question.id for question in inputs.golden.questions} - scored
    wrong = tuple(flag for flag in flags.wrong if flag.id in scored)
    return Flags(wrong, tuple(flag for flag in flags.fine if flag.id in inputs.asked - left_out), flags.others)


def _label(run: Run, inputs: Inputs, config: Config, judge: Judge, embedder: Embedder) -> "tuple[Run, Triage | None]":
    """The run with the calls that labelling took; ids of no question at all are listed."""
    if inputs.flags is None:
        return run, None
    from whichhalf.jobs.labelling import label_with_repeats  # loads all that labels need

    tables = ClaimTables(judge, inputs.prompts, passage_tokens(config.judge, judge.identity), embedder)
    workers = 1 if judge.identity.is_baseline else config.judge.concurrency
    own = _own_flags(run, inputs, inputs.flags)
    run, triage = label_with_repeats(run, own, config.triage, inputs.corpus, tables, workers)
    unknown = tuple(flag.id for flag in inputs.flags.wrong if flag.id not in inputs.asked)
    return run, replace(triage, unknown=unknown)


def _write_new(run: Run, out: Path, name: str, triage: "Triage | None") -> Path:
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
