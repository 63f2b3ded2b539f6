"""Ask a real model: the openai SDK for OpenAI-compatible servers, litellm for every other provider.

Both are imported on the first call only: they cost seconds. Their own retries are off; see retrying.py.
"""

import json
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic import JsonValue

from whichhalf.errors import (
    InputError,
    JudgeError,
    JudgeRefused,
    JudgeUnreachable,
    JudgeUnusable,
    ReplyCut,
    ReplyUnreadable,
)
from whichhalf.judging.key import reply_schema
from whichhalf.judging.parsing import parse_reply
from whichhalf.judging.provider_errors import classify, everything_said, headers_of, refused_parameter
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion, Reply, T, Usage
from whichhalf.judging.settings import JudgeSettings

ENLARGED = 4
"""How many times larger the limit is when a cut reply is asked for again."""

_MOST_QUOTED = 1000
"""Characters of an error that are kept; some servers send whole pages, or the request back."""


class Connection:
    """One model at one endpoint, with its key. Safe for several threads."""

    def __init__(
        self, model: str, base_url: str | None, api_key_env: str | None, timeout_seconds: float, who: str = "the judge"
    ) -> None:
        """`who` begins messages. Raises InputError when the key it needs is not in the environment."""
        self.model = model
        self.openai_model = model.removeprefix("openai/") if model.startswith("openai/") else None
        """The model's name on an OpenAI-compatible server; None when litellm is asked."""
        self.endpoint = base_url
        if self.openai_model is not None and self.endpoint is None:
            # the SDK would read it by itself, and replies of another server would be kept as those of OpenAI
            self.endpoint = os.environ.get("OPENAI_BASE_URL") or None
        self._base_url = base_url
        self._timeout_seconds = timeout_seconds
        self._who = who
        self._key = _api_key(model, api_key_env, self.openai_model is not None and self.endpoint is None, who)
        self._client: Any = None
        self._guard = threading.Lock()

    def openai(self) -> Any:
        """The client of an OpenAI-compatible server."""
        with self._guard:
            if self._client is None:
                import openai

                self._client = openai.OpenAI(
                    api_key=self._key or "no-key-needed",
                    base_url=self.endpoint,
                    timeout=self._timeout_seconds,
                    max_retries=0,
                )
            return self._client

    def litellm(self, function: str, **parameters: Any) -> Any:
        """Call `completion` or `embedding` of litellm for this model."""
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else importing it asks the network
        os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # else importing it loads ./.env
        import litellm

        litellm.suppress_debug_info = True  # else it prints advertisements to stdout, where a result may be expected
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
    def mapped_errors(self) -> Iterator[None]:
        """Errors of the SDKs become ours."""
        import openai

        try:
            yield
        except (json.JSONDecodeError, UnicodeDecodeError):  # the SDK lets these through
            raise JudgeUnreachable(f"{self._who}'s answer is no JSON") from None
        except openai.OpenAIError as error:  # litellm's errors are subclasses of these
            raise self.classified(error) from None

    def classified(self, error: Exception) -> JudgeError | JudgeUnusable:
        """The error of ours that an SDK's error means."""
        import openai

        status = None if isinstance(error, openai.APIConnectionError) else getattr(error, "status_code", None)
        return classify(status, self.message_of(error), headers_of(error), self._who)

    def message_of(self, error: Exception) -> str:
        """All that an SDK's error says, but for our key."""
        return self.clean(everything_said(error))[:_MOST_QUOTED]

    def clean(self, text: str) -> str:
        """Without our key, which some servers send back, and without halves of characters, which no file can hold."""
        text = text.encode("utf-8", errors="replace").decode("utf-8")
        return text.replace(self._key, "***") if self._key else text


class Provider:
    """One judge model behind one endpoint. Safe for several threads."""

    def __init__(self, settings: JudgeSettings) -> None:
        """Raises InputError when the key it needs is not in the environment."""
        self._settings = settings
        self._connection = Connection(settings.model, settings.base_url, settings.api_key_env, settings.timeout_seconds)
        self._refused: set[str] = set()
        """Parameters this server has said it does not take."""
        sampling: dict[str, JsonValue] = {
            "temperature": settings.temperature,
            "seed": settings.seed,
            "max_output_tokens": settings.max_output_tokens,
        }
        self.identity = JudgeIdentity(settings.model, self._connection.endpoint, sampling)

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
        """Raises JudgeError for this question, JudgeUnusable when no call can succeed."""
        started = time.monotonic()
        response, calls = self._send(question)
        choice = self._first_choice(response)
        text = self._connection.clean(choice.message.content or "")
        refusal = getattr(choice.message, "refusal", None)
        _check_finish(choice.finish_reason, text, self._connection.clean(str(refusal)) if refusal else "")
        usage = getattr(response, "usage", None)
        hidden = getattr(response, "_hidden_params", None) or {}
        return Reply(
            parse_reply(text, question.reply_type),
            text,
            str(getattr(response, "model", None) or self._settings.model),
            Usage(token_count(usage, "prompt_tokens"), token_count(usage, "completion_tokens")),
            cost_usd=hidden.get("response_cost"),
            attempts=calls,
            latency_seconds=time.monotonic() - started,
        )

    def _send(self, question: JudgeQuestion[T]) -> tuple[Any, int]:
        """What the server answered, and how many calls that took."""
        import openai

        calls = 0
        while True:
            parameters = self._parameters(question)
            calls += 1
            with self._connection.mapped_errors():
                try:
                    return self._complete(parameters), calls
                except openai.OpenAIError as error:
                    self._leave_out_refused(error, question, parameters)

    def _leave_out_refused(self, error: Exception, question: JudgeQuestion[T], parameters: Mapping[str, Any]) -> None:
        """Remember the parameter that the server complains of; raise the error again when it is about none."""
        status = getattr(error, "status_code", None)
        message = self._connection.message_of(error)
        if question.enlarged and status in {400, 413, 422}:
            # the same question was taken a moment ago, so it is the larger limit that is refused
            raise ReplyCut(f"the reply ended at the token limit, and no larger one is allowed: {message}") from None
        refused = refused_parameter(status, message, set(parameters), named=getattr(error, "param", None))
        if refused is None:
            raise error
        self._refused.add(refused)

    def _parameters(self, question: JudgeQuestion[T]) -> dict[str, Any]:
        settings = self._settings
        limit = settings.max_output_tokens * (ENLARGED if question.enlarged else 1)
        parameters: dict[str, Any] = {
            "messages": [{"role": message.role, "content": message.content} for message in question.prompt.messages],
            "temperature": settings.temperature,
            "max_tokens": limit,
            "response_format": {
                "type": "json_schema",
                "json_schema": {
                    "name": question.prompt.name,
                    "strict": True,
                    "schema": reply_schema(question.reply_type),
                },
            },
        }
        if settings.seed is not None:
            parameters["seed"] = settings.seed + question.repeat
        if "max_tokens" in self._refused:
            parameters["max_completion_tokens"] = limit
        return {name: value for name, value in parameters.items() if name not in self._refused}

    def _complete(self, parameters: Mapping[str, Any]) -> Any:
        connection = self._connection
        if connection.openai_model is None:
            return connection.litellm("completion", **parameters)
        return connection.openai().chat.completions.create(model=connection.openai_model, **parameters)

    def _first_choice(self, response: Any) -> Any:
        """Raises JudgeUnreachable for a 200 that is no completion, such as a proxy's HTML page."""
        choices = getattr(response, "choices", None)
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(getattr(getattr(choice, "message", None), "content", 0), str | None):
            begin = self._connection.clean(str(response))[:200]
            raise JudgeUnreachable(f"the judge's answer is no completion; it begins {begin!r}")
        return choice


def _api_key(model: str, variable: str | None, needed: bool, who: str) -> str | None:
    name = variable or ("OPENAI_API_KEY" if needed else None)
    if name is None:
        return None
    key = os.environ.get(name, "").strip()  # a line end read from a file would be no legal header
    if not key:
        raise InputError(f"{who.removeprefix('the ')} {model} needs a key: the environment variable {name} is not set")
    if not key.isascii():
        raise InputError(f"the environment variable {name} holds no key: keys are ASCII")
    return key


def token_count(usage: object, name: str) -> int | None:
    tokens = getattr(usage, name, None)
    return tokens if isinstance(tokens, int) else None


def _check_finish(finish_reason: object, text: str, refusal: str) -> None:
    if refusal:
        raise JudgeRefused(f"the judge refused: {refusal[:200]}", raw=refusal)
    if finish_reason == "content_filter":
        raise JudgeRefused("a content filter stopped the reply", raw=text)
    if finish_reason == "length":
        raise ReplyCut("the reply ended at the token limit", raw=text)
    if not text.strip():
        raise ReplyUnreadable(f"the reply is empty (finish reason {finish_reason})", raw=text)
