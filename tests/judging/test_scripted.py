"""The judge for tests: it answers from a script and remembers."""

from collections.abc import Callable
from typing import Any

import pytest

from whichhalf.errors import JudgeRefused, ReplyUnreadable
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion

AskAbout = Callable[..., JudgeQuestion[Any]]


def test_replies_come_in_order_and_questions_are_kept(ask_about: AskAbout) -> None:
    judge = ScriptedJudge(['{"word": "a"}', '{"word": "b"}'])
    one, two = ask_about("one"), ask_about("two")
    assert [judge.ask(question).value.word for question in (one, two)] == ["a", "b"]
    assert judge.asked == [one, two]


def test_a_function_sees_the_question(ask_about: AskAbout) -> None:
    judge = ScriptedJudge(lambda question: f'{{"word": "{question.variables["text"]}"}}')
    assert judge.ask(ask_about("mirror")).value.word == "mirror"


def test_an_error_in_the_script_is_raised(ask_about: AskAbout) -> None:
    error = JudgeRefused("no")
    judge = ScriptedJudge([error, '{"word": "a"}'])
    with pytest.raises(JudgeRefused) as caught:
        judge.ask(ask_about())
    assert caught.value is error
    assert judge.ask(ask_about()).value.word == "a"
    assert len(judge.asked) == 2


def test_replies_are_read_as_those_of_a_real_judge(ask_about: AskAbout) -> None:
    with pytest.raises(ReplyUnreadable):
        ScriptedJudge(["prose"]).ask(ask_about())


def test_a_script_that_is_too_short_fails_the_test(ask_about: AskAbout) -> None:
    judge = ScriptedJudge([])
    with pytest.raises(AssertionError, match=r"^the script has no reply for question 1$"):
        judge.ask(ask_about())


def test_a_reply_says_where_it_comes_from(ask_about: AskAbout) -> None:
    judge = ScriptedJudge(['{"word": "a"}'], model="m", endpoint="http://a", sampling={"temperature": 1})
    reply = judge.ask(ask_about())
    assert judge.identity == JudgeIdentity("m", "http://a", {"temperature": 1})
    assert (reply.model, reply.text, reply.from_cache, reply.attempts) == ("m", '{"word": "a"}', False, 1)
