"""Ask again when that can help: lost connections and busy servers, torn replies, once more after a cut one."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from whichhalf.errors import JudgeError, JudgeUnreachable, ReplyCut, ReplyTorn, ReplyUnreadable
from whichhalf.judging.embedding import Embedded, Embedder, EmbedderIdentity
from whichhalf.judging.pacing import LONGEST_WAIT_SECONDS
from whichhalf.judging.seam import Judge, JudgeIdentity, JudgeQuestion, Reply, T, Usage

if TYPE_CHECKING:
    from tenacity import RetryCallState, Retrying

N = TypeVar("N", int, float)
R = TypeVar("R")

_MOST_TORN = 3
"""How often a reply that ends in the middle of its JSON is asked for again; one that is no JSON is once."""

_LONGEST_BUSY_WAIT_SECONDS = 2.0
"""Where a busy server does not ask for more. The pace holds calls back; none should sleep on when that is over."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often and how long a call is repeated."""

    max_attempts: int = 6
    """Calls that may fail. One declined because the server is busy is not counted: the deadline ends those."""
    deadline_seconds: float = 600.0
    sleep: Callable[[float], None] = time.sleep
    jitter: Callable[[], float] = random.random

    def retrying(self) -> "Retrying":
        """For one question."""
        from tenacity import Retrying, retry_if_exception_type, stop_before_delay  # loaded where a call is made

        faults = _Faults(self.max_attempts)
        return Retrying(
            retry=retry_if_exception_type(JudgeUnreachable),
            stop=lambda state: faults.used_up(state) or stop_before_delay(self.deadline_seconds)(state),
            wait=lambda state: _wait_seconds(state, self.jitter),
            sleep=self.sleep,
            reraise=True,
        )


class RetryingJudge:
    """Wraps a judge. The only place where a call is repeated; the SDKs' own retries are off."""

    def __init__(self, inner: Judge, patience: Patience | None = None) -> None:
        self._inner = inner
        self._patience = patience or Patience()

    @property
    def identity(self) -> JudgeIdentity:
        return self._inner.identity

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
        """The reply, with everything that was spent on it. Raises what the last attempt raised, likewise."""
        lost: list[JudgeError] = []
        while True:
            retrying = self._patience.retrying()
            try:
                reply = retrying(self._inner.ask, question)
            except JudgeError as error:
                error.attempts = _calls(retrying, error)
                if not _worth_another(error, lost, question):
                    _add_up(error, lost)
                    raise
                lost.append(error)
                question = replace(question, enlarged=question.enlarged or isinstance(error, ReplyCut))
            else:
                attempts = _tries(retrying) - 1 + reply.attempts
                return _with_lost(replace(reply, attempts=attempts), lost)


class RetryingEmbedder:
    """Wraps an embedder, with the same patience."""

    def __init__(self, inner: Embedder, patience: Patience | None = None) -> None:
        self._inner = inner
        self._patience = patience or Patience()

    @property
    def identity(self) -> EmbedderIdentity:
        return self._inner.identity

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Raises what the last attempt raised."""
        retrying = self._patience.retrying()
        try:
            found = retrying(self._inner.embed, texts)
        except JudgeError as error:
            error.attempts = _calls(retrying, error)
            raise
        return replace(found, attempts=_tries(retrying) - 1 + found.attempts)


def with_retries(call: Callable[[], R], patience: Patience) -> tuple[R, int]:
    """What `call` returns, and the tries it took: the same patience for a server that is no judge."""
    retrying = patience.retrying()
    try:
        return retrying(call), _tries(retrying)
    except JudgeError as error:
        error.attempts = _calls(retrying, error)
        raise


class _Faults:
    """Counts the calls of one question that failed, without those a busy server declined."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._count = 0

    def used_up(self, state: "RetryCallState") -> bool:
        error = state.outcome.exception() if state.outcome else None
        self._count += not (isinstance(error, JudgeUnreachable) and error.rate_limited)
        return self._count >= self._most


def _worth_another(error: JudgeError, lost: Sequence[JudgeError], question: JudgeQuestion[T]) -> bool:
    """A cut reply is asked for with more room, once; what cannot be read is asked for in the same words."""
    if isinstance(error, ReplyCut):
        return not question.enlarged
    if isinstance(error, ReplyTorn):
        return sum(isinstance(one, ReplyTorn) for one in lost) < _MOST_TORN
    return isinstance(error, ReplyUnreadable) and not any(isinstance(one, ReplyUnreadable) for one in lost)


def _wait_seconds(state: "RetryCallState", jitter: Callable[[], float]) -> float:
    """Doubling from half a second, with jitter; never less than the server asked for, never over the longest."""
    error = state.outcome.exception() if state.outcome else None
    busy = isinstance(error, JudgeUnreachable) and error.rate_limited
    asked = error.retry_after_seconds if isinstance(error, JudgeUnreachable) else None
    most = _LONGEST_BUSY_WAIT_SECONDS if busy else LONGEST_WAIT_SECONDS
    wait = min(0.5 * 2.0 ** (state.attempt_number - 1), most) * (0.5 + jitter())
    return min(max(wait, asked or 0.0), LONGEST_WAIT_SECONDS)


def _tries(retrying: "Retrying") -> int:
    return int(retrying.statistics["attempt_number"])


def _calls(retrying: "Retrying", error: JudgeError) -> int:
    """How many were made, when the last try raised this error; some errors mean that no call was made."""
    return _tries(retrying) - (error.attempts == 0)


def _with_lost(reply: Reply[T], lost: Sequence[JudgeError]) -> Reply[T]:
    """The reply, with the calls and tokens of those that were lost on the way, where the server told."""
    if not lost:
        return reply
    usage = Usage(
        _known_sum([reply.usage.prompt_tokens, *(one.prompt_tokens for one in lost)]),
        _known_sum([reply.usage.completion_tokens, *(one.completion_tokens for one in lost)]),
    )
    return replace(
        reply,
        attempts=reply.attempts + sum(one.attempts for one in lost),
        usage=usage,
        is_stored=False,  # not with this usage
        cost_usd=_known_sum([reply.cost_usd, *(one.cost_usd for one in lost)]),
    )


def _add_up(error: JudgeError, lost: Sequence[JudgeError]) -> None:
    """Put on an error what the ones before it took."""
    error.attempts += sum(one.attempts for one in lost)
    error.prompt_tokens = _known_sum([error.prompt_tokens, *(one.prompt_tokens for one in lost)])
    error.completion_tokens = _known_sum([error.completion_tokens, *(one.completion_tokens for one in lost)])
    error.cost_usd = _known_sum([error.cost_usd, *(one.cost_usd for one in lost)])


def _known_sum(parts: list[N | None]) -> N | None:
    known = [part for part in parts if part is not None]
    return sum(known[1:], known[0]) if known else None
