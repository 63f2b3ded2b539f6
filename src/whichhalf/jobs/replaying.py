"""Ask the assistant of a run again about its flagged answers, and settle their labels by what it says."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import ValidationError

from whichhalf.assistants.opening import open_assistant
from whichhalf.assistants.seam import AssistantRequest
from whichhalf.catalogue import Choices, build_metric
from whichhalf.core.case import Case, Passage
from whichhalf.core.diagnosis import Given, Replay
from whichhalf.core.outcome import Scored
from whichhalf.core.run import Run
from whichhalf.core.validation_words import in_plain_words
from whichhalf.datasets.corpus import load_corpus
from whichhalf.datasets.rows import OutputRow
from whichhalf.errors import Fault, InputError
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judging.ledger import Ledger, LedgerJudge
from whichhalf.judging.recorded_replies import read_recorded
from whichhalf.judging.reply_store import ReplyStore
from whichhalf.judging.stack import build_judge
from whichhalf.judging.window import passage_tokens
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.running.ask_assistant import ask_all
from whichhalf.running.config import Config
from whichhalf.running.recorded_outputs import RecordedOutputs, asked_with
from whichhalf.running.run_folder import add_triage, read_run
from whichhalf.running.score_case import score_case
from whichhalf.running.score_cases import Progress
from whichhalf.triage.label_flagged import Triage
from whichhalf.triage.replay import plan_replays, with_replays

REPLAYS = "replays.jsonl"
"""In a run folder: the replayed answers; the id is that of the question, with what was given after a slash."""
_CORRECTNESS = "answer_correctness"

_Plans = Mapping[str, dict[Given, AssistantRequest]]
"""Question id → what to ask again."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A triage settled by replays, and what they took."""

    triage: Triage
    asked: int
    """Replays asked now; the others are kept in the run folder."""
    kept: int
    judge_calls: int
    not_offered: tuple[str, ...]
    """Flagged questions that cannot be replayed: texts of needed passages, labels or a reference answer are missing."""


def replay_triage(folder: Path, triage: Triage, progress: Progress | None = None) -> Replayed:
    """Replay every flagged answer of a run and write the settled labels into its folder.

    Assistant, judge and threshold are those of the run's config. Raises InputError when it names no assistant, or one
    that cannot be told what to answer from; JudgeUnusable when no call can succeed. Replays had until then are kept.
    """
    run = read_run(folder)
    config = _config_of(run, folder)
    corpus = load_corpus(config.data.corpus) if config.data.corpus and config.data.corpus.exists() else {}
    cases = {result.case.id: result.case for result in run.results}
    flagged = [answer.flag.id for answer in triage.answers]
    plans = {one: plan_replays(cases[one], corpus, config.triage.k) for one in flagged}
    store = ReplyStore(config.run.cache) if config.run.use_cache else None
    try:
        rows, asked = _ask(config, plans, cases, folder, store, corpus, progress)
        replays, calls = _judge(config, plans, cases, rows, store)
    finally:
        if store is not None:
            store.close()
    threshold = config.triage.replay_correctness
    answers = tuple(
        answer.model_copy(
            update={"diagnosis": with_replays(answer.diagnosis, replays.get(answer.flag.id, ()), threshold)}
        )
        for answer in triage.answers
    )
    add_triage(folder, run, answers)
    not_offered = tuple(one for one in flagged if not plans[one])
    return Replayed(replace(triage, answers=answers), asked, len(rows) - asked, calls, not_offered)


def _config_of(run: Run, folder: Path) -> Config:
    try:
        config = Config.model_validate(run.manifest.config)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        message = f"its config cannot be used for a replay: {field}: {in_plain_words(first)}"
        raise InputError(Fault(message, str(folder / "manifest.json"))) from error
    if config.assistant.kind is None:
        raise InputError("there is nobody to ask again: the run's config has no [assistant]")
    return config


def _ask(
    config: Config,
    plans: _Plans,
    cases: Mapping[str, Case],
    folder: Path,
    store: ReplyStore | None,
    corpus: Mapping[str, Passage],
    progress: Progress | None,
) -> tuple[dict[str, OutputRow], int]:
    """Replay id → row, and how many were asked now."""
    prompts = PromptSet(config.prompts.versions, config.prompts.dir)
    with open_assistant(config.assistant, prompts, store) as assistant:
        if not assistant.takes_passages:
            raise InputError(
                "the assistant cannot be told what to answer from: [assistant.request] leaves passages out"
            )
        requests = {request.id: request for plan in plans.values() for request in plan.values()}
        wanted = {one: asked_with(assistant.identity, request) for one, request in requests.items()}
        recorded = RecordedOutputs(folder / REPLAYS, wanted, corpus, set_aside=True)
        missing = [request for one, request in requests.items() if one not in recorded.answered]
        asked = [(_renamed(cases[request.id.rpartition("/")[0]], request), request) for request in missing]
        ask_all(assistant, asked, recorded, config.assistant.concurrency, progress)
        if requests:
            recorded.finish(requests)
    return recorded.rows, len(missing)


def _renamed(case: Case, request: AssistantRequest) -> Case:
    """The case of a replay: the same question under the replay's id, with what was given."""
    question = case.question.model_copy(update={"id": request.id})
    return Case(question=question, context=request.passages)


def _judge(
    config: Config, plans: _Plans, cases: Mapping[str, Case], rows: Mapping[str, OutputRow], store: ReplyStore | None
) -> tuple[dict[str, tuple[Replay, ...]], int]:
    """Question id → its replays with their correctness, and the judge calls that took."""
    ledger = Ledger()
    recorded = read_recorded(config.judge.replies) if config.judge.replies else None
    judge = LedgerJudge(build_judge(config.judge, store=store, recorded=recorded), ledger)
    prompts = PromptSet(config.prompts.versions, config.prompts.dir)
    tables = ClaimTables(judge, prompts, passage_tokens(config.judge, judge.identity))
    metric = build_metric(_CORRECTNESS, Choices(), tables)
    found: dict[str, tuple[Replay, ...]] = {}
    for one, plan in plans.items():
        replays = []
        for given, request in plan.items():
            row = rows[request.id]
            replay = Replay(
                given=given,
                passages=tuple(passage.id for passage in request.passages or ()),
                answer=row.answer,
                failed=row.error,
            )
            if row.answer is not None:
                case = cases[one].model_copy(update={"answer": row.answer, "context": request.passages})
                outcome = score_case(case, [metric]).outcomes[str(metric.card.name)]
                replay = _settled(replay, outcome, config.triage.replay_correctness)
            replays.append(replay)
        found[one] = tuple(replays)
    return found, ledger.cost().judge_calls


def _settled(replay: Replay, outcome: object, threshold: float) -> Replay:
    if isinstance(outcome, Scored):
        return replay.model_copy(update={"correctness": outcome.value, "right": outcome.value >= threshold})
    why = getattr(outcome, "because", None) or getattr(outcome, "message", "")
    return replay.model_copy(update={"failed": f"no {_CORRECTNESS}: {why}"})
