"""What a model can read at once, and a judge that does not send what is certainly longer."""

from functools import cache

from whichhalf.errors import ContextTooLong
from whichhalf.judging.prices import listed, price_of
from whichhalf.judging.seam import Judge, JudgeIdentity, JudgeQuestion, Reply, T
from whichhalf.judging.settings import JudgeSettings

_FEWEST_PASSAGE_TOKENS = 500


def window_of(settings: JudgeSettings, identity: JudgeIdentity) -> int | None:
    """Tokens a question may have: as set, else as litellm's table says of a provider's own server. None = unknown.

    Behind another endpoint a model's name is an alias and says nothing of the window. Nor does the table know it where
    it has no price: on a machine of the user's, as with ollama, the window is what was loaded there.
    """
    if settings.context_tokens is not None or identity.endpoint is not None:
        return settings.context_tokens
    return _listed_window(identity.model)


def passage_tokens(settings: JudgeSettings, identity: JudgeIdentity) -> int:
    """`max_prompt_tokens`, but no more than half of what a listed window leaves beside the reply.

    The other half is for instructions and claims, and for what the estimate of the passages may be short by. Beside
    a window that the user has set, what the user has set counts.
    """
    window = window_of(settings, identity)
    if window is None or settings.context_tokens is not None:
        return settings.max_prompt_tokens
    return min(settings.max_prompt_tokens, max(_FEWEST_PASSAGE_TOKENS, (window - settings.max_output_tokens) // 2))


@cache
def _listed_window(model: str) -> int | None:
    tokens = listed(model).get("max_input_tokens") if price_of(model) else None
    return tokens if isinstance(tokens, int) and tokens > 0 else None


def least_tokens(text: str) -> int:
    """No more than any tokenizer counts: tokens do not reach across blanks, so a word is one at the least.

    English has about four tokens to three words; in scripts without blanks the bound is far below what is counted.
    """
    return len(text.split())


class WindowJudge:
    """Wraps a judge, and asks it nothing that cannot fit its window. What may fit, the server has to tell."""

    def __init__(self, inner: Judge, window: int) -> None:
        """`window` in tokens."""
        self._inner = inner
        self._window = window

    @property
    def identity(self) -> JudgeIdentity:
        return self._inner.identity

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
        """Raises ContextTooLong, of no call, beside what the inner judge raises."""
        texts = [message.content for message in question.prompt.messages]
        if sum(map(len, texts)) // 2 >= self._window:  # two characters a word: else there is nothing to count
            tokens = sum(map(least_tokens, texts))
            if tokens > self._window:
                error = ContextTooLong(
                    f"not sent: the question has at least {tokens} tokens, the window of {self.identity.model} "
                    f"{self._window}"
                )
                error.attempts = 0
                raise error
        return self._inner.ask(question)
