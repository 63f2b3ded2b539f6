"""A judge that never asks the same thing twice: memory first, then recorded replies, then the disk."""

from dataclasses import replace
from typing import Any, Protocol

from whichhalf.errors import JudgeError, ReplyUnreadable
from whichhalf.judging.key import reply_key
from whichhalf.judging.key_locks import KeyLocks
from whichhalf.judging.parsing import parse_reply
from whichhalf.judging.reply_store import ReplyStore, StoredReply
from whichhalf.judging.seam import Judge, JudgeIdentity, JudgeQuestion, Reply, T, Usage
from whichhalf.judging.traffic import Traffic


class KeptReplies(Protocol):
    """Where a reply may be found by its key: recorded ones, a store."""

    def get(self, key: str, /) -> StoredReply | None: ...


class CachingJudge:
    """Wraps a judge. Threads, and processes with one store, that ask the same question at once make one call and share
    its reply.

    Only replies that were read successfully are stored; refused, cut and unreadable ones are asked again. Those who
    ask for a lost one later share the failure where `share_failures` is set, as it is for one run.
    """

    def __init__(
        self,
        inner: Judge,
        *,
        store: ReplyStore | None = None,
        recorded: KeptReplies | None = None,
        traffic: Traffic | None = None,
        share_failures: bool = False,
    ) -> None:
        self._inner = inner
        self._store = store
        self._recorded: KeptReplies = recorded if recorded is not None else {}
        self.traffic = traffic
        """What the calls of the judge go through, where that is known."""
        self._memory: dict[str, Reply[Any]] = {}
        self._failures: dict[str, JudgeError] | None = {} if share_failures else None
        self._locks = KeyLocks()

    @property
    def identity(self) -> JudgeIdentity:
        return self._inner.identity

    @property
    def holds_replies(self) -> bool:
        """Whether any are recorded or stored."""
        return bool(self._recorded) or (self._store is not None and not self._store.is_empty)

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
        key = reply_key(self.identity, question)
        with self._locks.of(key):
            known = self._memory.get(key)
            if known is not None:
                return replace(known, from_cache=True, attempts=0, latency_seconds=0.0)
            if self._failures and key in self._failures:
                raise self._failures[key]
            try:
                reply = self._kept_or_fresh(key, question)
            except JudgeError as error:
                if self._failures is not None:
                    self._failures[key] = error
                raise
            self._memory[key] = reply
            return reply

    def _kept_or_fresh(self, key: str, question: JudgeQuestion[T]) -> Reply[T]:
        is_held = self.traffic is not None and self.traffic.is_held
        if self._store is None or is_held:
            kept = self._kept(key, question)
            if kept is not None:
                return kept
            if self.traffic is not None:
                self.traffic.check_not_held()
            return self._inner.ask(question)
        with self._store.asking([key]):  # first: another process may be about to keep it
            kept = self._kept(key, question)
            if kept is not None:
                return kept
            reply = self._inner.ask(question)
            if not reply.is_stored:
                self._store.put(stored_reply(key, question, reply))
            return reply

    def _kept(self, key: str, question: JudgeQuestion[T]) -> Reply[T] | None:
        stored = self._recorded.get(key) or (self._store.get(key) if self._store else None)
        if stored is None:
            return None
        try:
            value = parse_reply(stored.text, question.reply_type)
        except ReplyUnreadable:  # kept by an older parser: ask again
            return None
        return Reply(
            value,
            stored.text,
            stored.model,
            Usage(stored.prompt_tokens, stored.completion_tokens),
            stored.cost_usd,
            from_cache=True,
            attempts=0,
            latency_seconds=stored.latency_seconds or 0.0,
        )


def stored_reply(key: str, question: JudgeQuestion[T], reply: Reply[T]) -> StoredReply:
    """A reply as it is kept."""
    return StoredReply(
        key=key,
        prompt=f"{question.prompt.name}/{question.prompt.version}",
        model=reply.model,
        text=reply.text,
        prompt_tokens=reply.usage.prompt_tokens,
        completion_tokens=reply.usage.completion_tokens,
        cost_usd=reply.cost_usd,
        latency_seconds=round(reply.latency_seconds, 4) or None,
    )
