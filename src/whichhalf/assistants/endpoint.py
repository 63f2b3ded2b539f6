"""The assistant behind an HTTP address: one POST of JSON a question."""

import threading
import time
from dataclasses import replace
from typing import Any

from whichhalf.assistants.contract import read_reply, request_body
from whichhalf.assistants.seam import AssistantIdentity, AssistantReply, AssistantRequest
from whichhalf.assistants.settings import AssistantSettings
from whichhalf.errors import AssistantFailed, JudgeError, JudgeUnreachable, JudgeUnusable
from whichhalf.judging.connection import key_from_environment
from whichhalf.judging.provider_errors import retry_after_seconds
from whichhalf.judging.retrying import Patience, with_retries
from whichhalf.judging.traffic import Traffic

_BUSY = {408, 409, 425, 429}
_EVERY_CALL = {401, 402, 403, 404, 405, 410}
"""The key or the address is wrong; other 4xx concern one question."""
_QUOTED = 300


class HttpAssistant:
    """Posts requests and reads replies as in contract.py, with the names of the settings. Redirects are not followed:
    the key would go to an address that nobody wrote down."""

    def __init__(self, settings: AssistantSettings, patience: Patience | None = None) -> None:
        """Raises InputError when the key it needs is not in the environment."""
        assert settings.url is not None
        self._settings = settings
        self._url = settings.url
        self._traffic = Traffic.of(settings.as_judge)
        self._patience = patience or Patience(sleep=self._traffic.pace.sleep)
        name = settings.api_key_env
        self._key = key_from_environment(name, f"assistant {self._url}") if name else None
        self._client: Any = None
        self._guard = threading.Lock()
        told = settings.model_dump(mode="json", include={"request", "reply", "body"})
        self.identity = AssistantIdentity("url", self._url, told)

    @property
    def takes_passages(self) -> bool:
        return self._settings.request.get("passages") != ""

    def reply(self, request: AssistantRequest) -> AssistantReply:
        """Raises AssistantFailed for this question, JudgeUnusable when no call can succeed."""
        body = request_body(request, self._settings.request, self._settings.body)
        started = time.monotonic()
        try:
            text, attempts = with_retries(lambda: self._post(body), self._patience)
        except JudgeError as error:
            raise AssistantFailed.from_call(error) from error
        seconds = time.monotonic() - started
        return replace(read_reply(text, request, self._settings.reply), attempts=attempts, latency_seconds=seconds)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()

    def _post(self, body: object) -> str:
        with self._traffic.call(tokens=0):
            return self._text(body)

    def _text(self, body: object) -> str:
        import httpx2

        try:
            response = self._connected().post(self._url, json=body)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            said = self._clean(str(error)) or type(error).__name__
            raise JudgeUnreachable(f"the assistant could not be reached: {said}") from None
        text = self._clean(response.text)
        status, said = response.status_code, f"({response.status_code}): {text[:_QUOTED]!r}"
        if response.is_redirect:
            place = self._clean(response.headers.get("location", "?"))
            raise JudgeUnusable(
                f"the assistant redirects to {place}: write the address that answers in [assistant] url"
            )
        if status in _BUSY or status >= 500:
            wait = retry_after_seconds(response.headers)
            raise JudgeUnreachable(f"the assistant could not answer {said}", status=status, retry_after_seconds=wait)
        if status in _EVERY_CALL:
            raise JudgeUnusable(f"the assistant rejects every call {said}")
        if not response.is_success:
            raise AssistantFailed(f"the assistant rejects the question {said}", reason="rejected")
        return text

    def _connected(self) -> Any:
        import httpx2

        with self._guard:
            if self._client is None:
                from whichhalf.judging.reply_deadline import reply_deadline

                seconds = self._settings.timeout_seconds
                self._client = httpx2.Client(
                    headers=self._headers(),
                    timeout=seconds,
                    follow_redirects=False,
                    event_hooks=reply_deadline(seconds),
                )
            return self._client

    def _headers(self) -> dict[str, str]:
        header = self._settings.key_header
        if self._key is None:
            return {}
        return {header: f"Bearer {self._key}" if header.casefold() == "authorization" else self._key}

    def _clean(self, text: str) -> str:
        """Without our key, which some servers send back."""
        return text.replace(self._key, "***") if self._key else text
