"""The program that holds the SDKs of model providers, in a process of its own; see sdk_process.py.

It reads a request a line from stdin, writes an answer a line to stdout, both JSON, and ends when stdin does.
"""

import gc
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, TextIO

from whichhalf.judging.provider_errors import everything_said, headers_of

_FOR_LITELLM = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"}
"""Else importing it asks the network, and loads ./.env."""

Request = Mapping[str, Any]
Answer = dict[str, Any]


class _OpenAI:
    """Calls of OpenAI-compatible servers. Each has a client to itself: calls of one would queue for connections."""

    def __init__(self) -> None:
        import httpx2

        with _without("aiohttp"):  # loaded by it for asynchronous calls, of which there are none here
            import openai

        from whichhalf.judging.reply_deadline import reply_deadline

        self._openai = openai
        self._response = httpx2.Response
        self._tls = httpx2.create_ssl_context()
        self._deadline = reply_deadline
        self._idle: dict[tuple[Any, ...], list[Any]] = {}

    def call(self, request: Request) -> Answer:
        """What came back as it is, not as the SDK's own types: walking through those takes longer than the call."""
        with self._client(request) as client:
            response = client.post(request["path"], content=request["body"].encode(), cast_to=self._response)
        return {"text": response.content.decode("utf-8-sig", errors="replace")}

    @contextmanager
    def _client(self, request: Request) -> Iterator[Any]:
        idle = self._idle.setdefault((request["base_url"], request["key"], request["timeout_seconds"]), [])
        try:
            client = idle.pop()
        except IndexError:
            client = self._new_client(request)
        try:
            yield client
        finally:
            idle.append(client)

    def _new_client(self, request: Request) -> Any:
        seconds = request["timeout_seconds"]
        return self._openai.OpenAI(
            api_key=request["key"] or "no-key-needed",
            base_url=request["base_url"],
            timeout=seconds,
            max_retries=0,
            http_client=self._openai.DefaultHttpxClient(event_hooks=self._deadline(seconds), verify=self._tls),
        )


@contextmanager
def _without(module: str) -> Iterator[None]:
    """In the block the module cannot be imported, unless it has been."""
    if module in sys.modules:
        yield
        return
    sys.modules[module] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[module]


class _LiteLLM:
    """Calls of every other provider."""

    def __init__(self) -> None:
        for name, value in _FOR_LITELLM.items():
            os.environ.setdefault(name, value)
        import litellm

        litellm.suppress_debug_info = True  # else it prints advertisements
        self._litellm = litellm

    def call(self, request: Request) -> Answer:
        response = getattr(self._litellm, request["function"])(
            api_base=request["base_url"],
            api_key=request["key"],
            timeout=request["timeout_seconds"],
            num_retries=0,
            max_retries=0,
            **json.loads(request["body"]),
        )
        cost = (getattr(response, "_hidden_params", None) or {}).get("response_cost")
        return {"body": response.model_dump(), "cost_usd": cost}


class _Worker:
    """Answers requests, many at once, each SDK loaded when it is first named."""

    def __init__(self, requests: BinaryIO, answers: TextIO) -> None:
        self._requests = requests
        self._answers = answers
        self._reading = threading.Lock()
        self._writing = threading.Lock()
        self._free = 0
        """Threads that wait for a request."""
        self._guard = threading.Lock()
        self._loading = threading.Lock()
        self._environment: object = None
        """As it was sent last."""
        self._sdks: dict[str, _OpenAI | _LiteLLM] = {}

    def serve(self) -> None:
        """Work until requests end: then whoever asked is gone, and so is the need for what is under way."""
        while (line := self._next()).endswith(b"\n"):  # else it is torn: who wrote it was killed
            self._answer(json.loads(line))
        os._exit(0)

    def _next(self) -> bytes:
        """Whoever takes a request sees to it that a thread waits for the one after it."""
        with self._guard:
            self._free += 1
        with self._reading:
            line = self._requests.readline()
            with self._guard:
                self._free -= 1
                was_last = not self._free
        if line and was_last:
            with suppress(RuntimeError):  # no further thread can be had: those there are will come back
                threading.Thread(target=self.serve, daemon=True).start()
        return line

    def _answer(self, request: Request) -> None:
        """The answer is written when it is there, also where the request failed."""
        try:
            line = json.dumps({"id": request["id"], **self._answer_or_error(request)}, default=str)
        except BaseException:  # noqa: BLE001  a bug is told in full: whoever asked waits for an answer
            line = json.dumps({"id": request["id"], "bug": traceback.format_exc()})
        with self._writing, suppress(BrokenPipeError):  # who asked is gone
            self._answers.write(line + "\n")
            self._answers.flush()

    def _answer_or_error(self, request: Request) -> Answer:
        """To a call, or to the wish that its SDK be loaded."""
        sdk = self._loaded(request)
        if "body" not in request:
            return {}
        import openai

        try:
            return sdk.call(request)
        except openai.OpenAIError as error:  # litellm's errors are subclasses of these
            is_answer = not isinstance(error, openai.APIConnectionError)
            told = {
                "status": getattr(error, "status_code", None) if is_answer else None,
                "said": everything_said(error),
                "headers": dict(headers_of(error)),
                "parameter": getattr(error, "param", None),
            }
            return {"error": told}

    def _loaded(self, request: Request) -> "_OpenAI | _LiteLLM":
        name = request["sdk"]
        with self._loading:
            if request.get("environment", self._environment) != self._environment:
                self._take_on(request["environment"])
            if name not in self._sdks:
                self._sdks[name] = _OpenAI() if name == "openai" else _LiteLLM()
            return self._sdks[name]

    def _take_on(self, environment: Mapping[str, str]) -> None:
        for name in os.environ.keys() - environment.keys() - _FOR_LITELLM.keys():
            del os.environ[name]
        os.environ.update(environment)
        self._environment = environment
        self._sdks.clear()  # clients may have read what has changed


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):  # meant for the one who asks, who lets calls under way end
        signal.signal(number, signal.SIG_IGN)
    gc.set_threshold(500_000, 20, 20)
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints must not stand among the answers
    _Worker(sys.stdin.buffer, answers).serve()


if __name__ == "__main__":
    main()
