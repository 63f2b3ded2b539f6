"""A line for every question, and sums that say when they do not know."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pydantic import BaseModel

from whichhalf.core.run import CallRecord, Cost
from whichhalf.errors import JudgeRefused, JudgeUnreachable, JudgeUnusable, ReplyNotRecorded
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.key import reply_key
from whichhalf.judging.ledger import Ledger, LedgerJudge
from whichhalf.judging.retrying import Patience, RetryingJudge
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion, Reply, T, Usage

AskAbout = Callable[..., JudgeQuestion[Any]]
GOOD = '{"word": "x"}'


class Note(BaseModel):
    word: str


class Fixed:
    """Always the same reply, or the same error."""

    identity = JudgeIdentity("openai/judge-a", None, {})

    def __init__(self, reply: Reply[Any] | Exception) -> None:
        self.reply = reply

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:  # noqa: ARG002
        if isinstance(self.reply, Exception):
            raise self.reply
        return self.reply


def record(**changes: Any) -> CallRecord:
    base = CallRecord(
        prompt="name_it",
        version="v1",
        prompt_sha256="0" * 64,
        repeat=0,
        model_asked="openai/judge-a",
        model_returned="judge-a-2026",
        cached=False,
        attempts=1,
        latency_seconds=0.0,
        prompt_tokens=10,
        completion_tokens=5,
        cost_usd=0.25,
        result="ok",
    )
    return base.model_copy(update=changes)


def test_a_reply_is_one_complete_line(ask_about: AskAbout) -> None:
    ledger = Ledger()
    reply = Reply(Note(word="x"), GOOD, "judge-a-2026", Usage(10, 5), 0.25, attempts=3)
    assert LedgerJudge(Fixed(reply), ledger).ask(ask_about(repeat=2, version="v4")) is reply
    line = ledger.records[0]
    assert 0.0 <= line.latency_seconds < 1.0
    expected = record(
        repeat=2, version="v4", attempts=3, key=reply_key(Fixed.identity, ask_about(repeat=2, version="v4"))
    )
    assert line.model_copy(update={"latency_seconds": 0.0}) == expected


@pytest.mark.parametrize("error", [JudgeRefused("no"), JudgeUnreachable("busy")], ids=lambda error: error.reason)
def test_a_lost_reply_is_a_line_with_its_reason(error: Exception, ask_about: AskAbout) -> None:
    ledger = Ledger()
    with pytest.raises(type(error)) as caught:
        LedgerJudge(Fixed(error), ledger).ask(ask_about())
    assert caught.value is error
    assert [line.model_copy(update={"latency_seconds": 0.0}) for line in ledger.records] == [
        record(
            model_returned=None,
            prompt_tokens=None,
            completion_tokens=None,
            cost_usd=None,
            result=getattr(error, "reason", ""),
            key=reply_key(Fixed.identity, ask_about()),
        )
    ]


def test_an_unusable_judge_is_no_line_of_a_question(ask_about: AskAbout) -> None:
    ledger = Ledger()
    with pytest.raises(JudgeUnusable):
        LedgerJudge(Fixed(JudgeUnusable("key")), ledger).ask(ask_about())
    assert ledger.records == []


def test_a_reply_that_is_not_recorded_is_no_call(ask_about: AskAbout) -> None:
    ledger = Ledger()
    with pytest.raises(ReplyNotRecorded):
        LedgerJudge(Fixed(ReplyNotRecorded("none")), ledger).ask(ask_about())
    assert [(line.result, line.attempts) for line in ledger.records] == [("reply_not_recorded", 0)]
    assert ledger.cost() == Cost(judge_calls=0, cached=0)


def test_hits_and_retries_are_told_apart(ask_about: AskAbout) -> None:
    ledger = Ledger()
    inner = RetryingJudge(ScriptedJudge([JudgeUnreachable("busy"), GOOD, GOOD]), Patience(sleep=lambda _: None))
    judge = LedgerJudge(CachingJudge(inner), ledger)
    for text in ("a", "a", "b"):
        judge.ask(ask_about(text))
    assert [(line.cached, line.attempts) for line in ledger.records] == [(False, 2), (True, 0), (False, 1)]
    assert (ledger.cost().judge_calls, ledger.cost().cached) == (3, 1)


SUMS = {
    "nothing was asked": ([], Cost()),
    "two calls": ([record(), record()], Cost(judge_calls=2, prompt_tokens=20, completion_tokens=10, usd=0.5)),
    "hits cost nothing": ([record(), record(cached=True, attempts=0)], Cost(
        judge_calls=1, cached=1, prompt_tokens=10, completion_tokens=5, usd=0.25)),
    "only hits": ([record(cached=True, attempts=0)], Cost(cached=1)),
    "one price unknown": ([record(), record(cost_usd=None)], Cost(
        judge_calls=2, prompt_tokens=20, completion_tokens=10, usd=None)),
    "one usage unknown": ([record(), record(prompt_tokens=None)], Cost(
        judge_calls=2, prompt_tokens=None, completion_tokens=10, usd=0.5)),
    "free is not unknown": ([record(cost_usd=0.0)], Cost(
        judge_calls=1, prompt_tokens=10, completion_tokens=5, usd=0.0)),
    "a lost reply whose tokens are told": ([record(), record(result="reply_cut", cost_usd=0.5)], Cost(
        judge_calls=2, prompt_tokens=20, completion_tokens=10, usd=0.75)),
    "a lost reply that tells nothing": (
        [record(), record(result="judge_unreachable", prompt_tokens=None, completion_tokens=None, cost_usd=None)],
        Cost(judge_calls=2, prompt_tokens=10, completion_tokens=5, usd=0.25)),
    "a retried call": ([record(attempts=3)], Cost(
        judge_calls=3, prompt_tokens=10, completion_tokens=5, usd=0.25)),
}  # fmt: skip


@pytest.mark.parametrize(("records", "expected"), SUMS.values(), ids=SUMS.keys())
def test_sums(records: list[CallRecord], expected: Cost) -> None:
    assert Ledger(records).cost() == expected


def test_models_are_those_the_servers_named() -> None:
    ledger = Ledger([record(model_returned="b"), record(model_returned="a"), record(model_returned=None), record()])
    assert ledger.models_returned == ["a", "b", "judge-a-2026"]


CHANGES = {
    "one model": ([record(), record(cached=True)], []),
    "two in one run": ([record(), record(model_returned="b"), record()], [
        "the judge answered as several models: b (1), judge-a-2026 (2)"]),
    "another than before": ([record(cached=True), record(model_returned="b"), record(model_returned="b")], [
        "the model behind the judge has changed: kept replies are of judge-a-2026 (1), new ones of b (2)"]),
    "an embedding model is another model": ([record(), record(prompt="embedding", model_returned="e")], []),
    "a lost reply names none": ([record(), record(model_returned=None, result="judge_refused")], []),
}  # fmt: skip


@pytest.mark.parametrize(("records", "notices"), CHANGES.values(), ids=CHANGES.keys())
def test_a_change_of_the_model_is_told(records: list[CallRecord], notices: list[str]) -> None:
    assert Ledger(records).notices() == notices


def test_lines_are_sorted_without_what_is_chance() -> None:
    lines = [
        record(key="b", cached=True, attempts=0),
        record(key="c", attempts=4),
        record(key="a", latency_seconds=9.0),
    ]
    assert [one.key for one in Ledger(lines).sorted_records()] == ["a", "b", "c"]


def test_threads_lose_no_line(ask_about: AskAbout) -> None:
    ledger = Ledger()
    judge = LedgerJudge(Fixed(Reply(Note(word="x"), GOOD, "m")), ledger)
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(judge.ask, [ask_about(repeat=number) for number in range(500)]))
    assert sorted(line.repeat for line in ledger.records) == list(range(500))
