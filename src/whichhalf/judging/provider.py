"""Ask a real model: the openai SDK for OpenAI-compatible servers, litellm for every other provider.

Both are imported on the first call only: they cost seconds. Their own retries are off; see retrying.py.
"""

import os
import threading
import time
from typing import Any

from pydantic import JsonValue

from whichhalf.errors import InputError, JudgeRefused, JudgeUnreachable, ReplyCut, ReplyUnreadable
from whichhalf.judging.key import reply_schema
from whichhalf.judging.parsing import parse_reply
from whichhalf.judging.provider_errors import classify, refused_parameter
from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion, Reply, T, Usage
from whichhalf.judging.settings import JudgeSettings

ENLARGED = 4
"""How many times larger the limit is when a cut reply is asked for again."""


class Provider:
    """One model behind one endpoint. Safe for several threads."""

    def __init__(self, settings: JudgeSettings) -> None:
        """Raises InputError when the key it needs is not in the environment."""
        self._settings = settings
        self._openai_model = settings.model.removeprefix("openai/") if settings.model.startswith("openai/") else None
        self._key = _api_key(settings, needed=self._openai_model is not None and settings.base_url is None)
        self._refused: set[str] = set()
        """Parameters this server has said it does not take."""
        self._client: Any = None
        self._guard = threading.Lock()
        sampling: dict[str, JsonValue] = {
            "temperature": settings.temperature,
            "seed": settings.seed,
            "max_output_tokens": settings.max_output_tokens,
        }
        self.identity = JudgeIdentity(settings.model, settings.base_url, sampling)

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
        """Raises JudgeError for this question, JudgeUnusable when no call can succeed."""
        started = time.monotonic()
        response = self._send(question)
        choice = _first_choice(response)
        text = choice.message.content or ""
        _check_finish(choice, text)
        usage = getattr(response, "usage", None)
        hidden = getattr(response, "_hidden_params", None) or {}
        return Reply(
            parse_reply(text, question.reply_type),
            text,
            getattr(response, "model", None) or self._settings.model,
            Usage(getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)),
            cost_usd=hidden.get("response_cost"),
            latency_seconds=time.monotonic() - started,
        )

    def _send(self, question: JudgeQuestion[T]) -> Any:
        import openai

        while True:
            parameters = self._parameters(question)
            try:
                return self._complete(parameters)
            except openai.OpenAIError as error:  # litellm's errors are subclasses of these
                status = getattr(error, "status_code", None)
                message = self._redacted(str(error))
                refused = refused_parameter(status, message, set(parameters))
                if refused is not None:
                    self._refused.add(refused)
                    continue
                if isinstance(error, openai.APIConnectionError):
                    status = None
                headers = getattr(getattr(error, "response", None), "headers", None) or {}
                raise classify(status, message, headers) from None

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

    def _complete(self, parameters: dict[str, Any]) -> Any:
        if self._openai_model is not None:
            return self._openai_client().chat.completions.create(model=self._openai_model, **parameters)
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # else importing it asks the network
        os.environ.setdefault("LITELLM_MODE", "PRODUCTION")  # else importing it loads ./.env
        import litellm

        return litellm.completion(
            model=self._settings.model,
            base_url=self._settings.base_url,
            api_key=self._key,
            timeout=self._settings.timeout_seconds,
            num_retries=0,
            max_retries=0,
            **parameters,
        )

    def _openai_client(self) -> Any:
        with self._guard:
            if self._client is None:
                import openai

                self._client = openai.OpenAI(
                    api_key=self._key or "no-key-needed",
                    base_url=self._settings.base_url,
                    timeout=self._settings.timeout_seconds,
                    max_retries=0,
                )
            return self._client

    def _redacted(self, message: str) -> str:
        return message.replace(self._key, "***") if self._key else message


def _api_key(settings: JudgeSettings, *, needed: bool) -> str | None:
    name = settings.api_key_env or ("OPENAI_API_KEY" if needed else None)
    if name is None:
        return None
    key = os.environ.get(name)
    if not key:
        raise InputError(f"judge {settings.model} needs a key: the environment variable {name} is not set")
    return key


def _first_choice(response: Any) -> Any:
    """Raises JudgeUnreachable for a 200 that is no completion, such as a proxy's HTML page."""
    choices = getattr(response, "choices", None)
    if not choices:
        raise JudgeUnreachable(f"the judge's answer is no completion; it begins {str(response)[:200]!r}")
    return choices[0]


def _check_finish(choice: Any, text: str) -> None:
    refusal = getattr(choice.message, "refusal", None)
    if refusal:
        raise JudgeRefused(f"the judge refused: {str(refusal)[:200]}", raw=str(refusal))
    if choice.finish_reason == "content_filter":
        raise JudgeRefused("a content filter stopped the reply", raw=text)
    if choice.finish_reason == "length":
        raise ReplyCut("the reply ended at the token limit", raw=text)
    if not text.strip():
        raise ReplyUnreadable(f"the reply is empty (finish reason {choice.finish_reason})", raw=text)
