"""The one seam between this package and the assistant under test: `Assistant.reply(request) → reply`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pydantic import JsonValue

from whichhalf.core.case import Passage, Turn
from whichhalf.judging.seam import Usage

Kind = Literal["callable", "url", "model"]
"""A Python function, an HTTP endpoint, or a model with the packaged answer prompt."""


@dataclass(frozen=True, slots=True)
class AssistantRequest:
    """One question for the assistant."""

    id: str
    question: str
    history: tuple[Turn, ...] = ()
    """Earlier turns, oldest first."""
    passages: tuple[Passage, ...] | None = None
    """What it must answer from, without a search of its own; None lets it search."""


@dataclass(frozen=True, slots=True)
class AssistantReply:
    """What the assistant said, and what it says it did. Tuples are in rank order; None = not told."""

    answer: str
    retrieved: tuple[Passage, ...] | None = None
    reranked: tuple[Passage, ...] | None = None
    context: tuple[Passage, ...] | None = None
    prompt: str | None = None
    model: str | None = None
    usage: Usage = Usage()
    cost_usd: float | None = None
    """None = unknown. Of a kept reply, what it cost when it was made."""
    from_cache: bool = False
    attempts: int = 1
    """Calls made for it; 0 for a reply that was kept from before."""
    latency_seconds: float | None = None
    """None for a reply that was kept from before."""
    meta: Mapping[str, JsonValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AssistantIdentity:
    """What is known of an assistant, apart from the request, that can change its reply."""

    kind: Kind
    name: str
    """The function, the address, or the model."""
    settings: Mapping[str, JsonValue] = field(default_factory=dict)
    is_baseline: bool = False
    """True for the extractive baseline, which is no model."""

    @property
    def in_words(self) -> str:
        """For a person: its kind and name, and the prompt of a model."""
        prompt = self.settings.get("prompt")
        return f"{self.kind} {self.name}" + (f" with {prompt}" if prompt else "")


class Assistant(Protocol):
    """Replies from several threads at once. Raises AssistantFailed for one lost reply, JudgeUnusable when no further
    call can succeed."""

    @property
    def identity(self) -> AssistantIdentity: ...

    @property
    def takes_passages(self) -> bool:
        """Whether it can be told what to answer from."""

    def reply(self, request: AssistantRequest) -> AssistantReply: ...

    def close(self) -> None:
        """Give back connections and threads."""
