"""What a user may set about the assistant under test: `[assistant]` of a config."""

from pathlib import Path

from pydantic import Field, JsonValue, model_validator

from whichhalf.assistants.seam import Kind
from whichhalf.core.record import Record
from whichhalf.judging.settings import URL, VARIABLE, JudgeSettings

_EVERYWHERE = {"concurrency"}
_KEYS: dict[Kind, set[str]] = {
    "callable": {"folder"},
    "url": {
        "api_key_env",
        "key_header",
        "request",
        "reply",
        "body",
        "timeout_seconds",
        "requests_per_minute",
        "max_calls",
    },
    "model": {
        "base_url",
        "api_key_env",
        "temperature",
        "seed",
        "max_output_tokens",
        "timeout_seconds",
        "requests_per_minute",
        "tokens_per_minute",
        "max_calls",
        "budget_usd",
        "replies",
    },
}
_REQUEST = {"id", "question", "history", "passages"}
_REPLY = {
    "answer",
    "retrieved",
    "reranked",
    "context",
    "used_passages",
    "prompt",
    "model",
    "cost_usd",
    "error",
    "meta",
}


class AssistantSettings(Record):
    """One of `callable`, `url` and `model` says which kind it is; none of them means that there is no assistant."""

    callable: str | None = Field(default=None, pattern=r"^[^\W\d][\w.]*:[^\W\d][\w.]*$")
    """`module:function`."""
    folder: Path = Path()
    """Where the module is looked for, after the places Python knows."""
    url: str | None = Field(default=None, pattern=URL)
    """Where requests are posted to."""
    request: dict[str, str] = {}
    """Field of the request → its place in the body sent; dotted paths reach inside, "" leaves the field out."""
    reply: dict[str, str] = {}
    """Field of the reply → its place in the body that comes back."""
    body: dict[str, JsonValue] = {}
    """Sent with every request, beside ours."""
    key_header: str = Field(default="Authorization", pattern=r"^[A-Za-z0-9-]+$")
    """The header that carries the key; `Authorization` carries it as a bearer token."""
    model: str | None = Field(default=None, min_length=1)
    """`offline` is an extractive baseline; `recorded/NAME` answers from `replies` alone; other names as in [judge]."""
    base_url: str | None = Field(default=None, pattern=URL)
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)
    seed: int | None = None
    max_output_tokens: int = Field(default=1024, ge=64)
    replies: Path | None = None
    """Recorded replies, read beside the cache."""
    api_key_env: str | None = Field(default=None, pattern=VARIABLE)
    """Name of the environment variable that holds the key. The key itself is never written anywhere."""
    timeout_seconds: float = Field(default=120.0, gt=0)
    concurrency: int = Field(default=8, ge=1, le=512)
    requests_per_minute: float | None = Field(default=None, gt=0)
    tokens_per_minute: float | None = Field(default=None, gt=0)
    max_calls: int | None = Field(default=None, ge=1)
    """One command makes no more calls than this."""
    budget_usd: float | None = Field(default=None, gt=0)

    @property
    def kind(self) -> Kind | None:
        """None when no assistant is set."""
        return next((kind for kind in _KEYS if getattr(self, kind) is not None), None)

    @property
    def as_judge(self) -> JudgeSettings:
        """What a model, or the traffic to an endpoint, has in common with a judge."""
        shared = self.model_dump(include=set(JudgeSettings.model_fields), exclude_none=True)
        return JudgeSettings(**shared)

    @model_validator(mode="after")
    def _is_one_kind(self) -> "AssistantSettings":
        given = [kind for kind in _KEYS if getattr(self, kind) is not None]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} are two assistants: keep one")
        changed = {
            name for name, about in type(self).model_fields.items() if getattr(self, name) != about.default
        } - set(_KEYS)
        if not given:
            if changed:
                raise ValueError(f"{min(changed)} says nothing without callable, url or model")
            return self
        idle = sorted(changed - _KEYS[given[0]] - _EVERYWHERE)
        if idle:
            raise ValueError(f"{idle[0]} says nothing to a {given[0]}")
        for names, known in ((self.request, _REQUEST), (self.reply, _REPLY)):
            unknown = sorted(names.keys() - known)
            if unknown:
                raise ValueError(f"there is no field {unknown[0]}; there are {', '.join(sorted(known))}")
        return self
