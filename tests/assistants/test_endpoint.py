"""The assistant behind HTTP, over real sockets: retries, keys, redirects, and every way a server fails."""

from typing import Any

import pytest

from assistant_server import AssistantServer
from judge_server import Response, always, dropped, error, html, in_order, slow, trickling
from whichhalf.assistants.endpoint import HttpAssistant
from whichhalf.assistants.seam import AssistantRequest
from whichhalf.assistants.settings import AssistantSettings
from whichhalf.core.case import Passage
from whichhalf.errors import AssistantFailed, InputError, JudgeUnusable
from whichhalf.judging.retrying import Patience

KEY = "TEST-KEY-0000"
REQUEST = AssistantRequest("q1", "When?")


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


class Desk:
    """An assistant that never sleeps for long, and how long it would have slept."""

    def __init__(self, server: AssistantServer, **settings: Any) -> None:
        self.slept: list[float] = []
        asked = AssistantSettings(url=server.url, **settings)
        self.assistant = HttpAssistant(asked, Patience(3, sleep=self.slept.append, jitter=lambda: 0.0))

    def ask(self, request: AssistantRequest = REQUEST) -> Any:
        try:
            return self.assistant.reply(request)
        finally:
            self.assistant.close()


def test_one_post_a_question() -> None:
    with AssistantServer() as server:
        reply = Desk(server).ask()
    assert (reply.answer, reply.attempts) == ("You asked: When?", 1)
    assert reply.context == (Passage(id="c12"),)
    assert reply.latency_seconds > 0.0
    [request] = server.requests
    assert request.path == "/ask"
    assert request.body == {"id": "q1", "question": "When?", "history": [], "passages": None}
    assert "authorization" not in request.headers


def test_another_shape_both_ways() -> None:
    with AssistantServer(reply=lambda body: {"data": {"text": body["query"].upper()}}) as server:
        desk = Desk(
            server,
            request={"question": "query", "id": "", "passages": "", "history": ""},
            reply={"answer": "data.text"},
            body={"stream": False},
        )
        assert desk.ask().answer == "WHEN?"
        assert not desk.assistant.takes_passages
    assert server.requests[0].body == {"query": "When?", "stream": False}


@pytest.mark.parametrize(
    ("header", "name", "value"),
    [("Authorization", "authorization", f"Bearer {KEY}"), ("X-Api-Key", "x-api-key", KEY)],
)
def test_the_key_goes_into_its_header(header: str, name: str, value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_BOT_KEY", f"{KEY}\n")
    with AssistantServer() as server:
        Desk(server, api_key_env="MY_BOT_KEY", key_header=header).ask()
    assert server.requests[0].headers[name] == value


def test_a_missing_key_is_found_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_BOT_KEY", raising=False)
    with AssistantServer() as server:
        with pytest.raises(InputError, match=r"needs a key: the environment variable MY_BOT_KEY is not set"):
            Desk(server, api_key_env="MY_BOT_KEY")
        assert server.requests == []


TRANSIENT = {
    "408": error(408),
    "429": error(429),
    "500": error(500),
    "503": error(503),
    "dropped": dropped(),
}


@pytest.mark.parametrize("fault", TRANSIENT.values(), ids=TRANSIENT.keys())
def test_what_passes_is_tried_again(fault: Response) -> None:
    with AssistantServer(plan=in_order(fault, fault)) as server:
        reply = Desk(server).ask()
    assert (reply.answer, reply.attempts, len(server.requests)) == ("You asked: When?", 3, 3)


@pytest.mark.parametrize("fault", [error(500), error(503), dropped()], ids=["500", "503", "dropped"])
def test_what_does_not_pass_is_a_failure_of_the_question(fault: Response) -> None:
    with AssistantServer(plan=always(fault)) as server:
        with pytest.raises(AssistantFailed, match="the assistant could not") as caught:
            Desk(server).ask()
        assert (caught.value.reason, caught.value.attempts, len(server.requests)) == ("unreachable", 3, 3)


def test_a_trickling_reply_is_given_up() -> None:
    with AssistantServer(plan=in_order(trickling(0.1))) as server:
        assert Desk(server, timeout_seconds=0.5).ask().attempts == 2


def test_a_slow_server_is_given_up() -> None:
    with AssistantServer(plan=in_order(slow(1.0))) as server:
        reply = Desk(server, timeout_seconds=0.2).ask()
    assert reply.attempts == 2


def test_retry_after_is_obeyed() -> None:
    """bug-159"""
    with AssistantServer(plan=in_order(error(429, retry_after_ms="300"))) as server:
        desk = Desk(server)
        desk.ask()
    assert desk.slept == [0.3]


@pytest.mark.parametrize("status", [401, 403, 404, 405])
def test_a_wrong_key_or_address_stops_everything(status: int) -> None:
    with AssistantServer(plan=always(error(status))) as server:
        with pytest.raises(JudgeUnusable, match=rf"the assistant rejects every call \({status}\)"):
            Desk(server).ask()
        assert len(server.requests) == 1


@pytest.mark.parametrize("status", [400, 413, 422])
def test_another_4xx_concerns_the_question(status: int) -> None:
    with AssistantServer(plan=always(error(status, "too long"))) as server:
        with pytest.raises(AssistantFailed, match="too long") as caught:
            Desk(server).ask()
        assert (caught.value.reason, len(server.requests)) == ("rejected", 1)


def test_redirects_are_not_followed_and_the_key_stays_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_BOT_KEY", KEY)
    with AssistantServer() as other:
        moved = Response(307, "", {"Location": f"{other.url}?k={KEY}"})
        with AssistantServer(plan=always(moved)) as server:
            with pytest.raises(JudgeUnusable, match="write the address that answers") as caught:
                Desk(server, api_key_env="MY_BOT_KEY").ask()
            assert len(server.requests) == 1
        assert other.requests == []
    assert f"redirects to {other.url}?k=***" in str(caught.value)


def test_a_page_is_no_reply() -> None:
    with AssistantServer(plan=always(html())) as server, pytest.raises(AssistantFailed, match="<html>") as caught:
        Desk(server).ask()
    assert caught.value.reason == "reply_unreadable"


def test_the_key_is_in_no_message_and_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_BOT_KEY", KEY)
    plan = in_order(error(422, f"bad {KEY}"), html(f"<p>{KEY}"), error(401, KEY))
    said = []
    with AssistantServer(reply=lambda _: {"answer": f"Your key is {KEY}"}, plan=plan) as server:
        for _ in range(3):
            with pytest.raises((AssistantFailed, JudgeUnusable)) as caught:
                Desk(server, api_key_env="MY_BOT_KEY").ask()
            said.append(str(caught.value))
        assert Desk(server, api_key_env="MY_BOT_KEY").ask().answer == "Your key is ***"
    assert all("***" in one and KEY not in one for one in said)
