"""What a user may set about the judge and the embedding model: `[judge]` and `[embedding]` of a config."""

from pathlib import Path
from typing import Self

from pydantic import Field, model_validator

from whichhalf.core.record import Record
from whichhalf.judging.model_names import OFFLINE

URL = r"^https?://[^/@]+(/.*)?$"
"""Without credentials: what stands in a config is written into every run folder."""

VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
"""Of a shape that keys do not have: one written here by mistake is refused, and not repeated."""


class JudgeSettings(Record):
    """`offline` is the lexical baseline; `recorded/NAME` answers from `replies` alone; `openai/MODEL` is any
    OpenAI-compatible server; every other name is passed to litellm."""

    model: str = Field(default=OFFLINE, min_length=1)
    base_url: str | None = Field(default=None, pattern=URL)
    api_key_env: str | None = Field(default=None, pattern=VARIABLE)
    """Name of the environment variable that holds the key. The key itself is never written anywhere."""
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    seed: int | None = None
    max_output_tokens: int = Field(default=4096, ge=64)
    max_prompt_tokens: int = Field(default=24_000, ge=500)
    """Passages beyond this estimate go into further prompts; beyond half of what the window leaves beside the reply,
    where that is less and litellm's table says the window."""
    context_tokens: int | None = Field(default=None, ge=1000)
    """The judge's window: a question that is certainly longer is not sent. Unset, litellm's table says it for models
    that have a price there, on their provider's own server."""
    timeout_seconds: float = Field(default=120.0, gt=0)
    """How long one call may take, to the last byte of its reply."""
    silence_seconds: float = Field(default=120.0, gt=0)
    """A judge that has answered no call for so long is taken to be down: the run stops, and can be resumed."""
    concurrency: int = Field(default=16, ge=1, le=512)
    """Calls under way at once, those of the embedding model counted in; likewise the limits below."""
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)
    """Of prompts and replies together."""
    max_calls: int | None = Field(default=None, ge=1)
    """A run makes no more calls than this."""
    budget_usd: float | None = Field(default=None, gt=0)
    """A run spends no more than this; only for models whose price is known."""
    repeats: int = Field(default=1, ge=1, le=100)
    """Replies to every question; more than one shows the judge's own noise."""
    repeat_share: float = Field(default=1.0, gt=0.0, le=1.0)
    """Share of the cases, drawn by [data] seed, that are judged more than once."""
    replies: Path | None = None
    """Recorded replies, read beside the cache."""

    @model_validator(mode="after")
    def _prompts_fit_the_window(self) -> Self:
        if self.context_tokens is not None and self.max_prompt_tokens >= self.context_tokens:
            raise ValueError(
                f"max_prompt_tokens ({self.max_prompt_tokens}) must be below context_tokens ({self.context_tokens}): "
                "claims and the reply need room too"
            )
        return self


class EmbeddingSettings(Record):
    """`wordllama` is computed here, without network; `openai/MODEL` is any OpenAI-compatible server; every other
    name is passed to litellm."""

    model: str = Field(default="wordllama", min_length=1)
    base_url: str | None = Field(default=None, pattern=URL)
    api_key_env: str | None = Field(default=None, pattern=VARIABLE)
    """Name of the environment variable that holds the key."""
