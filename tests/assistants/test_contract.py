"""The one shape of request and reply: what is sent, what is read, and what is said of a reply that does not fit."""

import json
from typing import Any

import pytest

from whichhalf.assistants.contract import read_reply, request_body
from whichhalf.assistants.seam import AssistantRequest
from whichhalf.core.case import Passage, Turn
from whichhalf.errors import AssistantFailed

PASSAGES = (Passage(id="c1", text="It opens at 9.", doc="hours", score=0.5), Passage(id="c2", text="保修"))
FREE = AssistantRequest("q1", "When?")
GIVEN = AssistantRequest("q1", "When?", (Turn(role="user", content="Hi"),), PASSAGES)


def test_a_request_without_passages() -> None:
    assert request_body(FREE) == {"id": "q1", "question": "When?", "history": [], "passages": None}


def test_a_request_with_passages_and_history() -> None:
    assert request_body(GIVEN) == {
        "id": "q1",
        "question": "When?",
        "history": [{"role": "user", "content": "Hi"}],
        "passages": [{"id": "c1", "text": "It opens at 9.", "doc": "hours"}, {"id": "c2", "text": "保修"}],
    }


def test_a_request_of_another_shape() -> None:
    beside: dict[str, Any] = {"stream": False, "input": {"lang": "en"}}
    body = request_body(GIVEN, {"question": "input.text", "history": "input.turns", "id": "", "passages": ""}, beside)
    assert body == {
        "stream": False,
        "input": {"lang": "en", "text": "When?", "turns": [{"role": "user", "content": "Hi"}]},
    }
    assert beside == {"stream": False, "input": {"lang": "en"}}, "what the config says is not written to"


def test_a_full_reply() -> None:
    body = {
        "answer": "At 9.",
        "retrieved": [{"id": "c1", "score": 0.5}, "c2"],
        "context": ["c1"],
        "model": "m",
        "prompt": "p",
        "cost_usd": 0.25,
        "meta": {"trace": 7},
        "unknown": "left alone",
    }
    reply = read_reply(json.dumps(body), FREE)
    assert reply.answer == "At 9."
    assert reply.retrieved == (Passage(id="c1", score=0.5), Passage(id="c2"))
    assert reply.context == (Passage(id="c1"),)
    assert reply.reranked is None
    assert (reply.model, reply.prompt, reply.cost_usd, dict(reply.meta)) == ("m", "p", 0.25, {"trace": 7})


def test_a_bare_text_is_an_answer_and_no_context_is_told() -> None:
    reply = read_reply('"At 9."', FREE)
    assert (reply.answer, reply.context) == ("At 9.", None)


def test_a_reply_of_another_shape() -> None:
    text = json.dumps({"output": {"text": "At 9."}, "docs": [{"id": 7}], "answer": "not this"})
    reply = read_reply(text, FREE, {"answer": "output.text", "context": "docs"})
    assert (reply.answer, reply.context) == ("At 9.", (Passage(id="7"),))


@pytest.mark.parametrize(
    "body",
    [{"answer": "At 9.", "used_passages": True}, {"answer": "At 9.", "context": ["c2", "c1"]}],
    ids=["it says so", "by its context"],
)
def test_given_passages_were_used(body: dict[str, Any]) -> None:
    context = read_reply(json.dumps(body), GIVEN).context
    assert context is not None
    assert {one.id for one in context} == {"c1", "c2"}


@pytest.mark.parametrize(
    "body",
    [{"answer": "At 9."}, {"answer": "At 9.", "context": ["c1"]}, {"answer": "x", "context": ["c1", "c2", "c3"]}],
    ids=["nothing told", "fewer", "more"],
)
def test_given_passages_were_not_used(body: dict[str, Any]) -> None:
    with pytest.raises(AssistantFailed, match='"used_passages": true') as caught:
        read_reply(json.dumps(body), GIVEN)
    assert caught.value.reason == "passages_ignored"


UNREADABLE = {
    "no JSON": ("<html>", "not valid JSON"),
    "NaN": ('{"answer": "x", "cost_usd": NaN}', "NaN is not a JSON number"),
    "half a character": ('{"answer": "\\ud83d"}', "half of a surrogate pair"),
    "a number": ("5", "neither text nor a map with an answer, but 5"),
    "a list": ('["x"]', 'but ["x"]'),
    "nothing": ("{}", "the reply has no answer under answer; it has nothing"),
    "a blank answer": ('{"answer": " "}', "the reply has no answer: it is empty"),
    "null": ('{"answer": null}', "the reply has no answer: it is empty"),
    "another name": ('{"response": "x"}', '[assistant.reply] answer = "response"'),
    "a wrong type": ('{"answer": ["x"]}', "answer: must be text in quotes"),
    "wrong passages": ('{"answer": "x", "context": "c1"}', "context: must be a list of passage ids"),
    "a decimal id": ('{"answer": "x", "context": [1.5]}', "1.5 is a decimal number"),
}


@pytest.mark.parametrize(("text", "said"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_an_unreadable_reply_says_why(text: str, said: str) -> None:
    with pytest.raises(AssistantFailed) as caught:
        read_reply(text, FREE)
    assert caught.value.reason == "reply_unreadable"
    assert said in str(caught.value)


def test_an_error_of_the_assistant_is_its_own() -> None:
    with pytest.raises(AssistantFailed, match="the assistant says: index offline") as caught:
        read_reply('{"error": "index offline"}', FREE)
    assert caught.value.reason == "assistant_error"
