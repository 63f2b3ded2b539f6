"""One line for every question asked of a judge: what it was, who answered, what it cost."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from whichhalf.core.run import CallRecord, Cost
from whichhalf.errors import JudgeError
from whichhalf.judging.embedding import EMBEDDING, Embedded, Embedder, EmbedderIdentity
from whichhalf.judging.seam import Judge, JudgeIdentity, JudgeQuestion, Reply, T

N = TypeVar("N", int, float)


@dataclass(slots=True)
class Ledger:
    """Collects call records from all threads of a run."""

    records: list[CallRecord] = field(default_factory=list)
    _guard: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, record: CallRecord) -> None:
        with self._guard:
            self.records.append(record)

    @property
    def models_returned(self) -> list[str]:
        """Names of judge models as the servers gave them, sorted."""
        return sorted({record.model_returned for record in self._asked if record.model_returned})

    @property
    def _asked(self) -> list[CallRecord]:
        """Questions to the judge, without texts that were embedded."""
        return [record for record in self.records if record.prompt != EMBEDDING]

    def cost(self) -> Cost:
        """Sums over fresh calls; a sum with an unknown part is unknown."""
        fresh = [record for record in self.records if not record.cached and record.result == "ok"]
        return Cost(
            judge_calls=sum(record.attempts for record in self._asked if not record.cached),
            embedding_calls=sum(record.attempts for record in self.records if record.prompt == EMBEDDING),
            cached=sum(record.cached for record in self._asked),
            prompt_tokens=_sum([record.prompt_tokens for record in fresh]),
            completion_tokens=_sum([record.completion_tokens for record in fresh]),
            usd=_sum([record.cost_usd for record in fresh]),
        )


def _sum(parts: list[N | None]) -> N | None:
    known = [part for part in parts if part is not None]
    return sum(known[1:], known[0]) if known and len(known) == len(parts) else None


class LedgerJudge:
    """Wraps a judge and records every question."""

    def __init__(self, inner: Judge, ledger: Ledger) -> None:
        self._inner = inner
        self._ledger = ledger

    @property
    def identity(self) -> JudgeIdentity:
        return self._inner.identity

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
        started = time.monotonic()
        try:
            reply = self._inner.ask(question)
        except JudgeError as error:
            self._ledger.add(self._record(question, None, error.reason, time.monotonic() - started, error.attempts))
            raise
        self._ledger.add(self._record(question, reply, "ok", time.monotonic() - started))
        return reply

    def _record(
        self, question: JudgeQuestion[T], reply: Reply[T] | None, result: str, seconds: float, attempts: int = 1
    ) -> CallRecord:
        return CallRecord(
            prompt=question.prompt.name,
            version=question.prompt.version,
            prompt_sha256=question.prompt.sha256,
            repeat=question.repeat,
            model_asked=self.identity.model,
            model_returned=reply.model if reply else None,
            cached=reply.from_cache if reply else False,
            attempts=reply.attempts if reply else attempts,
            latency_seconds=round((reply.latency_seconds if reply else 0.0) or seconds, 4),
            prompt_tokens=reply.usage.prompt_tokens if reply else None,
            completion_tokens=reply.usage.completion_tokens if reply else None,
            cost_usd=reply.cost_usd if reply else None,
            result=result,
        )


class LedgerEmbedder:
    """Wraps an embedder and records every list of texts."""

    def __init__(self, inner: Embedder, ledger: Ledger) -> None:
        self._inner = inner
        self._ledger = ledger

    @property
    def identity(self) -> EmbedderIdentity:
        return self._inner.identity

    def embed(self, texts: Sequence[str]) -> Embedded:
        started = time.monotonic()
        try:
            found = self._inner.embed(texts)
        except JudgeError as error:
            self._ledger.add(self._record(None, error.reason, time.monotonic() - started, error.attempts))
            raise
        self._ledger.add(self._record(found, "ok", time.monotonic() - started, found.attempts))
        return found

    def _record(self, found: Embedded | None, result: str, seconds: float, attempts: int) -> CallRecord:
        return CallRecord(
            prompt=EMBEDDING,
            version="",
            prompt_sha256="",
            repeat=0,
            model_asked=self.identity.model,
            model_returned=found.model if found else None,
            cached=found is not None and not attempts,
            attempts=attempts,
            latency_seconds=round(seconds, 4),
            prompt_tokens=found.usage.prompt_tokens if found else None,
            completion_tokens=found.usage.completion_tokens if found else None,
            cost_usd=found.cost_usd if found else None,
            result=result,
        )
