"""Nothing is asked twice, nothing that failed is kept, and nothing is shared that differs."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from whichhalf.errors import JudgeError, JudgeRefused, JudgeUnreachable, ReplyCut, ReplyUnreadable
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.key import reply_key
from whichhalf.judging.parsing import parse_reply
from whichhalf.judging.reply_store import ReplyStore, StoredReply
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion, Reply, T, Usage

AskAbout = Callable[..., JudgeQuestion[Any]]


class CountingJudge:
    """Every reply is a new number; it fills every field of a reply, as a provider does."""

    def __init__(self, identity: JudgeIdentity | None = None) -> None:
        self.identity = identity or JudgeIdentity("openai/judge-a", "http://a/v1", {"temperature": 0.0})
        self.calls = 0
        self.in_call = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()
        self._guard = threading.Lock()

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
        with self._guard:
            self.calls += 1
            text = f'{{"word": "{self.calls}"}}'
        self.in_call.set()
        assert self.go_on.wait(10)
        value = parse_reply(text, question.reply_type)
        return Reply(value, text, "judge-a-2026", Usage(11, 7), 0.5, attempts=2, latency_seconds=0.1)


def opened(folder: Path) -> ReplyStore:
    return ReplyStore(folder / "cache")


def test_the_second_asker_meets_the_cache(ask_about: AskAbout) -> None:
    inner = CountingJudge()
    judge = CachingJudge(inner)
    first, second = judge.ask(ask_about()), judge.ask(ask_about())
    assert inner.calls == 1
    assert (first.from_cache, first.attempts) == (False, 2)
    assert second == replace(first, from_cache=True, attempts=0, latency_seconds=0.0)


def test_bug_177_and_188_a_hit_fills_the_same_fields_as_a_miss(ask_about: AskAbout, tmp_path: Path) -> None:
    miss = CachingJudge(CountingJudge(), store=opened(tmp_path)).ask(ask_about())
    inner = CountingJudge()
    hit = CachingJudge(inner, store=opened(tmp_path)).ask(ask_about())
    assert inner.calls == 0
    assert hit == replace(miss, from_cache=True, attempts=0)
    assert (hit.usage, hit.cost_usd, hit.model) == (Usage(11, 7), 0.5, "judge-a-2026")


def test_unknown_usage_and_cost_stay_unknown(ask_about: AskAbout, tmp_path: Path) -> None:
    CachingJudge(ScriptedJudge(['{"word": "x"}']), store=opened(tmp_path)).ask(ask_about())
    hit = CachingJudge(ScriptedJudge([]), store=opened(tmp_path)).ask(ask_about())
    assert (hit.usage, hit.cost_usd) == (Usage(None, None), None)


def test_twenty_threads_make_one_call(ask_about: AskAbout) -> None:
    inner = CountingJudge()
    inner.go_on.clear()
    judge = CachingJudge(inner)
    with ThreadPoolExecutor(20) as pool:
        futures = [pool.submit(judge.ask, ask_about()) for _ in range(20)]
        assert inner.in_call.wait(10)
        inner.go_on.set()
        replies = [future.result(timeout=10) for future in futures]
    assert inner.calls == 1
    assert {reply.text for reply in replies} == {'{"word": "1"}'}
    assert sorted(reply.from_cache for reply in replies) == [False] + [True] * 19


def test_different_questions_do_not_wait_for_each_other(ask_about: AskAbout) -> None:
    together = threading.Barrier(8)

    class MeetingJudge(CountingJudge):
        def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
            together.wait(10)  # passes only when all eight are inside
            return super().ask(question)

    inner = MeetingJudge()
    judge = CachingJudge(inner)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(judge.ask, [ask_about(str(number)) for number in range(8)]))
    assert inner.calls == 8
    assert len({reply.text for reply in replies}) == 8


FAILURES: list[JudgeError] = [
    ReplyUnreadable("prose"),
    ReplyCut("cut"),
    JudgeRefused("no"),
    JudgeUnreachable("busy"),
]


@pytest.mark.parametrize("failure", FAILURES, ids=lambda failure: failure.reason)
def test_bug_181_failures_are_never_kept(failure: JudgeError, ask_about: AskAbout, tmp_path: Path) -> None:
    store = opened(tmp_path)
    judge = CachingJudge(ScriptedJudge([failure, '{"word": "x"}']), store=store)
    with pytest.raises(type(failure)):
        judge.ask(ask_about())
    assert list(store) == []
    healed = judge.ask(ask_about())
    assert (healed.text, healed.from_cache) == ('{"word": "x"}', False)
    assert [reply.text for reply in store] == ['{"word": "x"}']


def test_a_failure_lets_those_who_wait_ask_for_themselves(ask_about: AskAbout) -> None:
    calls = count()

    def first_fails(_: JudgeQuestion[Any]) -> str:
        if next(calls) == 0:
            raise JudgeRefused("no")
        return '{"word": "x"}'

    judge = CachingJudge(ScriptedJudge(first_fails))
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(judge.ask, ask_about()) for _ in range(4)]
    assert sorted(type(future.exception()).__name__ for future in futures) == ["JudgeRefused"] + ["NoneType"] * 3
    assert next(calls) == 2


def test_recorded_replies_come_before_the_disk_and_the_judge(ask_about: AskAbout, tmp_path: Path) -> None:
    inner = CountingJudge()
    store = opened(tmp_path)
    CachingJudge(inner, store=store).ask(ask_about())
    key = reply_key(inner.identity, ask_about())
    recorded = {
        key: StoredReply(key=key, prompt="name_it/v1", model="expert", text='{"word": "recorded"}', cost_usd=0.0)
    }
    reply = CachingJudge(inner, store=store, recorded=recorded).ask(ask_about())
    assert (reply.text, reply.model, reply.from_cache, reply.attempts) == ('{"word": "recorded"}', "expert", True, 0)
    assert inner.calls == 1


def test_a_kept_reply_that_no_longer_parses_is_asked_again(ask_about: AskAbout, tmp_path: Path) -> None:
    inner = CountingJudge()
    store = opened(tmp_path)
    key = reply_key(inner.identity, ask_about())
    store.put(StoredReply(key=key, prompt="name_it/v1", model="m", text='{"other": 1}'))
    reply = CachingJudge(inner, store=store).ask(ask_about())
    assert (reply.text, reply.from_cache, inner.calls) == ('{"word": "1"}', False, 1)
    kept = store.get(key)
    assert kept is not None
    assert kept.text == '{"word": "1"}', "the new reply replaces the old one"


@pytest.mark.parametrize(
    "other",
    [
        {"model": "openai/judge-b"},
        {"endpoint": "http://b/v1"},
        {"sampling": {"temperature": 1.0}},
        {"sampling": {"temperature": 0.0, "seed": 2}},
    ],
    ids=["bug-172 and 179 model", "endpoint", "bug-169 temperature", "bug-169 seed"],
)
def test_judges_that_differ_share_nothing(other: dict[str, Any], ask_about: AskAbout, tmp_path: Path) -> None:
    store = opened(tmp_path)
    first = CountingJudge()
    second = CountingJudge(replace(first.identity, **other))
    for judge in (first, second, first, second):
        CachingJudge(judge, store=store).ask(ask_about())
    assert (first.calls, second.calls) == (1, 1)


def test_bug_175_questions_that_differ_share_nothing(ask_about: AskAbout, tmp_path: Path) -> None:
    inner = CountingJudge()
    judge = CachingJudge(inner, store=opened(tmp_path))
    replies = [judge.ask(ask_about(text, system=system)) for text in ("a", "b") for system in ("v1 words", "v2 words")]
    assert inner.calls == 4
    assert [reply.text for reply in replies] == [f'{{"word": "{number}"}}' for number in (1, 2, 3, 4)]


def test_bug_173_and_174_repeats_are_samples_of_their_own(ask_about: AskAbout, tmp_path: Path) -> None:
    inner = CountingJudge()
    first = [CachingJudge(inner, store=opened(tmp_path)).ask(ask_about(repeat=number)).text for number in range(5)]
    assert len(set(first)) == 5
    again = [CachingJudge(inner, store=opened(tmp_path)).ask(ask_about(repeat=number)).text for number in range(5)]
    assert again == first
    assert inner.calls == 5
    assert len(list(opened(tmp_path))) == 5


def test_the_store_names_the_prompt(ask_about: AskAbout, tmp_path: Path) -> None:
    store = opened(tmp_path)
    inner = CountingJudge()
    CachingJudge(inner, store=store).ask(ask_about(version="v3"))
    assert list(store) == [
        StoredReply(
            key=reply_key(inner.identity, ask_about()),
            prompt="name_it/v3",
            model="judge-a-2026",
            text='{"word": "1"}',
            prompt_tokens=11,
            completion_tokens=7,
            cost_usd=0.5,
            latency_seconds=0.1,
        )
    ]


def test_it_has_the_identity_of_the_judge_it_wraps() -> None:
    inner = CountingJudge()
    assert CachingJudge(inner).identity is inner.identity
