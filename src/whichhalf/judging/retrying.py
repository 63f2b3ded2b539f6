"""Ask again when that can help: lost connections and busy servers, and once with more room after a cut reply."""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from tenacity import RetryCallState, Retrying, retry_if_exception_type, stop_after_attempt, stop_before_delay

from whichhalf.errors import JudgeError, JudgeUnreachable, ReplyCut
from whichhalf.judging.embedding import Embedded, Embedder, EmbedderIdentity
from whichhalf.judging.seam import Judge, JudgeIdentity, JudgeQuestion, Reply, T

LONGEST_WAIT_SECONDS = 120.0


class RetryingJudge:
    """Wraps a judge. The only place where a call is repeated; the SDKs' own retries are off."""

    def __init__(
        self,
        inner: Judge,
        *,
        max_attempts: int = 6,
        deadline_seconds: float = 600.0,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._inner = inner
        self._retrying = _policy(max_attempts, deadline_seconds, sleep, jitter)

    @property
    def identity(self) -> JudgeIdentity:
        return self._inner.identity

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
        """Raises what the last attempt raised."""
        first, again = self._retrying.copy(), self._retrying.copy()
        try:
            return _counted(first(self._inner.ask, question), 0, first)
        except JudgeError as error:
            error.attempts = _tries(first)
            if question.enlarged or not isinstance(error, ReplyCut):
                raise
        try:
            return _counted(again(self._inner.ask, replace(question, enlarged=True)), _tries(first), again)
        except JudgeError as error:
            error.attempts = _tries(first) + _tries(again)
            raise


class RetryingEmbedder:
    """Wraps an embedder, with the same patience."""

    def __init__(
        self,
        inner: Embedder,
        *,
        max_attempts: int = 6,
        deadline_seconds: float = 600.0,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._inner = inner
        self._retrying = _policy(max_attempts, deadline_seconds, sleep, jitter)

    @property
    def identity(self) -> EmbedderIdentity:
        return self._inner.identity

    def embed(self, texts: Sequence[str]) -> Embedded:
        """Raises what the last attempt raised."""
        retrying = self._retrying.copy()
        found = retrying(self._inner.embed, texts)
        return replace(found, attempts=_tries(retrying) - 1 + found.attempts)


def _policy(
    max_attempts: int, deadline_seconds: float, sleep: Callable[[float], None], jitter: Callable[[], float]
) -> Retrying:
    return Retrying(
        retry=retry_if_exception_type(JudgeUnreachable),
        stop=stop_after_attempt(max_attempts) | stop_before_delay(deadline_seconds),
        wait=lambda state: _wait_seconds(state, jitter),
        sleep=sleep,
        reraise=True,
    )


def _wait_seconds(state: RetryCallState, jitter: Callable[[], float]) -> float:
    """Doubling from half a second, with jitter; never less than the server asked for, never over the longest."""
    error = state.outcome.exception() if state.outcome else None
    asked = error.retry_after_seconds if isinstance(error, JudgeUnreachable) else None
    wait = 0.5 * 2.0 ** (state.attempt_number - 1) * (0.5 + jitter())
    return min(max(wait, asked or 0.0), LONGEST_WAIT_SECONDS)


def _tries(retrying: Retrying) -> int:
    return int(retrying.statistics["attempt_number"])


def _counted(reply: Reply[T], before: int, retrying: Retrying) -> Reply[T]:
    """The reply with every call that was made for it; the last try may itself have taken several."""
    return replace(reply, attempts=before + _tries(retrying) - 1 + reply.attempts)
