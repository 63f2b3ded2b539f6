"""A judge for tests: answers from a script and remembers what it was asked."""

import threading
from collections.abc import Callable, Iterable
from typing import Any

from pydantic import JsonValue

from whichhalf.errors import JudgeError
from whichhalf.judging.parsing import parse_reply
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion, Reply, T

Script = Callable[[JudgeQuestion[Any]], str]


class ScriptedJudge:
    """Give it the replies in order, or a function from question to reply text. An exception in the script is raised."""

    def __init__(
        self,
        script: Iterable[str | JudgeError] | Script,
        *,
        model: str = "scripted",
        endpoint: str | None = None,
        sampling: dict[str, JsonValue] | None = None,
    ) -> None:
        self._replies = None if callable(script) else iter(script)
        self._function = script if callable(script) else None
        self._guard = threading.Lock()
        self.asked: list[JudgeQuestion[Any]] = []
        self.identity = JudgeIdentity(model, endpoint, sampling or {})

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
        with self._guard:
            self.asked.append(question)
            if self._function is not None:
                reply: str | JudgeError = self._function(question)
            else:
                assert self._replies is not None
                try:
                    reply = next(self._replies)
                except StopIteration:
                    raise AssertionError(f"the script has no reply for question {len(self.asked)}") from None
        if isinstance(reply, JudgeError):
            raise reply
        return Reply(parse_reply(reply, question.reply_type), reply, self.identity.model)
