"""Messages ready to send, with the identity of the prompt they were rendered from."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user"]
    content: str


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    name: str
    version: str
    sha256: str
    """Of the template, not of the rendered text."""
    messages: tuple[Message, ...]
