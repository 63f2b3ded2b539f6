"""A judge that may not be called: it stands behind the cache when only kept replies are to be used."""

from typing import NoReturn

from whichhalf.errors import ReplyNotRecorded
from whichhalf.judging.key import reply_key
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion, T


class ReplayOnlyJudge:
    """Has the identity of another judge, so that its kept replies are found, and never replies itself."""

    def __init__(self, identity: JudgeIdentity) -> None:
        self.identity = identity

    def ask(self, question: JudgeQuestion[T]) -> NoReturn:
        """Always raises ReplyNotRecorded."""
        prompt, key = question.prompt, reply_key(self.identity, question)
        raise ReplyNotRecorded(
            f"no kept reply of {self.identity.model} to {prompt.name}/{prompt.version} (key {key[:12]}), "
            "and no call may be made"
        )
