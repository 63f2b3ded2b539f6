"""A server that sends a reply byte by byte, over real sockets."""

from collections.abc import Callable
from typing import Any

import pytest

from judge_server import JudgeServer, error, in_order, trickling
from whichhalf.errors import JudgeUnreachable
from whichhalf.judging.provider import Provider
from whichhalf.judging.retrying import Patience, RetryingJudge
from whichhalf.judging.seam import JudgeQuestion
from whichhalf.judging.settings import JudgeSettings

AskAbout = Callable[..., JudgeQuestion[Any]]
FOR_EVER = trickling(0.05)
"""No pause is longer than any time-out here, and a reply of some 400 bytes takes 20 s."""


def provider(server: JudgeServer, timeout_seconds: float) -> Provider:
    return Provider(JudgeSettings(model="openai/judge-a", base_url=server.base_url, timeout_seconds=timeout_seconds))


def test_a_trickling_reply_ends_at_the_deadline(split_question: AskAbout) -> None:
    with JudgeServer(plan=in_order(FOR_EVER)) as server:
        judge = provider(server, 0.5)
        with pytest.raises(JudgeUnreachable, match=r"not complete after 0\.5 s") as caught:
            judge.ask(split_question())
        assert caught.value.status is None
        assert len(judge.ask(split_question()).value.claims) == 2, "the next call has a connection of its own"
    assert len(server.requests) == 2


def test_it_is_tried_again_as_a_lost_connection_is(split_question: AskAbout) -> None:
    with JudgeServer(plan=in_order(FOR_EVER, FOR_EVER)) as server:
        reply = RetryingJudge(provider(server, 0.3), Patience(sleep=lambda _: None)).ask(split_question())
    assert (reply.attempts, len(server.requests)) == (3, 3)


def test_an_error_that_trickles_ends_too(split_question: AskAbout) -> None:
    with (
        JudgeServer(plan=in_order(trickling(0.05, error(500, "x" * 400)))) as server,
        pytest.raises(JudgeUnreachable, match="not complete"),
    ):
        provider(server, 0.5).ask(split_question())


def test_a_slow_reply_within_its_time_is_read(split_question: AskAbout) -> None:
    with JudgeServer(plan=in_order(trickling(0.0005))) as server:
        assert len(provider(server, 30.0).ask(split_question()).value.claims) == 2
