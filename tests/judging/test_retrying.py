"""When a call is repeated, how often, and after which wait. Time and chance are handed in."""

from collections.abc import Callable
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
import tenacity
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.errors import (
    BudgetSpent,
    ContextTooLong,
    JudgeError,
    JudgeRefused,
    JudgeUnreachable,
    JudgeUnusable,
    ReplyCut,
    ReplyTorn,
    ReplyUnreadable,
)
from whichhalf.judging.pacing import LONGEST_WAIT_SECONDS
from whichhalf.judging.retrying import Patience, RetryingJudge
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion, Reply, T, Usage

AskAbout = Callable[..., JudgeQuestion[Any]]
GOOD = '{"word": "x"}'
BUSY = JudgeUnreachable("busy")


class Retried:
    """A retrying judge over a script, with a clock that only moves when someone waits."""

    def __init__(self, *replies: str | JudgeError, jitter: float = 0.5, **settings: Any) -> None:
        self.inner = ScriptedJudge(replies)
        self.waits: list[float] = []
        self.judge = RetryingJudge(self.inner, Patience(sleep=self.waits.append, jitter=lambda: jitter, **settings))

    @property
    def calls(self) -> int:
        return len(self.inner.asked)


class Raising:
    """Always raises, also what a script may not hold."""

    identity = JudgeIdentity("raising", None, {})

    def __init__(self, error: BaseException) -> None:
        self.error = error
        self.calls = 0

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:  # noqa: ARG002
        self.calls += 1
        raise self.error


def test_a_good_reply_is_one_attempt(ask_about: AskAbout) -> None:
    retried = Retried(GOOD)
    reply = retried.judge.ask(ask_about())
    assert (reply.text, reply.attempts, retried.calls, retried.waits) == (GOOD, 1, 1, [])


@pytest.mark.parametrize("failures", [1, 2, 5])
def test_attempts_are_counted(failures: int, ask_about: AskAbout) -> None:
    retried = Retried(*[BUSY] * failures, GOOD)
    assert retried.judge.ask(ask_about()).attempts == failures + 1
    assert retried.calls == failures + 1


@pytest.mark.parametrize("most", [1, 2, 6])
def test_bug_148_attempts_end(most: int, ask_about: AskAbout) -> None:
    retried = Retried(*[BUSY] * 10, max_attempts=most)
    with pytest.raises(JudgeUnreachable, match=r"^busy$"):
        retried.judge.ask(ask_about())
    assert (retried.calls, len(retried.waits)) == (most, most - 1)


def test_waits_double(ask_about: AskAbout) -> None:
    retried = Retried(*[BUSY] * 5, GOOD)
    retried.judge.ask(ask_about())
    assert retried.waits == [0.5, 1.0, 2.0, 4.0, 8.0]


def test_a_busy_server_is_asked_again_every_two_seconds_at_the_latest(ask_about: AskAbout) -> None:
    """All calls together are held back by the pace; one must not sleep on when the server has recovered."""
    retried = Retried(*[busy(429)] * 9, GOOD)
    retried.judge.ask(ask_about())
    assert retried.waits == [0.5, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0]


def test_jitter_spreads_waits_by_half(ask_about: AskAbout) -> None:
    for jitter, wait in [(0.0, 0.25), (1.0, 0.75)]:
        retried = Retried(BUSY, GOOD, jitter=jitter)
        retried.judge.ask(ask_about())
        assert retried.waits == [wait]


@pytest.mark.parametrize(
    ("asked", "wait"),
    [(7.0, 7.0), (0.0, 0.5), (0.1, 0.5), (None, 0.5), (120.0, 120.0), (86400.0, LONGEST_WAIT_SECONDS)],
)
def test_bug_159_and_160_the_server_says_how_long(asked: float | None, wait: float, ask_about: AskAbout) -> None:
    retried = Retried(JudgeUnreachable("busy", retry_after_seconds=asked), GOOD)
    retried.judge.ask(ask_about())
    assert retried.waits == [wait]


@given(st.lists(st.none() | st.floats(0, 1e6), max_size=11), st.floats(0, 1))
def test_no_wait_is_longer_than_the_longest(asked: list[float | None], jitter: float) -> None:
    declined = sum(one is not None for one in asked)

    def never(_: JudgeQuestion[Any]) -> str:
        raise JudgeUnreachable("busy", retry_after_seconds=asked.pop() if asked else None)

    waits: list[float] = []
    judge = RetryingJudge(
        ScriptedJudge(never),
        Patience(max_attempts=12, deadline_seconds=1e9, sleep=waits.append, jitter=lambda: jitter),
    )
    with pytest.raises(JudgeUnreachable):
        judge.ask(JudgeQuestion(None, {}, None))  # type: ignore[arg-type]  # the script reads neither
    assert len(waits) == 11 + declined, "patience with a busy server is counted in time, not in calls"
    assert all(0.25 <= wait <= LONGEST_WAIT_SECONDS for wait in waits)


@pytest.mark.parametrize(
    "error",
    [JudgeUnusable("key"), JudgeRefused("no"), ContextTooLong("long"), ValueError("bug")],
    ids=lambda error: type(error).__name__,
)
def test_what_is_permanent_is_never_repeated(error: Exception, ask_about: AskAbout) -> None:
    inner, waits = Raising(error), list[float]()
    with pytest.raises(type(error)) as caught:
        RetryingJudge(inner, Patience(sleep=waits.append)).ask(ask_about())
    assert caught.value is error
    assert (inner.calls, waits) == (1, [])


@pytest.mark.parametrize("stop", [KeyboardInterrupt(), SystemExit()], ids=lambda stop: type(stop).__name__)
def test_bug_164_ctrl_c_is_never_repeated(stop: BaseException, ask_about: AskAbout) -> None:
    inner = Raising(stop)
    with pytest.raises(type(stop)):
        RetryingJudge(inner, Patience(sleep=lambda _: None)).ask(ask_about())
    assert inner.calls == 1


@pytest.mark.parametrize(
    ("deadline", "calls", "waited"), [(0.4, 1, 0.0), (1.0, 2, 0.5), (2.0, 3, 1.5), (3.6, 4, 3.5), (1000.0, 6, 15.5)]
)
def test_bug_148_the_deadline_is_never_passed(
    deadline: float, calls: int, waited: float, ask_about: AskAbout, monkeypatch: pytest.MonkeyPatch
) -> None:
    retried = Retried(*[BUSY] * 6, deadline_seconds=deadline)
    monkeypatch.setattr(tenacity, "time", SimpleNamespace(monotonic=lambda: sum(retried.waits)))
    with pytest.raises(JudgeUnreachable, match=r"^busy$"):
        retried.judge.ask(ask_about())
    assert (retried.calls, sum(retried.waits)) == (calls, waited)


def test_a_cut_reply_is_asked_for_once_more_with_more_room(ask_about: AskAbout) -> None:
    retried = Retried(ReplyCut("cut"), GOOD)
    reply = retried.judge.ask(ask_about())
    assert [question.enlarged for question in retried.inner.asked] == [False, True]
    assert (reply.text, reply.attempts, retried.waits) == (GOOD, 2, [])


def test_a_reply_cut_twice_is_lost(ask_about: AskAbout) -> None:
    retried = Retried(ReplyCut("first", raw="{"), ReplyCut("second", raw='{"word'))
    with pytest.raises(ReplyCut, match=r"^second$") as caught:
        retried.judge.ask(ask_about())
    assert caught.value.raw == '{"word', "the partial text is kept (bug-104)"
    assert retried.calls == 2


def test_a_question_that_is_enlarged_already_is_not_asked_again(ask_about: AskAbout) -> None:
    retried = Retried(ReplyCut("cut"), GOOD)
    with pytest.raises(ReplyCut):
        retried.judge.ask(ask_about(enlarged=True))
    assert retried.calls == 1


def test_every_call_counts_where_faults_mix(ask_about: AskAbout) -> None:
    retried = Retried(BUSY, ReplyCut("cut"), BUSY, BUSY, GOOD)
    assert retried.judge.ask(ask_about()).attempts == 5
    assert [question.enlarged for question in retried.inner.asked] == [False, False, True, True, True]
    assert len(retried.waits) == 3


def test_the_error_of_the_enlarged_question_counts(ask_about: AskAbout) -> None:
    retried = Retried(ReplyCut("cut"), JudgeRefused("no"))
    with pytest.raises(JudgeRefused, match=r"^no$"):
        retried.judge.ask(ask_about())


def test_what_cannot_be_read_is_asked_once_more_in_the_same_words(ask_about: AskAbout) -> None:
    """bug-261: and no more often, whatever comes back."""
    retried = Retried(ReplyUnreadable("prose"), GOOD)
    assert retried.judge.ask(ask_about()).attempts == 2
    assert retried.inner.asked[0] == retried.inner.asked[1]
    lost = Retried(ReplyUnreadable("prose"), ReplyUnreadable("more prose"), GOOD)
    with pytest.raises(ReplyUnreadable, match=r"^more prose$") as caught:
        lost.judge.ask(ask_about())
    assert (lost.calls, caught.value.attempts, lost.waits) == (2, 2, [])


@pytest.mark.parametrize(("torn", "calls"), [(1, 2), (3, 4), (9, 4)])
def test_a_torn_reply_is_a_fault_of_the_way(torn: int, calls: int, ask_about: AskAbout) -> None:
    retried = Retried(*[ReplyTorn("torn", raw="{")] * torn, GOOD)
    if torn < calls:
        assert retried.judge.ask(ask_about()).attempts == calls
    else:
        with pytest.raises(ReplyTorn):
            retried.judge.ask(ask_about())
    assert retried.calls == calls
    assert not any(question.enlarged for question in retried.inner.asked)


def test_more_room_is_kept_when_the_next_reply_is_torn(ask_about: AskAbout) -> None:
    retried = Retried(ReplyCut("cut"), ReplyTorn("torn"), GOOD)
    assert retried.judge.ask(ask_about()).attempts == 3
    assert [question.enlarged for question in retried.inner.asked] == [False, True, True]


def busy(status: int | None, retry_after_seconds: float | None = None) -> JudgeUnreachable:
    return JudgeUnreachable("busy", status=status, retry_after_seconds=retry_after_seconds)


@pytest.mark.parametrize(
    ("error", "limited"),
    [(busy(429), True), (busy(529), True), (busy(503, 1.0), True), (busy(503), False), (busy(None), False)],
)
def test_a_busy_server_is_waited_for_however_often(error: JudgeUnreachable, limited: bool, ask_about: AskAbout) -> None:
    retried = Retried(*[error] * 9, GOOD)
    if limited:
        assert retried.judge.ask(ask_about()).attempts == 10
    else:
        with pytest.raises(JudgeUnreachable):
            retried.judge.ask(ask_about())
        assert retried.calls == 6


def spent(error: JudgeError, prompt: int, completion: int, usd: float) -> JudgeError:
    error.prompt_tokens, error.completion_tokens, error.cost_usd = prompt, completion, usd
    return error


def test_tokens_of_lost_replies_are_counted(ask_about: AskAbout) -> None:
    script: list[str | JudgeError] = [spent(ReplyCut("cut"), 10, 100, 0.5), spent(ReplyTorn("torn"), 10, 20, 0.25)]
    with pytest.raises(JudgeRefused) as caught:
        Retried(*script, spent(JudgeRefused("no"), 10, 3, 0.125)).judge.ask(ask_about())
    lost = caught.value
    assert (lost.prompt_tokens, lost.completion_tokens, lost.cost_usd, lost.attempts) == (30, 123, 0.875, 3)

    reply = Retried(spent(ReplyCut("cut"), 10, 100, 0.5), GOOD).judge.ask(ask_about())
    assert (reply.usage, reply.cost_usd) == (Usage(10, 100), 0.5), "the script's own replies tell nothing"


def test_a_call_that_was_not_made_is_not_counted(ask_about: AskAbout) -> None:
    with pytest.raises(BudgetSpent) as caught:
        Retried(BUSY, BUSY, BudgetSpent("nothing left")).judge.ask(ask_about())
    assert caught.value.attempts == 2


def test_questions_do_not_share_their_attempts(ask_about: AskAbout) -> None:
    retried = Retried(BUSY, BUSY, GOOD, BUSY, GOOD)
    assert [retried.judge.ask(ask_about()).attempts for _ in range(2)] == [3, 2]
    for earlier, later in pairwise(retried.waits[:2]):
        assert earlier < later
    assert retried.waits[2] == retried.waits[0], "the second question begins with the shortest wait"


def test_it_has_the_identity_of_the_judge_it_wraps() -> None:
    retried = Retried(GOOD)
    assert retried.judge.identity is retried.inner.identity


def test_a_lost_question_tells_how_many_calls_it_took(ask_about: AskAbout) -> None:
    lost = Retried(BUSY, BUSY, BUSY, max_attempts=3)
    with pytest.raises(JudgeUnreachable) as caught:
        lost.judge.ask(ask_about("x"))
    assert caught.value.attempts == 3
    cut = Retried(BUSY, ReplyCut("cut"), BUSY, ReplyCut("cut again"))
    with pytest.raises(ReplyCut) as again:
        cut.judge.ask(ask_about("x"))
    assert again.value.attempts == 4
