"""The one seam between metrics and judges: `Judge.ask(question) → Reply`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel, JsonValue

from whichhalf.prompting.rendered import RenderedPrompt

T = TypeVar("T", bound=BaseModel)


class FreeText(BaseModel):
    """The reply type of a question that is answered in prose: no JSON is asked for and none is looked for."""

    text: str


@dataclass(frozen=True, slots=True)
class JudgeQuestion(Generic[T]):
    """One thing to ask."""

    prompt: RenderedPrompt
    variables: Mapping[str, JsonValue]
    """What the prompt was rendered from; judges that do not read prose use these."""
    reply_type: type[T]
    repeat: int = 0
    """0 for the first sample; further samples of the same question get their own replies."""
    enlarged: bool = False
    """True when the first reply was cut and the question is asked again with a larger limit."""
    known_keys: "list[tuple[JudgeIdentity, str]]" = field(default_factory=list, init=False, repr=False, compare=False)
    """Its keys with the judges that it was asked of: every layer in front of a judge needs the same one."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; None where it did not say."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_prompt_tokens: int | None = None
    """Of the prompt tokens, those that the server had kept from an earlier call, and bills at a lower price."""

    @property
    def total(self) -> int | None:
        """Both together; None when either is unknown."""
        parts = (self.prompt_tokens, self.completion_tokens)  # the cached ones are part of the first
        return None if None in parts else sum(part for part in parts if part is not None)


@dataclass(frozen=True, slots=True)
class Reply(Generic[T]):
    """What came back."""

    value: T
    text: str
    """The raw reply."""
    model: str
    """As returned by the server."""
    usage: Usage = Usage()
    cost_usd: float | None = None
    """None = unknown."""
    from_cache: bool = False
    attempts: int = 1
    latency_seconds: float = 0.0
    """Of a kept reply, what it took when it was made; 0 where that is not known."""
    is_stored: bool = False
    """True when the reply, as it is here, stands in the store already."""
    sent: Mapping[str, JsonValue] | None = None
    """The sampling settings as the server took them; None where it was not asked."""


@dataclass(frozen=True, slots=True)
class JudgeIdentity:
    """Everything about a judge, apart from the question, that can change its reply."""

    model: str
    endpoint: str | None
    sampling: Mapping[str, JsonValue]
    is_baseline: bool = False
    """True for the lexical baseline, which is no judge model."""


class Judge(Protocol):
    """Answers questions. Raises JudgeError for one lost reply, JudgeUnusable when no further call can succeed."""

    @property
    def identity(self) -> JudgeIdentity: ...

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]: ...
