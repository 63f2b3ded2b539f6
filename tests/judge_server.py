"""A judge on 127.0.0.1: an OpenAI-compatible server that remembers every request and fails on demand.

with JudgeServer() as server:                      # answers sensibly, from the prompt's text alone; embeds too
    ...  base_url=server.base_url
assert server.requests[0].body["temperature"] == 0.0

JudgeServer(answer=lambda body: '{"refuses": false, "claims": []}')   # own replies
JudgeServer(plan=in_order(error(503), None, cut("{")))                # these responses, then normal ones
JudgeServer(plan=at_random(0.1, error(429), seed=7))                  # every tenth request, the same ones each run
JudgeServer(plan=rejecting("temperature"))                            # 400 while the parameter is sent
"""

import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from types import TracebackType
from typing import Any, Self

Body = dict[str, Any]
Answer = Callable[[Body], str]
"""From a request's body to the text of the reply."""


@dataclass(frozen=True, slots=True)
class Received:
    """One request as it arrived."""

    number: int
    """0 for the first one the server received."""
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Body


@dataclass(frozen=True, slots=True)
class Response:
    """What to send in place of a normal completion. Fields left alone are those of a normal completion."""

    status: int = 200
    body: str | Body | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_seconds: float = 0.0
    pause_seconds: float = 0.0
    """Before each byte of the body."""
    drop: bool = False
    """Close the connection without a word."""


Plan = Callable[[Received], Response | None]
"""From a request to the response to send; None is a normal completion."""


def error(status: int, message: str = "injected", *, code: str | None = None, **headers: str) -> Response:
    """An error in OpenAI's form. Header names are given with underscores: `retry_after="7"`."""
    body = {"error": {"message": message, "type": "injected", "param": None, "code": code}}
    return Response(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


def html(text: str = "<html><body>Please log in</body></html>", status: int = 200) -> Response:
    """A proxy's page where a completion should be."""
    return Response(status, text, {"Content-Type": "text/html"})


def choice(content: object, finish_reason: str = "stop", **message: object) -> Response:
    """A completion whose one choice is set by hand; further keywords are keys of its message."""
    message = {"role": "assistant", "content": content, **message}
    return Response(body=completion([{"index": 0, "finish_reason": finish_reason, "message": message}]))


def cut(text: str) -> Response:
    return choice(text, "length")


def filtered() -> Response:
    return choice(None, "content_filter")


def refusal(text: str) -> Response:
    return choice(None, refusal=text)


def no_choices() -> Response:
    return Response(body=completion([]))


def dropped() -> Response:
    return Response(drop=True)


def slow(seconds: float, response: Response | None = None) -> Response:
    return replace(response or Response(), delay_seconds=seconds)


def trickling(pause_seconds: float, response: Response | None = None) -> Response:
    return replace(response or Response(), pause_seconds=pause_seconds)


def in_order(*responses: Response | None) -> Plan:
    """The n-th request gets the n-th response; later ones are answered normally."""
    return lambda request: responses[request.number] if request.number < len(responses) else None


def always(response: Response) -> Plan:
    return lambda _: response


def at_random(share: float, response: Response, *, seed: int) -> Plan:
    """A share of the requests, chosen by their number: the same ones in every run."""
    return lambda request: response if Random(f"{seed} {request.number}").random() < share else None


def rejecting(parameter: str, message: str | None = None) -> Plan:
    """400 as long as the parameter is sent."""
    message = message or f"Unsupported parameter: '{parameter}' is not supported with this model."
    return lambda request: error(400, message) if parameter in request.body else None


def completion(choices: list[Body], model: str = "judge-a-2026-11-01") -> Body:
    """The body of a chat completion."""
    return {
        "id": "chatcmpl-test",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": choices,
        "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18},
    }


def sensible_answer(body: Body) -> str:
    """Reads the fenced texts of the prompt: claims are sentences of the answer, support is literal containment."""
    blocks = fenced_blocks(body["messages"][-1]["content"])
    asked = body.get("response_format", {}).get("json_schema", {}).get("schema", {}).get("properties", {})
    if not asked and "question" in blocks and "answer" not in blocks:  # the answer prompt
        return blocks.get("passage 1", "I could not find it in the passages.")
    if "questions" in asked:
        return json.dumps({"questions": [{"question": f"{blocks['answer']}?", "evasive": False}]}, ensure_ascii=False)
    verify = "verdicts" in asked if asked else "claims" in blocks
    explain = '"reason"' in body["messages"][0]["content"]
    return json.dumps(_verdicts(blocks, explain) if verify else _claims(blocks["answer"]), ensure_ascii=False)


def embeddings(vectors: list[list[float]], model: str = "embedder-a-2026-11-01") -> Body:
    """The body of a reply of /v1/embeddings."""
    rows = [{"object": "embedding", "index": at, "embedding": vector} for at, vector in enumerate(vectors)]
    return {"object": "list", "data": rows, "model": model, "usage": {"prompt_tokens": 5, "total_tokens": 5}}


def letters(text: str) -> list[float]:
    """A vector of a text: how often each letter from a to h stands in it."""
    return [text.casefold().count(letter) + 0.1 for letter in "abcdefgh"]


def fenced_blocks(text: str) -> dict[str, str]:
    """Name → text of each block between `[FENCE name]` and `[FENCE end of name]`."""
    found = re.finditer(r"^\[([0-9a-f]{12}) ([^]\n]+)\]\n(.*?)\n\[\1 end of \2\]$", text, re.DOTALL | re.MULTILINE)
    return {match[2]: match[3] for match in found}


def _claims(answer: str) -> Body:
    sentences = [part for part in re.split(r"(?<=[.!?])\s+", answer.strip()) if part]
    return {"refuses": False, "claims": [{"quote": one, "claim": one} for one in sentences]}


def _verdicts(blocks: dict[str, str], explain: bool) -> Body:
    passages = {int(name.split()[1]): text for name, text in blocks.items() if name.startswith("passage ")}
    claims = re.findall(r"^(\d+)\. (.*)$", blocks["claims"], re.MULTILINE)
    return {"verdicts": [_verdict(int(number), text, passages, explain) for number, text in claims]}


def _verdict(number: int, claim: str, passages: dict[int, str], explain: bool) -> Body:
    wanted = claim.rstrip(".!?").lower()
    places = {passage: text.lower().find(wanted) for passage, text in passages.items()}
    found = [(passage, passages[passage][at : at + len(wanted)]) for passage, at in places.items() if at >= 0]
    return {
        "claim": number,
        **({"reason": "found word for word" if found else "found nowhere"} if explain else {}),
        "verdict": "supported" if found else "not_mentioned",
        "evidence": [{"passage": passage, "quote": quote} for passage, quote in found],
    }


class JudgeServer:
    """Serves while the `with` block runs. Safe for any number of clients at once."""

    def __init__(
        self, answer: Answer = sensible_answer, plan: Plan | None = None, *, model: str = "judge-a-2026-11-01"
    ) -> None:
        self.answer = answer
        self.plan = plan
        self.model = model
        self._requests: list[Received] = []
        self._guard = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        # a short poll: the default makes every test wait half a second for the server to stop
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def requests(self) -> list[Received]:
        """All so far, in the order they arrived."""
        with self._guard:
            return list(self._requests)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def receive(self, path: str, headers: Mapping[str, str], body: Body) -> Received:
        with self._guard:
            request = Received(len(self._requests), path, headers, body)
            self._requests.append(request)
        return request

    def respond(self, request: Received) -> Response:
        if request.path not in ("/v1/chat/completions", "/v1/embeddings"):
            return error(404, f"no such path: {request.path}")
        planned = self.plan(request) if self.plan else None
        if planned is not None and (planned.body is not None or planned.drop):
            return planned
        if request.path == "/v1/embeddings":
            return replace(planned or Response(), body=embeddings([letters(text) for text in request.body["input"]]))
        message = {"role": "assistant", "content": self.answer(request.body)}
        body = completion([{"index": 0, "finish_reason": "stop", "message": message}], self.model)
        return replace(planned or Response(), body=body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512
    owner: JudgeServer


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_POST(self) -> None:
        size = int(self.headers.get("Content-Length", 0))
        body = json.loads(self.rfile.read(size) or b"{}")
        headers = {name.lower(): value for name, value in self.headers.items()}
        owner = self.server.owner
        response = owner.respond(owner.receive(self.path, headers, body))
        time.sleep(response.delay_seconds)
        if not response.drop:
            self._send(response)

    def _send(self, response: Response) -> None:
        text = response.body if isinstance(response.body, str) else json.dumps(response.body)
        content = text.encode()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(content)), **response.headers}
        try:
            self.send_response(response.status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if not response.pause_seconds:
                self.wfile.write(content)
                return
            for byte in content:
                time.sleep(response.pause_seconds)
                self.wfile.write(bytes([byte]))
        except ConnectionError:
            pass  # the client has given up, as it should when the delay is over its limit

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: tests read `requests`."""
