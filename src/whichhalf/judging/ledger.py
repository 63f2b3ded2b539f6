"""One line for every question asked of a judge: what it was, who answered, what it cost."""

import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from whichhalf.core.run import CallRecord, Cost, sum_or_unknown
from whichhalf.errors import JudgeError
from whichhalf.judging.embedding import EMBEDDING, Embedded, Embedder, EmbedderIdentity
from whichhalf.judging.key import reply_key
from whichhalf.judging.seam import Judge, JudgeIdentity, JudgeQuestion, Reply, T, Usage


@dataclass(slots=True)
class Ledger:
    """Collects call records from all threads of a run."""

    records: list[CallRecord] = field(default_factory=list)
    sent: Mapping[str, JsonValue] | None = None
    """The sampling settings as the judge's server took them; None when it was not asked."""
    _guard: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, record: CallRecord) -> None:
        with self._guard:
            self.records.append(record)

    def sorted_records(self) -> tuple[CallRecord, ...]:
        """In an order that does not depend on threads, nor on what was kept from before."""
        chance = {"latency_seconds", "attempts", "cached"}
        return tuple(sorted(self.records, key=lambda one: [str(value) for name, value in one if name not in chance]))

    @property
    def models_returned(self) -> list[str]:
        """Names of judge models as the servers gave them, sorted."""
        return sorted(self._replies_by_model(self._asked))

    def notices(self) -> list[str]:
        """Whether the model behind the judge's name changed, within the run or since replies were kept."""
        kept = self._replies_by_model([record for record in self._asked if record.cached])
        fresh = self._replies_by_model([record for record in self._asked if not record.cached])
        if kept and fresh and kept.keys() != fresh.keys():
            both = f"kept replies are of {_counts(kept)}, new ones of {_counts(fresh)}"
            return [f"the model behind the judge has changed: {both}"]
        models = self._replies_by_model(self._asked)
        return [f"the judge answered as several models: {_counts(models)}"] if len(models) > 1 else []

    @property
    def _asked(self) -> list[CallRecord]:
        """Questions to the judge, without texts that were embedded."""
        return [record for record in self.records if record.prompt != EMBEDDING]

    @staticmethod
    def _replies_by_model(records: Sequence[CallRecord]) -> Counter[str]:
        return Counter(record.model_returned for record in records if record.model_returned)

    def cost(self) -> Cost:
        """Sums over fresh calls; a sum with an unknown part is unknown. Lost replies count where the server told."""
        fresh = [one for one in self.records if not one.cached]
        told = [one for one in fresh if one.result == "ok" or one.prompt_tokens is not None]
        return Cost(
            judge_calls=sum(record.attempts for record in self._asked if not record.cached),
            embedding_calls=sum(record.attempts for record in self.records if record.prompt == EMBEDDING),
            cached=sum(record.cached for record in self._asked),
            prompt_tokens=sum_or_unknown([record.prompt_tokens for record in told]),
            completion_tokens=sum_or_unknown([record.completion_tokens for record in told]),
            usd=sum_or_unknown([record.cost_usd for record in told]),
        )


def _counts(models: Mapping[str, int]) -> str:
    return ", ".join(f"{model} ({count})" for model, count in sorted(models.items()))


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
            self._ledger.add(self._record(question, error, time.monotonic() - started))
            raise
        is_told = reply.latency_seconds or reply.from_cache
        self._ledger.add(
            self._record(question, reply, reply.latency_seconds if is_told else time.monotonic() - started)
        )
        if reply.sent is not None:
            self._ledger.sent = reply.sent
        return reply

    def _record(self, question: JudgeQuestion[T], found: Reply[T] | JudgeError, seconds: float) -> CallRecord:
        usage = Usage(found.prompt_tokens, found.completion_tokens) if isinstance(found, JudgeError) else found.usage
        return CallRecord(
            key=reply_key(self.identity, question),
            prompt=question.prompt.name,
            version=question.prompt.version,
            prompt_sha256=question.prompt.sha256,
            repeat=question.repeat,
            model_asked=self.identity.model,
            model_returned=None if isinstance(found, JudgeError) else found.model,
            cached=not isinstance(found, JudgeError) and found.from_cache,
            attempts=found.attempts,
            latency_seconds=round(seconds, 4),
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cost_usd=found.cost_usd,
            result=found.reason if isinstance(found, JudgeError) else "ok",
        )


class LedgerEmbedder:
    """Wraps an embedder and records every list of texts that somebody was asked about."""

    def __init__(self, inner: Embedder, ledger: Ledger) -> None:
        self._inner = inner
        self._ledger = ledger

    @property
    def identity(self) -> EmbedderIdentity:
        return self._inner.identity

    def embed(self, texts: Sequence[str]) -> Embedded:
        if self.identity.is_local:
            return self._inner.embed(texts)
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
