"""A judge and an embedder that may not be called: they stand behind the cache when only kept replies are used."""

from collections.abc import Sequence
from typing import NoReturn

from whichhalf.errors import ReplyNotRecorded
from whichhalf.judging.embedding import EmbedderIdentity
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


class ReplayOnlyEmbedder:
    """Has the identity of another embedder, so that its kept vectors are found, and never embeds anything itself."""

    def __init__(self, identity: EmbedderIdentity) -> None:
        self.identity = identity

    def embed(self, texts: Sequence[str]) -> NoReturn:
        """Always raises ReplyNotRecorded."""
        raise ReplyNotRecorded(f"no kept vector of {self.identity.model} for {texts[0]!r}, and no call may be made")
