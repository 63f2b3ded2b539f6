"""One model at one endpoint: its key, its price, and the way every call to it goes out.

openai and litellm work in a process beside ours (sdk_process.py), which the first call begins. Their own retries are
off; see retrying.py.
"""

import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from whichhalf.errors import InputError, JudgeUnreachable, JudgeUnusable
from whichhalf.judging.first_call import FirstCall
from whichhalf.judging.model_names import OPENAI, sdk_of
from whichhalf.judging.prices import price_of
from whichhalf.judging.provider_errors import classify
from whichhalf.judging.sdk_process import Answered, SdkProcessEnded, ask_sdk, begin_to_load
from whichhalf.judging.seam import Usage
from whichhalf.judging.traffic import Call, Traffic

_MOST_SHOWN = 200
_MOST_QUOTED = 1000
"""Characters of an error that are kept; some servers send whole pages, or the request back."""
_GRACE_SECONDS = 5.0
"""Beyond its time-out the SDK has so long to end a call by itself."""
_LOOK_SECONDS = 0.5
_LOADING_SECONDS = 300.0
"""An SDK that takes longer to load never will."""


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


@dataclass(eq=False)
class SdkError(Exception):
    """What an SDK raised, and all that it said."""

    status: int | None
    """None when no answer came at all."""
    said: str
    headers: dict[str, str]
    """Of the answer."""
    parameter: str | None
    """What the server calls the culprit, where it does."""


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
        self.openai_model = model.removeprefix(OPENAI) if model.startswith(OPENAI) else None
        """The model's name on an OpenAI-compatible server; None when litellm is asked."""
        self.endpoint = endpoint_of(model, base_url)
        self._timeout_seconds = timeout_seconds
        self._who = who
        self._key = _api_key(model, api_key_env, self.openai_model is not None and self.endpoint is None, who)
        self._loading: Answered | None = None
        self._guard = threading.Lock()
        self._traffic = traffic
        self._first = FirstCall()
        traffic.before_first_call(self._begin_to_load)

    @contextmanager
    def call(self, tokens: int, most: Usage) -> Iterator[Call]:
        """Wait for a turn and make one call in the block; errors of the SDKs become ours.

        `tokens` is an estimate of what it takes, `most` what it can take at the most. Raises BudgetSpent.
        """
        most_usd = self.cost_of(most) if self._traffic.budget.counts_money else None
        self._wait_until_loaded()  # before others wait for this call: it takes seconds
        with self._first.turn(), self._traffic.call(tokens, most_usd or 0.0) as call:
            try:
                yield call
            except SdkError as error:
                raise classify(error.status, self.quoted(error.said), error.headers, self._who) from None

    def send(self, function: Function, parameters: Mapping[str, Any]) -> Answer:
        """Call one function of the model. Raises SdkError, and JudgeUnreachable where nothing that can be read came."""
        request = {
            "sdk": sdk_of(self.model),
            "path": function.path,
            "function": function.litellm_name,
            "base_url": self.endpoint,
            "key": self._key,
            "timeout_seconds": self._timeout_seconds,
            "body": json.dumps({"model": self.openai_model or self.model, **parameters}),
        }
        try:
            found = self._found(ask_sdk(request), self._timeout_seconds + _GRACE_SECONDS)
        except SdkProcessEnded as error:
            raise JudgeUnreachable(f"{self._who} could not be asked: {error}") from error
        except TimeoutError:
            message = f"{self._who}'s reply was not complete after {self._timeout_seconds:g} s"
            raise JudgeUnreachable(message) from None
        if "body" in found:
            return Answer(found["body"], found["cost_usd"])
        try:
            return Answer(json.loads(found["text"]))
        except (ValueError, RecursionError):
            begin = self.clean(found["text"])[:_MOST_SHOWN]
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

    def _begin_to_load(self) -> Answered:
        with self._guard:
            if self._loading is None:
                self._loading = begin_to_load(self.model)
            return self._loading

    def _wait_until_loaded(self) -> None:
        loading, until = self._begin_to_load(), time.monotonic() + _LOADING_SECONDS
        while not loading.done() and time.monotonic() < until:
            self._traffic.pace.check_open()
            wait([loading], _LOOK_SECONDS)
        try:
            self._found(loading, 0)
        except SdkProcessEnded as error:
            raise JudgeUnusable(f"{self._who} cannot be asked: {error}") from error
        except TimeoutError:
            raise JudgeUnusable(f"{self._who} cannot be asked: its SDK does not load") from None

    def _found(self, answered: Answered, patience_seconds: float) -> dict[str, Any]:
        """Raises SdkError, SdkProcessEnded, TimeoutError, and RuntimeError for a bug at the other end."""
        try:
            found = answered.result(patience_seconds)
        except TimeoutError:  # we may have been stopped, and what has arrived is about to be read
            found = answered.result(_LOOK_SECONDS)
        if "error" in found:
            raise SdkError(**found["error"])
        if "bug" in found:
            raise RuntimeError(self.clean(found["bug"]))
        return found

    def quoted(self, text: str) -> str:
        """As `clean` gives it, no longer than is kept of an error."""
        return self.clean(text)[:_MOST_QUOTED]

    def clean(self, text: str) -> str:
        """Without our key, which some servers send back, and without halves of characters, which no file can hold."""
        text = text.encode("utf-8", errors="replace").decode("utf-8")
        return text.replace(self._key, "***") if self._key else text


def endpoint_of(model: str, base_url: str | None) -> str | None:
    """Where the calls go; None is the provider's own server."""
    if model.startswith(OPENAI) and base_url is None:
        # the SDK would read it by itself, and replies of another server would be kept as those of OpenAI
        return os.environ.get("OPENAI_BASE_URL") or None
    return base_url


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
