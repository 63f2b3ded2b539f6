"""Ask the assistant every question of the golden set, and leave an outputs file behind."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from whichhalf.assistants.opening import BASELINE_NOTICE, open_assistant
from whichhalf.assistants.prompted_model import ANSWER
from whichhalf.assistants.seam import Assistant, AssistantIdentity, AssistantReply, AssistantRequest
from whichhalf.core.case import Case, Passage
from whichhalf.datasets.cases import join_cases, keep_split
from whichhalf.datasets.corpus import load_corpus
from whichhalf.datasets.golden import GoldenSet, load_golden
from whichhalf.datasets.outputs import Outputs, load_outputs
from whichhalf.errors import InputError
from whichhalf.jobs.live_outputs import live_file
from whichhalf.judging.model_names import OFFLINE, RECORDED
from whichhalf.judging.reply_store import ReplyStore
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.running.ask_assistant import Answered, ToAsk, ask_all
from whichhalf.running.config import Config
from whichhalf.running.evaluate import draw_sample
from whichhalf.running.recorded_outputs import RecordedOutputs, asked_with
from whichhalf.running.score_cases import Progress


@dataclass(frozen=True, slots=True)
class _Plan:
    """Everything that is known before the first question is asked."""

    cases: dict[str, Case]
    """Question id → the question, with what was retrieved for it where outputs are read."""
    requests: dict[str, AssistantRequest]
    sample: tuple[str, ...]
    corpus: Mapping[str, Passage]
    notices: tuple[str, ...]


def answer_questions(
    config: Config,
    name: str,
    *,
    out: Path | None = None,
    prompt: str | None = None,
    limit: int | None = None,
    set_aside: bool = False,
    progress: Progress | None = None,
) -> Answered:
    """Write an outputs file with the assistant's answers; only what is missing in it, or failed, is asked.

    A model answers from the passages that the outputs of the config log; a callable or an endpoint searches itself.
    `prompt` is a version of the answer prompt, in place of the config's; `name` begins the file's name where `out`
    names none; `set_aside` renames a file with answers of other settings, which is an error else.

    Raises InputError before anything is asked, JudgeUnusable when no call can succeed; replies had until then are in
    `FILE.part`, and the same call goes on from there.
    """
    with _opened(config, prompt) as assistant:
        plan = _plan(config, assistant, limit)
        file = out or default_file(config, name, assistant.identity)
        wanted = {one: asked_with(assistant.identity, request) for one, request in plan.requests.items()}
        recorded = RecordedOutputs(file, wanted, plan.corpus, set_aside=set_aside)
        missing = [one for one in plan.sample if one not in recorded.answered]
        asked = [(plan.cases[one], plan.requests[one]) for one in missing]
        replies = ask_all(assistant, asked, recorded, config.assistant.concurrency, progress)
        recorded.finish(plan.cases)
    notices = (*plan.notices, *([BASELINE_NOTICE] if assistant.identity.is_baseline else []))
    costs = [0.0 if one.from_cache else one.cost_usd for one in replies if isinstance(one, AssistantReply)]
    return Answered(
        file=file,
        identity=assistant.identity,
        rows=tuple(recorded.rows[one] for one in plan.sample),
        questions=len(plan.sample),
        asked=len(missing),
        calls=sum(one.attempts for one in replies),
        cost_usd=None if None in costs else sum(cost for cost in costs if cost is not None),
        notices=notices,
    )


def record_outputs(config: Config, name: str, *, limit: int | None, progress: Progress | None = None) -> Answered:
    """What the assistant says now, for a run of that name: the file is new unless a run was not finished."""
    return answer_questions(config, name, out=live_file(config, name), limit=limit, set_aside=True, progress=progress)


def check_answering(config: Config, name: str, *, out: Path | None, prompt: str | None, limit: int | None) -> ToAsk:
    """What `answer_questions` would do. Nothing is asked; raises InputError."""
    with _opened(config, prompt) as assistant:
        plan = _plan(config, assistant, limit)
        file = out or default_file(config, name, assistant.identity)
        wanted = {one: asked_with(assistant.identity, request) for one, request in plan.requests.items()}
        recorded = RecordedOutputs(file, wanted, plan.corpus)
    missing = [one for one in plan.sample if one not in recorded.answered]
    characters = sum(
        len(plan.requests[one].question) + sum(len(part.text or "") for part in plan.requests[one].passages or ())
        for one in missing
    )
    return ToAsk(file, assistant.identity, len(plan.sample), len(missing), characters)


def default_file(config: Config, name: str, identity: AssistantIdentity) -> Path:
    """Where answers go when no file is named: beside the run folders, under the config's name and the prompt."""
    version = str(identity.settings.get("prompt", identity.kind)).replace("/", "-")
    return config.run.out / f"{name}-{version}.jsonl"


@contextmanager
def _opened(config: Config, prompt: str | None) -> Iterator[Assistant]:
    settings = config.assistant
    if prompt is not None and settings.kind != "model":
        raise InputError("--prompt names a version of the answer prompt, which only an [assistant] model has")
    versions = {**config.prompts.versions, **({ANSWER: prompt} if prompt is not None else {})}
    prompts = PromptSet(versions, config.prompts.dir)
    kept = (
        config.run.use_cache and settings.model not in (None, OFFLINE) and not str(settings.model).startswith(RECORDED)
    )
    store = ReplyStore(config.run.cache) if kept else None
    try:
        with open_assistant(settings, prompts, store) as assistant:
            yield assistant
    finally:
        if store is not None:
            store.close()


def _plan(config: Config, assistant: Assistant, limit: int | None) -> _Plan:
    data = config.data
    golden = load_golden(data.golden, data.columns)
    corpus = load_corpus(data.corpus) if data.corpus else None
    is_given = assistant.identity.kind == "model"
    if is_given and data.outputs is None:
        raise InputError("a model answers from passages that were retrieved before: set [data] outputs")
    outputs = load_outputs(data.outputs, data.columns) if is_given and data.outputs else Outputs({})
    golden, outputs = keep_split(golden, outputs, data.split)
    cases, notices = _cases(golden, outputs, corpus if is_given else None)
    requests = {
        one: AssistantRequest(
            id=one,
            question=case.question.text,
            history=case.question.history,
            passages=passages_seen(case, corpus or {}, config.triage.k) if is_given else None,
        )
        for one, case in cases.items()
    }
    _check_texts(requests)
    ids = tuple(cases)
    sample = ids if limit is None else draw_sample(ids, limit, data.seed)
    return _Plan(cases, requests, sample, corpus or {}, notices)


def _cases(
    golden: GoldenSet, outputs: Outputs, corpus: Mapping[str, Passage] | None
) -> tuple[dict[str, Case], tuple[str, ...]]:
    if not outputs.rows:
        return {one.id: Case(question=one, has_output=False) for one in golden.questions}, golden.notices
    joined = join_cases(golden, outputs, corpus)
    return {case.id: case for case in joined.cases}, joined.notices


def passages_seen(case: Case, corpus: Mapping[str, Passage], k: int) -> tuple[Passage, ...] | None:
    """What the model saw, with texts: the context, or the first k of the last ranking where it was not logged."""
    seen = case.context
    if seen is None:
        ranking = case.ranking(case.last_ranking)
        seen = None if ranking is None else ranking[:k]
    if seen is None:
        return None
    return tuple(
        one.model_copy(update={"text": corpus[one.id].text}) if one.text is None and one.id in corpus else one
        for one in seen
    )


def _check_texts(requests: Mapping[str, AssistantRequest]) -> None:
    bare = [(one, part.id) for one, request in requests.items() for part in request.passages or () if part.text is None]
    if bare:
        question, passage = bare[0]
        raise InputError(
            f"the model needs passage texts: {len(bare)} passage(s) have none, first {passage!r} of question "
            f"{question!r}. Give [data] corpus, or log the texts in the outputs"
        )
