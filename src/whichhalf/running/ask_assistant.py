"""Ask an assistant many questions at once, and keep a row of what came of each."""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from whichhalf.assistants.seam import Assistant, AssistantIdentity, AssistantReply, AssistantRequest
from whichhalf.core.case import Case
from whichhalf.datasets.rows import OutputRow
from whichhalf.errors import AssistantFailed, JudgeUnusable
from whichhalf.running.recorded_outputs import ASKED_WITH, RecordedOutputs, asked_with
from whichhalf.running.score_cases import Progress

_PATIENCE = 5
"""Replies that may fail in a way that looks like the assistant's, not a question's, before the first good one."""
_ASSISTANTS_FAULT = {"exception", "reply_unreadable", "unreachable", "reply_not_recorded"}


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of asking an assistant: an outputs file, and the counts of it."""

    file: Path
    identity: AssistantIdentity
    rows: tuple[OutputRow, ...]
    """Of the questions asked for, in their order; those that failed have an error."""
    questions: int
    asked: int
    """Replies had by this command; the others were in the file before."""
    calls: int
    """Calls made for them; a kept reply takes none."""
    cost_usd: float | None
    """Of these calls; None = unknown."""
    notices: tuple[str, ...]

    @property
    def failures(self) -> dict[str, int]:
        """Reason → number of questions without a reply."""
        return dict(Counter(row.error.partition(":")[0] for row in self.rows if row.error is not None))

    @property
    def answered(self) -> int:
        return sum(row.error is None for row in self.rows)


@dataclass(frozen=True, slots=True)
class ToAsk:
    """What asking an assistant would take."""

    file: Path
    identity: AssistantIdentity
    questions: int
    asked: int
    """Of the questions; the others are in the file."""
    characters: int
    """Of the questions and passages to be sent."""


def ask_all(
    assistant: Assistant,
    asked: Sequence[tuple[Case, AssistantRequest]],
    recorded: RecordedOutputs,
    workers: int,
    progress: Progress | None = None,
) -> list[AssistantReply | AssistantFailed]:
    """What came of each, in the order it came; its row is recorded.

    Every row is recorded by the thread that had it, so that Ctrl-C and a fault lose none of the replies in flight; no
    more are begun then. Raises JudgeUnusable when the assistant cannot be used.
    """

    def ask(case: Case, request: AssistantRequest) -> AssistantReply | AssistantFailed:
        try:
            reply: AssistantReply | AssistantFailed = assistant.reply(request)
        except AssistantFailed as failure:
            reply = failure
        recorded.add(_row(case, reply, asked_with(assistant.identity, request)))
        return reply

    replies: list[AssistantReply | AssistantFailed] = []
    is_fit = bool(recorded.answered)
    with ThreadPoolExecutor(workers) as pool:
        futures = {pool.submit(ask, case, request): case.id for case, request in asked}
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                replies.append(future.result())
                is_fit = is_fit or isinstance(replies[-1], AssistantReply)
                if not is_fit:
                    _lose_patience(replies, futures[future])
                if progress is not None:
                    progress(done, len(asked))
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    return replies


def _lose_patience(replies: Sequence[AssistantReply | AssistantFailed], question: str) -> None:
    """Raises JudgeUnusable when the first replies all failed for a reason that will not pass with the question."""
    same = [one for one in replies if isinstance(one, AssistantFailed) and one.reason in _ASSISTANTS_FAULT]
    if len(same) == len(replies) == _PATIENCE:
        message = f"the assistant failed on each of the first {_PATIENCE} questions, last on {question!r}: {same[-1]}"
        raise JudgeUnusable(message)


def _row(case: Case, reply: AssistantReply | AssistantFailed, fingerprint: str) -> OutputRow:
    row = OutputRow(
        id=case.id,
        retrieved=case.retrieved,
        reranked=case.reranked,
        context=case.context,
        meta={ASKED_WITH: fingerprint},
    )
    if isinstance(reply, AssistantFailed):
        return row.model_copy(update={"error": f"{reply.reason}: {reply}"})
    seconds = reply.latency_seconds
    told = {
        "retrieved": reply.retrieved,
        "reranked": reply.reranked,
        "context": reply.context,
        "prompt": reply.prompt,
        "model": reply.model,
        "cost_usd": reply.cost_usd,
        "latency_ms": None if seconds is None else round(1000 * seconds, 1),
    }
    tokens = {"prompt_tokens": reply.usage.prompt_tokens, "completion_tokens": reply.usage.completion_tokens}
    meta = {**reply.meta, **{key: count for key, count in tokens.items() if count is not None}, **row.meta}
    known = {key: value for key, value in told.items() if value is not None}
    return row.model_copy(update={"answer": reply.answer, "meta": meta, **known})
