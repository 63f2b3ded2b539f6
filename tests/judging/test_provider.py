"""The real SDKs over real sockets, against a server on 127.0.0.1."""

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from judge_server import (
    JudgeServer,
    Response,
    always,
    choice,
    completion,
    cut,
    dropped,
    error,
    filtered,
    html,
    in_order,
    no_choices,
    refusal,
    rejecting,
    slow,
)
from watched_network import looked_up, spoken_to, watching
from whichhalf.errors import (
    ContextTooLong,
    InputError,
    JudgeError,
    JudgeRefused,
    JudgeUnreachable,
    JudgeUnusable,
    ReplyCut,
    ReplyTorn,
    ReplyUnreadable,
)
from whichhalf.judged.claims import SplitReply
from whichhalf.judging.provider import ENLARGED, Provider
from whichhalf.judging.retrying import Patience, RetryingJudge
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion, Usage
from whichhalf.judging.settings import JudgeSettings

AskAbout = Callable[..., JudgeQuestion[Any]]
KEY = "TEST-KEY-0000"
GOOD = '{"refuses": false, "claims": [{"quote": "It opens at 9.", "claim": "It opens at 9."}]}'


@pytest.fixture(autouse=True)
def _no_settings_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def provider(server: JudgeServer, **settings: Any) -> Provider:
    return Provider(JudgeSettings(model="openai/judge-a", base_url=server.base_url, **settings))


def test_one_question_is_one_request(split_question: AskAbout) -> None:
    question = split_question()
    with JudgeServer() as server:
        reply = provider(server).ask(question)
    (request,) = server.requests
    assert request.path == "/v1/chat/completions"
    assert request.body == {
        "model": "judge-a",
        "messages": [{"role": message.role, "content": message.content} for message in question.prompt.messages],
        "temperature": 0.0,
        "max_tokens": 4096,
        "response_format": {
            "type": "json_schema",
            "json_schema": {
                "name": "split_claims",
                "strict": True,
                "schema": {
                    "$defs": {
                        "_SplitClaim": {
                            "type": "object",
                            "properties": {"quote": {"type": "string"}, "claim": {"type": "string"}},
                            "required": ["quote", "claim"],
                            "additionalProperties": False,
                        }
                    },
                    "type": "object",
                    "properties": {
                        "refuses": {"type": "boolean"},
                        "claims": {"type": "array", "items": {"$ref": "#/$defs/_SplitClaim"}},
                    },
                    "required": ["refuses", "claims"],
                    "additionalProperties": False,
                },
            },
        },
    }
    sentences = ["It opens at 9.", "It closes at 18."]
    assert reply.value == SplitReply.model_validate(
        {"refuses": False, "claims": [{"quote": one, "claim": one} for one in sentences]}
    )
    assert json.loads(reply.text) == reply.value.model_dump()
    assert (reply.model, reply.usage) == ("judge-a-2026-11-01", Usage(11, 7))
    assert (reply.cost_usd, reply.from_cache, reply.attempts) == (None, False, 1)
    assert 0.0 < reply.latency_seconds < 60.0


def test_settings_are_sent(split_question: AskAbout) -> None:
    with JudgeServer() as server:
        provider(server, temperature=0.7, seed=40, max_output_tokens=512).ask(split_question(repeat=2))
    body = server.requests[0].body
    assert (body["temperature"], body["max_tokens"]) == (0.7, 512)
    assert body["seed"] == 42, "each repeat draws with its own seed"


def test_an_enlarged_question_has_more_room(split_question: AskAbout) -> None:
    with JudgeServer(plan=in_order(cut("{"))) as server:
        reply = RetryingJudge(provider(server, max_output_tokens=512)).ask(split_question())
    assert [request.body["max_tokens"] for request in server.requests] == [512, 512 * ENLARGED]
    assert reply.attempts == 2


def test_the_identity_holds_what_is_sent() -> None:
    settings = JudgeSettings(model="openai/judge-a", base_url="http://127.0.0.1/v1", temperature=0.5, seed=1)
    sampling = {"temperature": 0.5, "seed": 1, "max_output_tokens": 4096}
    assert Provider(settings).identity == JudgeIdentity("openai/judge-a", "http://127.0.0.1/v1", sampling)


def body_with(**changes: Any) -> Response:
    message = {"role": "assistant", "content": GOOD}
    body = completion([{"index": 0, "finish_reason": "stop", "message": message}])
    return Response(body={**body, **changes})


FAULTS: dict[str, tuple[Response, type[Exception], str]] = {
    "401": (error(401, "bad key"), JudgeUnusable, r"the judge rejects every call \(401\): .*bad key"),
    "403": (error(403, "forbidden"), JudgeUnusable, r"\(403\)"),
    "404": (error(404, "no such model"), JudgeUnusable, r"\(404\).*no such model"),
    "400": (error(400, "bad request"), JudgeUnusable, r"\(400\).*bad request"),
    "bug-161 quota by its code": (error(429, "no", code="insufficient_quota"), JudgeUnusable, "quota is exhausted.*no"),
    "quota by its text": (error(429, "You exceeded your current quota, check your billing"), JudgeUnusable, "quota"),
    "429": (error(429, "slow down"), JudgeUnreachable, "answered 429: .*slow down"),
    "408": (error(408), JudgeUnreachable, "answered 408"),
    "409": (error(409), JudgeUnreachable, "answered 409"),
    "500": (error(500), JudgeUnreachable, "answered 500"),
    "503": (error(503), JudgeUnreachable, "answered 503"),
    "529": (error(529), JudgeUnreachable, "answered 529"),
    "502 with a page": (html("<html>Bad gateway</html>", 502), JudgeUnreachable, "answered 502.*Bad gateway"),
    "429 in another form": (Response(429, {"detail": "at most 3 a minute"}), JudgeUnreachable, "at most 3 a minute"),
    "window by its code": (error(400, "no", code="context_length_exceeded"), ContextTooLong, "context_length_exceeded"),
    "window in another form": (Response(400, {"detail": "prompt is too long"}), ContextTooLong, "prompt is too long"),
    "413": (error(413), ContextTooLong, "does not fit"),
    "bug-107 filter by its code": (error(400, "no", code="content_filter"), JudgeRefused, "stopped the question"),
    "200 with a page": (html(), JudgeUnreachable, "no JSON; it begins '<html><body>Please log in"),
    "200 with an error": (Response(body={"error": {"message": "upstream", "code": 502}}), JudgeUnreachable, "upstream"),
    "200 with a busy error": (
        Response(body={"error": {"message": "slow", "code": 429}}),
        JudgeUnreachable,
        "429: .*slow",
    ),
    "200 with a quota error": (Response(body={"error": {"message": "no", "code": "402"}}), JudgeUnusable, r"\(402\)"),
    "200 with an error without a number": (Response(body={"error": "x"}), JudgeUnreachable, "no completion"),
    "200 with half a body": (Response(body='{"choices": [{"mes'), JudgeUnreachable, "is no JSON"),
    "200 without a body": (Response(body=""), JudgeUnreachable, "is no JSON"),
    "200 nested without end": (Response(body="[" * 100_000), JudgeUnreachable, "is no JSON"),
    "200 nested too deep": (Response(body="[" * 100_000 + "]" * 100_000), JudgeUnreachable, "is no JSON"),
    "200 with null": (Response(body="null"), JudgeUnreachable, "no completion; it begins 'None'"),
    "no choices": (no_choices(), JudgeUnreachable, "no completion"),
    "choices are no list": (body_with(choices={"a": 1}), JudgeUnreachable, "no completion"),
    "a choice is text": (body_with(choices=["x"]), JudgeUnreachable, "no completion"),
    "no message": (body_with(choices=[{"index": 0, "finish_reason": "stop"}]), JudgeUnreachable, "no completion"),
    "content of other parts": (choice([{"type": "image"}]), ReplyUnreadable, "the reply is empty"),
    "content is a list of texts": (choice(["x"]), JudgeUnreachable, "no completion"),
    "thoughts without a text": (choice([{"type": "thinking", "thinking": [GOOD]}]), ReplyUnreadable, "is empty"),
    "content is a number": (choice(5), JudgeUnreachable, "no completion"),
    "null content": (choice(None), ReplyUnreadable, r"the reply is empty \(finish reason stop\)"),
    "white space": (choice(" \n"), ReplyUnreadable, "the reply is empty"),
    "prose": (choice("I think so."), ReplyUnreadable, "holds no JSON object; it begins 'I think so.'"),
    "half a character": (choice('\ud83d {"refuses": fal'), ReplyTorn, "it begins '\\? {"),
    "bug-106 filtered": (filtered(), JudgeRefused, "a content filter stopped the reply"),
    "bug-108 refusal": (refusal("I can't help with that."), JudgeRefused, "refused: I can't help with that."),
    "bug-098 cut": (cut("<think>very long ..."), ReplyCut, "ended at the token limit"),
    "bug-100 cut, though it parses": (cut(GOOD), ReplyCut, "ended at the token limit"),
    "cut, in other words": (choice(GOOD, "model_length"), ReplyCut, "ended at the token limit"),
    "cut, in capitals": (choice(GOOD, "MAX_TOKENS"), ReplyCut, "ended at the token limit"),
    "filtered, in other words": (choice(GOOD, "SAFETY"), JudgeRefused, "a content filter stopped the reply"),
    "dropped": (dropped(), JudgeUnreachable, "could not be reached: .*disconnected"),
    "slow": (slow(0.6), JudgeUnreachable, "could not be reached: .*timed out"),
}


@pytest.mark.parametrize(("response", "expected", "message"), FAULTS.values(), ids=FAULTS.keys())
def test_faults(response: Response, expected: type[Exception], message: str, split_question: AskAbout) -> None:
    with JudgeServer(plan=always(response)) as server:
        judge = provider(server, timeout_seconds=0.3 if response.delay_seconds else 30.0)
        with pytest.raises(Exception, match=message) as caught:
            judge.ask(split_question())
    assert type(caught.value) is expected
    assert len(server.requests) == 1, "the SDK's own retries are off"


@pytest.mark.parametrize(
    "page",
    [
        Response(502, {"error": {"message": "<p>" * 9000}}),
        Response(body={"error": {"message": "<p>" * 9000, "code": 502}}),
    ],
    ids=["502", "200"],
)
def test_of_a_long_error_the_beginning_is_kept(page: Response, split_question: AskAbout) -> None:
    with JudgeServer(plan=always(page)) as server, pytest.raises(JudgeUnreachable) as caught:
        provider(server).ask(split_question())
    assert "<p><p>" in str(caught.value)
    assert len(str(caught.value)) <= 1000 + len("the judge answered 502: ")


@pytest.mark.parametrize(
    ("response", "raw"),
    [
        (cut("<think>very long"), "<think>very long"),
        (cut('{"claims":["a","b"'), '{"claims":["a","b"'),
        (refusal("I can't."), "I can't."),
        (choice("prose"), "prose"),
        (choice("\ud83d"), "?"),
        (cut("\ud83d"), "?"),
        (filtered(), ""),
    ],
    ids=[
        "bug-104 thinking",
        "bug-104 list",
        "refusal",
        "prose",
        "half a character",
        "half a character, cut",
        "filtered",
    ],
)
def test_what_the_judge_did_say_is_kept(response: Response, raw: str, split_question: AskAbout) -> None:
    with JudgeServer(plan=always(response)) as server, pytest.raises(JudgeError) as caught:
        provider(server).ask(split_question())
    assert caught.value.raw == raw


def test_a_text_in_parts_is_one_text_without_the_thoughts(split_question: AskAbout) -> None:
    thoughts = {"type": "thinking", "thinking": [{"type": "text", "text": '{"refuses": true, "claims": []}'}]}
    parts = [thoughts, {"type": "text", "text": GOOD[:20]}, {"type": "text", "text": GOOD[20:]}]
    with JudgeServer(plan=always(choice(parts))) as server:
        reply = provider(server).ask(split_question())
    assert (reply.text, reply.value.refuses, len(reply.value.claims)) == (GOOD, False, 1)


def test_nobody_there(split_question: AskAbout) -> None:
    with JudgeServer() as server:
        judge = provider(server)
    with pytest.raises(JudgeUnreachable, match=r"could not be reached: .*refused"):
        judge.ask(split_question())


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"retry_after": "7"}, 7.0), ({"retry_after_ms": "250"}, 0.25), ({"retry_after": "soon"}, None), ({}, None)],
    ids=["seconds", "ms", "text", "missing"],
)
def test_the_servers_wait_is_handed_on(
    headers: dict[str, str], seconds: float | None, split_question: AskAbout
) -> None:
    with JudgeServer(plan=always(error(429, **headers))) as server, pytest.raises(JudgeUnreachable) as caught:
        provider(server).ask(split_question())
    assert caught.value.retry_after_seconds == seconds


def test_retries_stack_on_nothing(split_question: AskAbout) -> None:
    """bug-163: what one side counts as one attempt is one request."""
    with JudgeServer(plan=always(error(500))) as server:
        judge = RetryingJudge(provider(server), Patience(max_attempts=3, sleep=lambda _: None))
        with pytest.raises(JudgeUnreachable):
            judge.ask(split_question())
    assert len(server.requests) == 3


REFUSED = {
    "bug-124 temperature": ("temperature", None),
    "bug-123 max_tokens": ("max_tokens", "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
    "response_format": ("response_format", "response_format of type json_schema is not supported"),
    "seed": ("seed", None),
}


@pytest.mark.parametrize(("parameter", "message"), REFUSED.values(), ids=REFUSED.keys())
def test_a_refused_parameter_is_left_out_and_remembered(
    parameter: str, message: str | None, split_question: AskAbout
) -> None:
    with JudgeServer(plan=rejecting(parameter, message)) as server:
        judge = provider(server, seed=1)
        first, second = judge.ask(split_question()), judge.ask(split_question("Another answer."))
    assert [parameter in request.body for request in server.requests] == [True, False, False]
    assert (first.attempts, second.attempts) == (2, 1)
    sent = server.requests[-1].body
    everything = {"model", "messages", "temperature", "max_tokens", "response_format", "seed"}
    renamed = {"max_completion_tokens"} if parameter == "max_tokens" else set()
    assert set(sent) == everything - {parameter} | renamed
    if renamed:
        assert sent["max_completion_tokens"] == 4096


def test_several_refused_parameters(split_question: AskAbout) -> None:
    """As the reasoning models of OpenAI do."""

    def plan(request: Any) -> Response | None:
        return rejecting("max_tokens")(request) or rejecting("temperature")(request)

    with JudgeServer(plan=plan) as server:
        reply = provider(server).ask(split_question())
    assert reply.attempts == 3
    assert set(server.requests[-1].body) == {"model", "messages", "max_completion_tokens", "response_format"}


def test_a_parameter_that_the_server_names_is_the_one_left_out(split_question: AskAbout) -> None:
    body = {"error": {"message": "With this response_format: unsupported value", "param": "temperature", "code": "x"}}
    with JudgeServer(plan=in_order(Response(400, body))) as server:
        provider(server).ask(split_question())
    assert set(server.requests[-1].body) == {"model", "messages", "max_tokens", "response_format"}


def test_a_server_that_refuses_everything_ends_it(split_question: AskAbout) -> None:
    everything = error(400, "temperature, max_tokens, seed and response_format")
    with JudgeServer(plan=always(everything)) as server, pytest.raises(JudgeUnusable):
        provider(server, seed=1).ask(split_question())
    assert len(server.requests) == 5


def test_a_server_without_more_room_leaves_the_reply_cut(split_question: AskAbout) -> None:
    def plan(request: Any) -> Response:
        too_large = error(400, "max_tokens is too large: 16384. This model supports at most 8192 completion tokens.")
        return too_large if request.body["max_tokens"] > 8192 else cut("{")

    with JudgeServer(plan=plan) as server:
        judge = RetryingJudge(provider(server))
        for _ in range(2):
            with pytest.raises(ReplyCut, match=r"no larger one is allowed: .*at most 8192 completion tokens"):
                judge.ask(split_question())
    assert [request.body["max_tokens"] for request in server.requests] == [4096, 16384] * 2, "max_tokens stays"


def test_threads_share_a_provider(split_question: AskAbout) -> None:
    with JudgeServer(plan=rejecting("temperature")) as server:
        judge = provider(server)
        questions = [split_question(f"Fact {number} is told.") for number in range(32)]
        with ThreadPoolExecutor(16) as pool:
            replies = list(pool.map(judge.ask, questions))
    assert [reply.value.claims[0].claim for reply in replies] == [f"Fact {number} is told." for number in range(32)]
    assert len(server.requests) <= 32 + 16, "each thread learns of it at most once"


def test_the_key_is_sent(split_question: AskAbout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_JUDGE_KEY", f"{KEY}\n")
    with JudgeServer() as server:
        provider(server, api_key_env="MY_JUDGE_KEY").ask(split_question())
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_a_local_server_needs_no_key_and_gets_none(split_question: AskAbout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with JudgeServer() as server:
        provider(server).ask(split_question())
    assert KEY not in json.dumps([dict(request.headers) for request in server.requests])


@pytest.mark.parametrize("value", [None, "", " \n"], ids=["unset", "empty", "white space"])
def test_a_missing_key_is_found_before_any_request(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if value is not None:
        monkeypatch.setenv("MY_JUDGE_KEY", value)
    with JudgeServer() as server, pytest.raises(InputError) as caught:
        provider(server, api_key_env="MY_JUDGE_KEY")
    assert str(caught.value) == ("judge openai/judge-a needs a key: the environment variable MY_JUDGE_KEY is not set")
    assert server.requests == []


def test_openai_itself_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = JudgeSettings(model="openai/judge-a")
    with pytest.raises(InputError, match="OPENAI_API_KEY is not set"):
        Provider(settings)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert Provider(settings).identity.endpoint is None


def test_a_key_that_cannot_be_sent_is_refused_without_being_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}“")
    with pytest.raises(InputError) as caught:
        Provider(JudgeSettings(model="openai/judge-a"))
    assert str(caught.value) == "the environment variable OPENAI_API_KEY holds no key: keys are ASCII"


def test_the_endpoint_of_the_environment_is_used_and_named(
    split_question: AskAbout, monkeypatch: pytest.MonkeyPatch
) -> None:
    with JudgeServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        judge = Provider(JudgeSettings(model="openai/judge-a"))
        judge.ask(split_question())
    assert judge.identity.endpoint == server.base_url
    assert len(server.requests) == 1


ECHOES = {
    "error text": error(401, f"Incorrect key: {KEY}"),
    "error body in another form": Response(400, {"headers": {"authorization": f"Bearer {KEY}"}}),
    "server error": error(503, f"cannot reach upstream with {KEY}"),
    "error page": html(f"<html>{KEY}</html>", 500),
    "page": html(f"<html>{KEY}</html>"),
    "page that is cut behind the key": html(f"{'x' * 190}{KEY}"),
    "refusal": refusal(f"I will not, {KEY}"),
    "prose": choice(f"my key is {KEY}"),
    "cut": cut(f"my key is {KEY}"),
    "filtered": choice(KEY, "content_filter"),
}


@pytest.mark.parametrize("response", ECHOES.values(), ids=ECHOES.keys())
def test_bug_221_an_echoed_key_is_never_told(
    response: Response, split_question: AskAbout, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_JUDGE_KEY", KEY)
    with JudgeServer(plan=always(response)) as server:
        judge = provider(server, api_key_env="MY_JUDGE_KEY")
        with pytest.raises((JudgeError, JudgeUnusable)) as caught:
            judge.ask(split_question())
    told = f"{caught.value} {getattr(caught.value, 'raw', '')}"
    assert "TEST-KEY" not in told
    assert "***" in told
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None


def test_an_echoed_key_is_not_in_a_good_reply(split_question: AskAbout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_JUDGE_KEY", KEY)
    with JudgeServer(answer=lambda _: GOOD.replace("9", KEY)) as server:
        reply = provider(server, api_key_env="MY_JUDGE_KEY").ask(split_question())
    assert reply.text == GOOD.replace("9", "***")
    assert reply.value.claims[0].claim == "It opens at ***."


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": "many", "completion_tokens": 1.5}], ids=str)
def test_usage_that_says_nothing_is_unknown(usage: object, split_question: AskAbout) -> None:
    with JudgeServer(plan=always(body_with(usage=usage))) as server:
        assert provider(server).ask(split_question()).usage == Usage(None, None)


def test_bug_191_tokens_that_the_server_had_kept_are_told_apart(split_question: AskAbout) -> None:
    usage = {"prompt_tokens": 1000, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 900}}
    with JudgeServer(plan=always(body_with(usage=usage))) as server:
        judge = Provider(JudgeSettings(model="openai/gpt-4o-mini", base_url=server.base_url))
        reply = judge.ask(split_question())
    assert reply.usage == Usage(1000, 0, 900)
    assert reply.cost_usd == pytest.approx(100 * 1.5e-07 + 900 * 7.5e-08)


@pytest.mark.parametrize(("named", "model"), [(None, "openai/judge-a"), ("", "openai/judge-a"), (5, "5")])
def test_a_model_that_is_not_named_is_the_one_asked(named: object, model: str, split_question: AskAbout) -> None:
    with JudgeServer(plan=always(body_with(model=named))) as server:
        assert provider(server).ask(split_question()).model == model


def test_importing_the_provider_imports_no_sdk() -> None:
    code = "import sys, whichhalf.judging.stack; print(sorted({'openai', 'litellm'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


LITELLM = """
import json, sys
from whichhalf.errors import JudgeError, JudgeUnusable
from whichhalf.judging.provider import Provider
from whichhalf.judging.seam import JudgeQuestion
from whichhalf.judging.settings import JudgeSettings
from whichhalf.judged.claims import SplitReply
from whichhalf.prompting.prompt_folder import load_prompt

settings = JudgeSettings(model="hosted_vllm/judge-a", base_url=sys.argv[1], api_key_env="MY_JUDGE_KEY")
variables = {"question": "When?", "answer": "It opens at 9."}
question = JudgeQuestion(load_prompt("split_claims").render(variables), variables, SplitReply)
told = []
for _ in range(int(sys.argv[2])):
    try:
        reply = Provider(settings).ask(question)  # one a question: after a bad key the same one makes no call
        claim = reply.value.claims[0].claim
        told.append([claim, reply.model, reply.usage.prompt_tokens, reply.cost_usd, reply.attempts])
    except (JudgeError, JudgeUnusable) as error:
        told.append([type(error).__name__, getattr(error, "retry_after_seconds", None), str(error)])
print(json.dumps(told))
"""

LITELLM_FAULTS: list[tuple[Response | None, list[object]]] = [
    (None, ["It opens at 9.", "judge-a-2026-11-01", 11, None, 1]),
    (error(429, "slow down", retry_after="7"), ["JudgeUnreachable", 7.0]),
    (error(503), ["JudgeUnreachable", None]),
    (error(401, f"bad key {KEY}"), ["JudgeUnusable", None]),
    (error(429, "no", code="insufficient_quota"), ["JudgeUnusable", None]),
    (error(400, "no", code="context_length_exceeded"), ["ContextTooLong", None]),
    (html(), ["JudgeUnreachable", None]),
    (no_choices(), ["JudgeUnreachable", None]),
    (dropped(), ["JudgeUnreachable", None]),
    (cut("{"), ["ReplyCut", None]),
    (filtered(), ["JudgeRefused", None]),
    (refusal("no"), ["JudgeRefused", None]),
    (choice(None), ["ReplyUnreadable", None]),
]


def test_litellm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a process of its own, which is watched."""
    monkeypatch.setenv("MY_JUDGE_KEY", KEY)
    with JudgeServer(plan=in_order(*[response for response, _ in LITELLM_FAULTS])) as server:
        done = subprocess.run(
            [sys.executable, "-c", LITELLM, server.base_url, str(len(LITELLM_FAULTS))],
            cwd=tmp_path,
            env=watching(tmp_path),
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
    said = json.loads(done.stdout)  # and nothing but our line is on stdout
    assert len(server.requests) == len(LITELLM_FAULTS), "one request each"
    assert [told[: len(expected)] for told, (_, expected) in zip(said, LITELLM_FAULTS, strict=True)] == [
        expected for _, expected in LITELLM_FAULTS
    ]
    assert spoken_to(tmp_path) == {("127.0.0.1", int(server.base_url.split(":")[2][:-3]))}
    assert looked_up(tmp_path) <= {"127.0.0.1"}
    assert KEY not in done.stdout + done.stderr
    body = server.requests[0].body
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("judge-a", 0.0, 4096)
    assert body["response_format"]["json_schema"]["strict"] is True
