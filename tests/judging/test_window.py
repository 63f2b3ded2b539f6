"""What does not fit the judge's window is not sent; what may fit is."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from whichhalf.errors import ContextTooLong
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion
from whichhalf.judging.settings import JudgeSettings
from whichhalf.judging.window import WindowJudge, least_tokens, passage_tokens, window_of

AskAbout = Callable[..., JudgeQuestion[Any]]
GOOD = '{"word": "x"}'


@pytest.mark.parametrize(
    ("settings", "endpoint", "window"),
    [
        ({"model": "openai/gpt-4o-mini"}, None, 128_000),
        ({"model": "anthropic/claude-sonnet-4-5"}, None, 200_000),
        ({"model": "openai/gpt-4o-mini", "context_tokens": 32_000}, None, 32_000),
        ({"model": "ollama/llama3"}, None, None),
        ({"model": "ollama/llama3", "context_tokens": 32_000}, None, 32_000),
        ({"model": "openai/judge-a"}, None, None),
        ({"model": "openai/judge-a", "context_tokens": 32_000}, "http://127.0.0.1:1/v1", 32_000),
    ],
    ids=str,
)
def test_the_window_is_set_or_listed(settings: dict[str, Any], endpoint: str | None, window: int | None) -> None:
    one = JudgeSettings(**settings)
    assert window_of(one, JudgeIdentity(one.model, endpoint, {})) == window


def test_bug_125_an_alias_says_nothing_of_the_model_behind_it() -> None:
    settings = JudgeSettings(model="openai/gpt-4o-mini")
    assert window_of(settings, JudgeIdentity(settings.model, "http://127.0.0.1:1/v1", {})) is None


@pytest.mark.parametrize(
    ("settings", "endpoint", "tokens"),
    [
        ({"model": "openai/gpt-4"}, None, 2048),
        ({"model": "openai/gpt-4", "max_output_tokens": 1192}, None, 3500),
        ({"model": "openai/gpt-4", "max_output_tokens": 8192}, None, 500),
        ({"model": "openai/gpt-4", "max_prompt_tokens": 1000}, None, 1000),
        ({"model": "openai/gpt-4", "context_tokens": 32_000}, None, 24_000),
        ({"model": "openai/gpt-4"}, "http://127.0.0.1:1/v1", 24_000),
        ({"model": "openai/gpt-4o-mini"}, None, 24_000),
        ({"model": "offline"}, None, 24_000),
    ],
    ids=str,
)
def test_passages_of_one_prompt_leave_room_in_a_listed_window(
    settings: dict[str, Any], endpoint: str | None, tokens: int
) -> None:
    """Half of what 8,192 tokens leave beside the reply."""
    one = JudgeSettings(**settings)
    assert passage_tokens(one, JudgeIdentity(one.model, endpoint, {})) == tokens


def test_prompts_must_fit_the_window() -> None:
    with pytest.raises(ValidationError, match=r"max_prompt_tokens \(24000\) must be below context_tokens \(4096\)"):
        JudgeSettings(context_tokens=4096)


@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("The fee is 12 EUR.", 5), (" a \n\n b ", 2), ("x" * 100_000, 1), ("手数料は", 1)]
)
def test_a_word_is_a_token_at_the_least(text: str, tokens: int) -> None:
    assert least_tokens(text) == tokens


@given(st.lists(st.text(alphabet="ab .\n", max_size=40), max_size=8))
def test_the_bound_never_grows_by_joining_texts(texts: list[str]) -> None:
    """So what is sent together is never said to be longer than its parts."""
    assert least_tokens("".join(texts)) <= sum(map(least_tokens, texts))
    assert least_tokens("".join(texts)) <= (sum(map(len, texts)) + 1) // 2


@pytest.mark.parametrize(("words", "is_asked"), [(998, True), (999, False), (9000, False)])
def test_bug_166_a_question_over_the_window_is_not_sent(words: int, is_asked: bool, ask_about: AskAbout) -> None:
    """Its two words of instruction count too."""
    inner = ScriptedJudge([GOOD])
    judge = WindowJudge(inner, 1000)
    question = ask_about("a " * words)
    if is_asked:
        assert judge.ask(question).text == GOOD
    else:
        with pytest.raises(ContextTooLong) as caught:
            judge.ask(question)
        assert caught.value.attempts == 0
        assert str(caught.value) == (
            f"not sent: the question has at least {words + 2} tokens, the window of {inner.identity.model} 1000"
        )
    assert len(inner.asked) == is_asked
    assert judge.identity is inner.identity
