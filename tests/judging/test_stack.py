"""How a judge is put together from its settings."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from judge_server import JudgeServer, error, in_order
from whichhalf.errors import InputError, ReplyNotRecorded
from whichhalf.judging.key import reply_key
from whichhalf.judging.offline import OfflineJudge
from whichhalf.judging.reply_store import ReplyStore, StoredReply
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion
from whichhalf.judging.settings import JudgeSettings
from whichhalf.judging.stack import build_judge

AskAbout = Callable[..., JudgeQuestion[Any]]


def test_the_default_is_the_baseline_and_says_so() -> None:
    judge = build_judge(JudgeSettings())
    assert judge.identity == JudgeIdentity("offline", None, {}, is_baseline=True)


def test_the_baseline_is_never_kept(split_question: AskAbout, tmp_path: Path) -> None:
    store = ReplyStore(tmp_path / "cache")
    judge = build_judge(JudgeSettings(), store=store)
    assert judge.ask(split_question()).from_cache is False
    assert judge.ask(split_question()).from_cache is True, "but not asked twice in a run"
    assert list(store) == []


def test_a_recorded_judge_needs_its_file() -> None:
    with pytest.raises(InputError, match=r"^judge recorded/expert answers from a file: set \[judge\] replies$"):
        build_judge(JudgeSettings(model="recorded/expert"))


def test_a_recorded_judge_answers_from_its_file_alone(ask_about: AskAbout) -> None:
    identity = JudgeIdentity("recorded/expert", None, {})
    key = reply_key(identity, ask_about())
    recorded = {key: StoredReply(key=key, prompt="name_it/v1", model="recorded/expert", text='{"word": "x"}')}
    judge = build_judge(JudgeSettings(model="recorded/expert", temperature=1.0), recorded=recorded)
    assert judge.identity == identity
    assert judge.ask(ask_about()).value.word == "x"
    missing = reply_key(identity, ask_about("another text"))[:12]
    with pytest.raises(ReplyNotRecorded) as caught:
        judge.ask(ask_about("another text"))
    assert str(caught.value) == (
        f"no kept reply of recorded/expert to name_it/v1 (key {missing}), and no call may be made"
    )


def test_a_real_judge_is_cached_and_retried(split_question: AskAbout, tmp_path: Path) -> None:
    store = ReplyStore(tmp_path / "cache")
    with JudgeServer(plan=in_order(error(503, retry_after="0"))) as server:
        judge = build_judge(JudgeSettings(model="openai/judge-a", base_url=server.base_url), store=store)
        replies = [judge.ask(split_question()) for _ in range(2)]
    assert [(reply.from_cache, reply.attempts) for reply in replies] == [(False, 2), (True, 0)]
    assert len(server.requests) == 2
    assert [reply.text for reply in store] == [replies[0].text]


def test_replay_finds_kept_replies_and_calls_nobody(split_question: AskAbout, tmp_path: Path) -> None:
    store = ReplyStore(tmp_path / "cache")
    with JudgeServer() as server:
        settings = JudgeSettings(model="openai/judge-a", base_url=server.base_url)
        first = build_judge(settings, store=store).ask(split_question())
        replay = build_judge(settings, store=store, replay_only=True)
        kept = replay.ask(split_question())
        with pytest.raises(ReplyNotRecorded):
            replay.ask(split_question("Another answer."))
    assert (kept.value, kept.from_cache) == (first.value, True)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    "setting",
    [
        {"model": ""},
        {"base_url": "localhost:8000/v1"},
        {"base_url": "ftp://judge/v1"},
        {"temperature": -0.1},
        {"temperature": float("nan")},
        {"max_output_tokens": 63},
        {"timeout_seconds": 0},
        {"concurrency": 0},
        {"api_key": "TEST-KEY-0000"},
    ],
    ids=str,
)
def test_settings_that_cannot_work_are_refused(setting: dict[str, Any]) -> None:
    with pytest.raises(ValidationError) as caught:
        JudgeSettings(**setting)
    assert [part["loc"] for part in caught.value.errors()] == [tuple(setting)]


def test_the_offline_judge_and_the_seam_agree(split_question: AskAbout) -> None:
    question = split_question()
    built, plain = build_judge(JudgeSettings()).ask(question), OfflineJudge().ask(question)
    assert (built.value, built.text) == (plain.value, plain.text)
