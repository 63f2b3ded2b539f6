"""Estimates are counted from the questions and from what the offline baseline replies; kept replies cost nothing."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from whichhalf.errors import ReplyUnreadable
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.embedding import EmbedderIdentity
from whichhalf.judging.estimating import EstimatingEmbedder, EstimatingJudge, FirstFound, estimated_tokens
from whichhalf.judging.key import reply_key
from whichhalf.judging.model_names import WORDLLAMA
from whichhalf.judging.offline import OfflineJudge
from whichhalf.judging.reply_store import StoredReply
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion

AskAbout = Callable[..., JudgeQuestion[Any]]
PRICED = JudgeIdentity("openai/gpt-4o-mini", None, {})


@pytest.mark.parametrize(("text", "tokens"), [("", 1), ("abc", 1), ("abcd", 2), ("ñ" * 4, 3), ("\ud83d", 1)])
def test_four_bytes_are_a_token(text: str, tokens: int) -> None:
    assert estimated_tokens(text) == tokens


def test_a_question_takes_its_messages_and_the_offline_reply(split_question: AskAbout) -> None:
    question = split_question()
    reply = EstimatingJudge(PRICED).ask(question)
    asked = sum(estimated_tokens(message.content) for message in question.prompt.messages)
    answered = estimated_tokens(OfflineJudge().ask(question).text)
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (asked, answered)
    assert reply.cost_usd == pytest.approx(asked * 1.5e-07 + answered * 6e-07)
    assert EstimatingJudge(JudgeIdentity("openai/judge-a", None, {})).ask(question).cost_usd is None


def test_a_prompt_of_ones_own_is_counted_without_its_reply(ask_about: AskAbout) -> None:
    with pytest.raises(ReplyUnreadable) as caught:
        EstimatingJudge(PRICED).ask(ask_about())
    assert (caught.value.prompt_tokens, caught.value.completion_tokens) == (2 + 3, 0)


def test_kept_replies_are_found_wherever_they_are(split_question: AskAbout) -> None:
    question = split_question()
    key = reply_key(PRICED, question)
    text = json.dumps({"refuses": True, "claims": []})
    kept = {key: StoredReply(key=key, prompt="split_claims/v1", model="m", text=text)}
    judge = CachingJudge(EstimatingJudge(PRICED), recorded=FirstFound(None, {}, kept))
    assert judge.ask(question).value.refuses is True
    assert judge.ask(question).from_cache is True


@pytest.mark.parametrize(("model", "calls"), [(WORDLLAMA, 0), ("openai/embedder-a", 1)])
def test_only_a_model_elsewhere_is_called(model: str, calls: int) -> None:
    found = EstimatingEmbedder(EmbedderIdentity(model)).embed(["abc", "abcd"])
    assert (len(found.vectors), found.attempts, found.usage.prompt_tokens) == (2, calls, 3)
