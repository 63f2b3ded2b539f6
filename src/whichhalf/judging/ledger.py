"""One line for every question asked of a judge: what it was, who answered, what it cost."""

import threading
import time
from dataclasses import dataclass, field
from typing import TypeVar

from whichhalf.core.run import CallRecord, Cost
from whichhalf.errors import JudgeError, ReplyNotRecorded
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
        """Model names the servers gave, sorted."""
        return sorted({record.model_returned for record in self.records if record.model_returned})

    def cost(self) -> Cost:
        """Sums over fresh calls; a sum with an unknown part is unknown."""
        fresh = [record for record in self.records if not record.cached and record.result == "ok"]
        return Cost(
            judge_calls=sum(record.attempts for record in self.records if not record.cached),
            cached=sum(record.cached for record in self.records),
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
            attempts = 0 if isinstance(error, ReplyNotRecorded) else 1
            self._ledger.add(self._record(question, None, error.reason, time.monotonic() - started, attempts))
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
            latency_seconds=round(seconds, 4),
            prompt_tokens=reply.usage.prompt_tokens if reply else None,
            completion_tokens=reply.usage.completion_tokens if reply else None,
            cost_usd=reply.cost_usd if reply else None,
            result=result,
        )
