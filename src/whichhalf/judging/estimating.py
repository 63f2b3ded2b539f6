"""A judge and an embedder that ask nobody and estimate what asking would take.

What a judge is asked depends on what it said before: claims are verified once they are split. So a question that has
no kept reply is answered as the offline baseline would answer it, and the length of that answer is the estimate.
"""

from collections.abc import Sequence

from whichhalf.errors import ReplyUnreadable
from whichhalf.judging.caching import KeptReplies
from whichhalf.judging.embedding import Embedded, EmbedderIdentity
from whichhalf.judging.model_names import WORDLLAMA
from whichhalf.judging.offline import OfflineJudge
from whichhalf.judging.prices import price_of
from whichhalf.judging.reply_store import StoredReply
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion, Reply, T, Usage

BYTES_PER_TOKEN = 4
"""Of English prose, roughly; other scripts and other models differ."""


class EstimatingJudge:
    """Has the identity of another judge, so that its kept replies are found."""

    def __init__(self, identity: JudgeIdentity) -> None:
        self.identity = identity
        self._offline = OfflineJudge()

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
        """Raises ReplyUnreadable for a prompt that the baseline has no rule for; the question is counted then too."""
        asked = sum(estimated_tokens(message.content) for message in question.prompt.messages)
        price = price_of(self.identity.model)
        try:
            reply = self._offline.ask(question)
        except ReplyUnreadable as error:
            error.prompt_tokens, error.completion_tokens = asked, 0
            error.cost_usd = price.of(Usage(asked, 0)) if price else None
            raise
        usage = Usage(asked, estimated_tokens(reply.text))
        return Reply(reply.value, reply.text, self.identity.model, usage, price.of(usage) if price else None)


class EstimatingEmbedder:
    """Has the identity of another embedder; its vectors all point the same way."""

    def __init__(self, identity: EmbedderIdentity) -> None:
        self.identity = identity

    def embed(self, texts: Sequence[str]) -> Embedded:
        usage = Usage(sum(map(estimated_tokens, texts)), 0)
        price = price_of(self.identity.model)
        vectors = ((1.0,),) * len(texts)
        calls = 0 if self.identity.model == WORDLLAMA else 1  # that one is computed here
        return Embedded(vectors, self.identity.model, usage, price.of(usage) if price else None, calls)


class FirstFound:
    """Several places where replies are kept, as one that is only read."""

    def __init__(self, *places: KeptReplies | None) -> None:
        self._places = [place for place in places if place is not None]

    def get(self, key: str, /) -> StoredReply | None:
        return next((reply for place in self._places if (reply := place.get(key)) is not None), None)


def estimated_tokens(text: str) -> int:
    return len(text.encode(errors="replace")) // BYTES_PER_TOKEN + 1
