"""A judge that takes as long as a real one: /v1/chat/completions and /v1/embeddings, with faults on demand.

    python benchmarks/judge_stub.py PORT [STUB]

Our prompts are answered from their texts, as in the tests. Prompts of other tools are answered by the functions
`schema_of` and `fake` of the module STUB, where one is given: they fill in the JSON that a request asks for.
POST /config sets latency, faults (shares of the calls), retry_after, and how many calls are taken at once (0: all);
POST /reset and GET /stats count.
"""

import asyncio
import base64
import hashlib
import importlib.util
import json
import struct
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from judge_server import completion, fenced_blocks, letters, sensible_answer

CONFIG: dict[str, float] = {"latency": 0.2, "busy": 0.0, "broken": 0.0, "cut": 0.0, "retry_after": 1, "at_once": 0}
COUNTS: Counter[str] = Counter()
SEEN: Counter[str] = Counter()
_CUT_AT = 0.6


def draw(text: str) -> float:
    """From 0 to 1, the same for the same text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big") / 2**48


async def chat(request: Request) -> JSONResponse:
    """A reply, or a fault drawn anew whenever a prompt is seen again."""
    body = await request.json()
    contents = [message["content"] for message in body["messages"] if message.get("content")]
    prompt = "\n".join(one if isinstance(one, str) else json.dumps(one) for one in contents)
    COUNTS["calls"] += 1
    COUNTS["prompt_characters"] += len(prompt)
    COUNTS["in_flight"] += 1
    COUNTS["most_in_flight"] = max(COUNTS["most_in_flight"], COUNTS["in_flight"])
    SEEN[prompt] += 1
    fate = draw(f"{SEEN[prompt]} {prompt}")
    try:
        if fate < CONFIG["busy"] or 0 < CONFIG["at_once"] < COUNTS["in_flight"]:
            return failure(429, "Rate limit reached")
        await asyncio.sleep(CONFIG["latency"])
        fate -= CONFIG["busy"]
        if 0 <= fate < CONFIG["broken"]:
            return failure(500, "internal error")
        fate -= CONFIG["broken"]
        message = reply(body, prompt, is_cut=0 <= fate < CONFIG["cut"])
        whole = completion([{"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}], body["model"])
        return JSONResponse(whole)
    finally:
        COUNTS["in_flight"] -= 1


def failure(status: int, text: str) -> JSONResponse:
    COUNTS[f"answered_{status}"] += 1
    return JSONResponse({"error": {"message": text}}, status, {"Retry-After": f"{CONFIG['retry_after']:g}"})


def reply(body: dict[str, Any], prompt: str, *, is_cut: bool) -> dict[str, Any]:
    """The message of a completion."""
    way = "json_schema"
    if fenced_blocks(prompt):
        text = sensible_answer(body)
    else:
        schema, way = PEERS.schema_of(body, prompt)
        inner = peers_inner_prompt(prompt)
        if inner is not None:
            wanted, _ = PEERS.schema_of({}, inner)
            text = json.dumps({"text": json.dumps(PEERS.fake(wanted, inner, wanted.get("$defs", {})))})
        elif schema:
            text = json.dumps(PEERS.fake(schema, prompt, schema.get("$defs", schema.get("definitions", {}))))
        else:
            text = "A reply in words."
    if is_cut:
        COUNTS["cut"] += 1
        text = text[: int(len(text) * _CUT_AT)]
    if way != "tool":
        return {"role": "assistant", "content": text}
    function = {"name": body["tools"][0]["function"]["name"], "arguments": text}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c0", "type": "function", "function": function}],
    }


def peers_inner_prompt(prompt: str) -> str | None:
    """What a tool's request to repair broken JSON was about: it is answered well, in its favour."""
    read = PEERS.ragas_input(prompt)
    return str(read["prompt_value"]) if read and "prompt_value" in read and "output_string" in read else None


async def embed(request: Request) -> JSONResponse:
    body = await request.json()
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    COUNTS["embedding_calls"] += 1
    await asyncio.sleep(CONFIG["latency"])
    vectors: list[Any] = [letters(str(text)) for text in texts]
    if body.get("encoding_format") == "base64":
        vectors = [base64.b64encode(struct.pack(f"<{len(one)}f", *one)).decode() for one in vectors]
    rows = [{"object": "embedding", "index": at, "embedding": one} for at, one in enumerate(vectors)]
    usage = {"prompt_tokens": 5, "total_tokens": 5}
    return JSONResponse({"object": "list", "model": "stub", "data": rows, "usage": usage})


async def configure(request: Request) -> JSONResponse:
    CONFIG.update(await request.json())
    return JSONResponse(CONFIG)


async def reset(_: Request) -> JSONResponse:
    COUNTS.clear()
    SEEN.clear()
    return JSONResponse({})


async def stats(_: Request) -> JSONResponse:
    return JSONResponse(COUNTS)


def load(path: str) -> Any:
    spec = importlib.util.spec_from_file_location("peers_stub", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PEERS: Any = load(sys.argv[2]) if len(sys.argv) > 2 else None

if __name__ == "__main__":
    routes = [
        Route("/v1/chat/completions", chat, methods=["POST"]),
        Route("/v1/embeddings", embed, methods=["POST"]),
        Route("/config", configure, methods=["POST"]),
        Route("/reset", reset, methods=["POST"]),
        Route("/stats", stats),
    ]
    uvicorn.run(Starlette(routes=routes), host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
