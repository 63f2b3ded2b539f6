"""The cache key: each part that can change a reply changes it, and nothing else does."""

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, JsonValue

from judge_server import JudgeServer
from whichhalf.judged.claims import SplitReply
from whichhalf.judged.verdicts import VerifyReply
from whichhalf.judging.key import reply_key, reply_schema
from whichhalf.judging.provider import Provider
from whichhalf.judging.reply_store import ReplyStore
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion
from whichhalf.judging.settings import JudgeSettings
from whichhalf.judging.stack import build_judge
from whichhalf.prompting.rendered import Message, RenderedPrompt

AskAbout = Callable[..., JudgeQuestion[Any]]
IDENTITY = JudgeIdentity("openai/judge-a", "http://a/v1", {"temperature": 0.0, "seed": None, "max_output_tokens": 4096})


class Other(BaseModel):
    word: str
    reason: str


class Described(BaseModel):
    """Properties may bear the names of the notes that are left out of schemas."""

    title: str
    description: str = "none"


def prompt(*messages: tuple[str, str], version: str = "v1") -> RenderedPrompt:
    return RenderedPrompt("p", version, "0" * 64, tuple(Message(role, text) for role, text in messages))  # type: ignore[arg-type]


def test_equal_parts_make_equal_keys(ask_about: AskAbout) -> None:
    assert reply_key(IDENTITY, ask_about()) == reply_key(replace(IDENTITY), ask_about())


def test_it_is_a_sha256(ask_about: AskAbout) -> None:
    key = reply_key(IDENTITY, ask_about())
    assert len(key) == 64
    assert set(key) <= set("0123456789abcdef")


def test_bug_170_every_part_changes_it(ask_about: AskAbout) -> None:
    base = ask_about()
    sampling = dict(IDENTITY.sampling)
    keys = [
        reply_key(IDENTITY, base),
        reply_key(replace(IDENTITY, model="openai/judge-b"), base),  # bug-172, bug-179
        reply_key(replace(IDENTITY, endpoint="http://b/v1"), base),
        reply_key(replace(IDENTITY, endpoint=None), base),
        reply_key(replace(IDENTITY, sampling={**sampling, "temperature": 1.0}), base),  # bug-169
        reply_key(replace(IDENTITY, sampling={**sampling, "seed": 1}), base),
        reply_key(replace(IDENTITY, sampling={**sampling, "max_output_tokens": 512}), base),
        reply_key(replace(IDENTITY, sampling={**sampling, "top_p": 0.5}), base),
        reply_key(IDENTITY, ask_about("another text")),  # bug-175
        reply_key(IDENTITY, ask_about(system="Say it.")),
        reply_key(IDENTITY, ask_about(repeat=1)),  # bug-173, bug-174
        reply_key(IDENTITY, ask_about(repeat=2)),
        reply_key(IDENTITY, replace(base, reply_type=Other)),
    ]
    assert len(set(keys)) == len(keys)


def test_what_cannot_change_a_reply_is_not_in_it(ask_about: AskAbout) -> None:
    base = ask_about()
    same = [
        replace(base, variables={"other": "variables"}),  # the messages say it all
        replace(base, enlarged=True),  # the same question with more room
        ask_about(version="v2"),  # a version with the same messages asks the same thing
    ]
    assert {reply_key(IDENTITY, one) for one in same} == {reply_key(IDENTITY, base)}


def test_time_outs_keys_and_concurrency_are_not_in_it(ask_about: AskAbout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEY_A", "TEST-KEY-0000")
    monkeypatch.setenv("KEY_B", "TEST-KEY-1111")
    base = JudgeSettings(model="openai/judge-a", base_url="http://a/v1", api_key_env="KEY_A")
    same = [base.model_copy(update=change) for change in (
        {}, {"api_key_env": "KEY_B"}, {"timeout_seconds": 1.0}, {"concurrency": 1}, {"max_prompt_tokens": 500}
    )]  # fmt: skip
    assert len({reply_key(Provider(one).identity, ask_about()) for one in same}) == 1


def test_bug_186_a_question_has_one_key_however_it_is_asked(split_question: AskAbout, tmp_path: Path) -> None:
    """By place or by name, over another connection, with another key: none of that is the question."""
    store = ReplyStore(tmp_path / "cache")
    with JudgeServer() as server:
        settings = JudgeSettings(model="openai/judge-a", base_url=server.base_url)
        first, second = (build_judge(one, store=store) for one in (settings, settings.model_copy()))
        replies = [first.ask(split_question()), second.ask(question=split_question())]
    assert [reply.from_cache for reply in replies] == [False, True]
    assert len(server.requests) == len(list(store)) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"model": "openai/judge-b"},
        {"base_url": "http://b/v1"},
        {"temperature": 0.5},
        {"seed": 1},
        {"max_output_tokens": 512},
    ],
    ids=lambda change: next(iter(change)),
)
def test_bug_169_every_setting_that_is_sent_is_in_it(change: dict[str, object], ask_about: AskAbout) -> None:
    base = JudgeSettings(model="openai/judge-a", base_url="http://a/v1")
    changed = base.model_copy(update=change)
    assert reply_key(Provider(base).identity, ask_about()) != reply_key(Provider(changed).identity, ask_about())


def test_the_endpoint_of_the_environment_is_in_it(ask_about: AskAbout, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = JudgeSettings(model="openai/judge-a")
    monkeypatch.setenv("OPENAI_API_KEY", "TEST-KEY-0000")
    keys = []
    for url in ("", "http://a/v1", "http://b/v1"):
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        keys.append(reply_key(Provider(settings).identity, ask_about()))
    assert len(set(keys)) == 3


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (prompt(("system", "abc"), ("user", "x")), prompt(("system", "ab"), ("user", "cx"))),
        (prompt(("user", "abc"), ("user", "x")), prompt(("user", "abcx"))),
        (prompt(("user", 'a","b')), prompt(("user", "a"), ("user", "b"))),
        (prompt(("system", "a"), ("user", "b")), prompt(("user", "a"), ("system", "b"))),
    ],
    ids=["border moved", "border gone", "border in a text", "roles"],
)
def test_bug_178_borders_count(one: RenderedPrompt, two: RenderedPrompt, ask_about: AskAbout) -> None:
    assert reply_key(IDENTITY, replace(ask_about(), prompt=one)) != reply_key(
        IDENTITY, replace(ask_about(), prompt=two)
    )


SAMPLING: st.SearchStrategy[dict[str, JsonValue]] = st.dictionaries(
    st.text(), st.none() | st.booleans() | st.integers() | st.text(), max_size=5
)


@given(SAMPLING, st.randoms())
def test_the_order_of_settings_does_not_count(sampling: dict[str, JsonValue], random: Any) -> None:
    question = JudgeQuestion(prompt(("user", "x")), {}, Other)
    shuffled = list(sampling.items())
    random.shuffle(shuffled)
    keys = {reply_key(JudgeIdentity("m", None, dict(items)), question) for items in (sampling.items(), shuffled)}
    assert len(keys) == 1


@given(SAMPLING, st.text(), st.none() | st.text(), st.text(), st.integers(0, 9))
def test_it_is_that_of_canonical_json(
    sampling: dict[str, JsonValue], model: str, endpoint: str | None, text: str, repeat: int
) -> None:
    """So that replies which were kept once are found for ever."""
    parts = {
        "model": model, "endpoint": endpoint, "sampling": sampling, "repeat": repeat,
        "messages": [["system", text], ["user", text * 2]], "schema": reply_schema(Other),
    }  # fmt: skip
    whole = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    question = JudgeQuestion(prompt(("system", text), ("user", text * 2)), {}, Other, repeat)
    assert reply_key(JudgeIdentity(model, endpoint, sampling), question) == sha256(whole.encode()).hexdigest()


TEXTS = st.lists(st.text(), min_size=1, max_size=3)


@given(TEXTS, TEXTS)
def test_different_messages_have_different_keys(one: list[str], two: list[str]) -> None:
    keys = [
        reply_key(IDENTITY, JudgeQuestion(prompt(*[("user", text) for text in texts]), {}, Other))
        for texts in (one, two)
    ]
    assert (keys[0] == keys[1]) == (one == two)


def nodes(schema: object) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [found for item in schema for found in nodes(item)]
    if isinstance(schema, dict):
        return [schema, *(found for item in schema.values() for found in nodes(item))]
    return []


@pytest.mark.parametrize("reply_type", [SplitReply, VerifyReply, Other, Described])
def test_schemas_are_closed_and_complete(reply_type: type[BaseModel]) -> None:
    objects = [node for node in nodes(reply_schema(reply_type)) if node.get("type") == "object"]
    assert objects
    for node in objects:
        assert node["required"] == list(node["properties"])
        assert node["additionalProperties"] is False
    assert '"default"' not in json.dumps(reply_schema(reply_type))


def test_properties_may_be_named_like_notes() -> None:
    assert reply_schema(Described) == {
        "type": "object",
        "properties": {"title": {"type": "string"}, "description": {"type": "string"}},
        "required": ["title", "description"],
        "additionalProperties": False,
    }


def test_a_changed_copy_of_a_question_has_its_own_key(ask_about: AskAbout) -> None:
    question = ask_about()
    first = reply_key(IDENTITY, question)
    assert reply_key(IDENTITY, question) == first
    assert reply_key(replace(IDENTITY, model="openai/judge-b"), question) != first, "of another judge"
    assert reply_key(IDENTITY, replace(question, repeat=1)) == reply_key(IDENTITY, replace(ask_about(), repeat=1))
    assert reply_key(IDENTITY, replace(question, repeat=1)) != first
    assert reply_key(IDENTITY, replace(question, enlarged=True)) == first
