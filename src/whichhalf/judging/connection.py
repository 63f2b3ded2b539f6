"""One model at one endpoint: its key, its SDK, its price, and the way every call to it goes out.

openai and litellm are imported on the first call only: they cost seconds. Their own retries are off; see retrying.py.
"""

import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from whichhalf.errors import InputError, JudgeError, JudgeUnreachable, JudgeUnusable
from whichhalf.judging.first_call import FirstCall
from whichhalf.judging.prices import price_of
from whichhalf.judging.provider_errors import classify, everything_said, headers_of
from whichhalf.judging.seam import Usage
from whichhalf.judging.traffic import Call, Traffic

_OPENAI = "openai/"
_MOST_SHOWN = 200
_MOST_QUOTED = 1000
"""Characters of an error that are kept; some servers send whole pages, or the request back."""


class Function(NamedTuple):
    """What a model can be called for, by the names of both SDKs."""

    path: str
    litellm_name: str


COMPLETION = Function("/chat/completions", "completion")
EMBEDDINGS = Function("/embeddings", "embedding")


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back, as JSON: nothing about it is certain."""

    body: Any
    cost_usd: float | None = None
    """Where the SDK tells it."""

    def part(self, name: str) -> Any:
        """None where there is none."""
        return self.body.get(name) if isinstance(self.body, dict) else None


class Connection:
    """One model at one endpoint, with its key. Safe for several threads."""

    def __init__(
        self,
        model: str,
        base_url: str | None,
        api_key_env: str | None,
        timeout_seconds: float,
        traffic: Traffic,
        who: str = "the judge",
    ) -> None:
        """`who` begins messages. Raises InputError when the key it needs is not in the environment."""
        self.model = model
        self.openai_model = model.removeprefix(_OPENAI) if model.startswith(_OPENAI) else None
        """The model's name on an OpenAI-compatible server; None when litellm is asked."""
        self.endpoint = endpoint_of(model, base_url)
        self._base_url = base_url
        self._timeout_seconds = timeout_seconds
        self._who = who
        self._key = _api_key(model, api_key_env, self.openai_model is not None and self.endpoint is None, who)
        self._tls: Any = None
        self._is_open = False
        self._idle_clients: list[Any] = []
        self._guard = threading.Lock()
        self._traffic = traffic
        self._first = FirstCall()
        traffic.before_first_call(self._open)

    @contextmanager
    def call(self, tokens: int, most: Usage) -> Iterator[Call]:
        """Wait for a turn and make one call in the block; errors of the SDKs become ours.

        `tokens` is an estimate of what it takes, `most` what it can take at the most. Raises BudgetSpent.
        """
        most_usd = self.cost_of(most) if self._traffic.budget.counts_money else None
        self._open()  # before others wait for this call: it takes seconds
        with self._first.turn(), self._traffic.call(tokens, most_usd or 0.0) as call, self._mapped_errors():
            yield call

    def send(self, function: Function, parameters: Mapping[str, Any]) -> Answer:
        """Call one function of the model. Raises what the SDK raises, and JudgeUnreachable for an answer of no JSON."""
        if self.openai_model is None:
            response = self._litellm(function.litellm_name, parameters)
            return Answer(response.model_dump(), (getattr(response, "_hidden_params", None) or {}).get("response_cost"))
        # not as the SDK's own types: walking through those takes longer than the rest of a call
        import httpx2

        body = {"model": self.openai_model, **parameters}
        with self._client() as client:
            response = client.post(function.path, body=body, cast_to=httpx2.Response)
        try:
            return Answer(json.loads(response.content))
        except ValueError:
            begin = self.clean(response.text)[:_MOST_SHOWN]
            raise JudgeUnreachable(f"{self._who}'s answer is no JSON; it begins {begin!r}", status=200) from None

    def answered(self, call: Call, answer: Answer, *, with_text: bool = True) -> None:
        """Note what a call took: time, tokens as told, and the price where litellm or its table knows it."""
        call.latency_seconds = time.monotonic() - call.begun
        self._first.answered()
        usage = answer.part("usage")
        completion = _count(usage, "completion_tokens") if with_text else 0
        cached = _count(usage.get("prompt_tokens_details") if isinstance(usage, dict) else None, "cached_tokens")
        call.usage = Usage(_count(usage, "prompt_tokens"), completion, cached)
        call.cost_usd = self.cost_of(call.usage) if answer.cost_usd is None else answer.cost_usd

    def cost_of(self, usage: Usage) -> float | None:
        """At list price; None where the model or the tokens are not known."""
        price = price_of(self.model)
        return price.of(usage) if price else None

    @property
    def sdk_error(self) -> type[Exception]:
        """What the SDKs raise: litellm's errors are subclasses of openai's."""
        import openai

        return openai.OpenAIError

    def _open(self) -> None:
        """Load the SDK, and what the clients of an OpenAI-compatible server share, once."""
        if self._is_open:
            return
        with self._guard:
            if self._is_open:
                return
            if self.openai_model is None:
                _load_litellm()
            else:
                import httpx2
                import openai  # noqa: F401

                self._tls = httpx2.create_ssl_context()
            self._is_open = True

    @contextmanager
    def _client(self) -> Iterator[Any]:
        """A client of an OpenAI-compatible server that no other call uses: calls of one would queue for connections."""
        try:
            client = self._idle_clients.pop()
        except IndexError:
            client = self._new_client()
        try:
            yield client
        finally:
            self._idle_clients.append(client)

    def _new_client(self) -> Any:
        import openai

        from whichhalf.judging.reply_deadline import reply_deadline

        hooks = reply_deadline(self._timeout_seconds)
        return openai.OpenAI(
            api_key=self._key or "no-key-needed",
            base_url=self.endpoint,
            timeout=self._timeout_seconds,
            max_retries=0,
            http_client=openai.DefaultHttpxClient(event_hooks=hooks, verify=self._tls),
        )

    def _litellm(self, function: str, parameters: Mapping[str, Any]) -> Any:
        import litellm

        return getattr(litellm, function)(
            model=self.model,
            api_base=self._base_url,
            api_key=self._key,
            timeout=self._timeout_seconds,
            num_retries=0,
            max_retries=0,
            **parameters,
        )

    @contextmanager
    def _mapped_errors(self) -> Iterator[None]:
        import openai

        try:
            yield
        except openai.OpenAIError as error:  # litellm's errors are subclasses of these
            raise self._classified(error) from None

    def _classified(self, error: Exception) -> JudgeError | JudgeUnusable:
        """The error of ours that an SDK's error means."""
        import openai

        status = None if isinstance(error, openai.APIConnectionError) else getattr(error, "status_code", None)
        return classify(status, self.message_of(error), headers_of(error), self._who)

    def message_of(self, error: Exception) -> str:
        """All that an SDK's error says, but for our key."""
        return self.quoted(everything_said(error))

    def quoted(self, text: str) -> str:
        """As `clean` gives it, no longer than is kept of an error."""
        return self.clean(text)[:_MOST_QUOTED]

    def clean(self, text: str) -> str:
        """Without our key, which some servers send back, and without halves of characters, which no file can hold."""
        text = text.encode("utf-8", errors="replace").decode("utf-8")
        return text.replace(self._key, "***") if self._key else text


def endpoint_of(model: str, base_url: str | None) -> str | None:
    """Where the calls go; None is the provider's own server."""
    if model.startswith(_OPENAI) and base_url is None:
        # the SDK would read it by itself, and replies of another server would be kept as those of OpenAI
        return os.environ.get("OPENAI_BASE_URL") or None
    return base_url


def _load_litellm() -> None:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else importing it asks the network
    os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # else importing it loads ./.env
    import litellm

    litellm.suppress_debug_info = True  # else it prints advertisements to stdout, where a result may be expected


def _count(usage: object, name: str) -> int | None:
    tokens = usage.get(name) if isinstance(usage, dict) else None
    return tokens if isinstance(tokens, int) else None


def _api_key(model: str, variable: str | None, needed: bool, who: str) -> str | None:
    name = variable or ("OPENAI_API_KEY" if needed else None)
    if name is None:
        return None
    return key_from_environment(name, f"{who.removeprefix('the ')} {model}")


def key_from_environment(name: str, who: str) -> str:
    """The key in an environment variable. Raises InputError, which `who` begins, when there is none."""
    key = os.environ.get(name, "").strip()  # a line end read from a file would be no legal header
    if not key:
        raise InputError(f"{who} needs a key: the environment variable {name} is not set")
    if not key.isascii():
        raise InputError(f"the environment variable {name} holds no key: keys are ASCII")
    return key
