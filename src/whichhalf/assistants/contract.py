"""The one shape of request and reply that callables and endpoints share: plain JSON.

Request: {"id": "q1", "question": "…", "history": [{"role": "user", "content": "…"}], "passages": null}
Reply:   {"answer": "…"}, and beside it, where the assistant can tell: retrieved, reranked, context (as in an outputs
         file), prompt, model, cost_usd, meta, error.

Where `passages` is a list of {id, text, doc} the assistant must answer from these alone. It says so with
`"used_passages": true`, or by a context that is these passages; a reply that says neither is a failure.
"""

import json
from collections import Counter
from collections.abc import Mapping

from pydantic import JsonValue

from whichhalf.assistants.seam import AssistantReply, AssistantRequest
from whichhalf.core.record import Record
from whichhalf.datasets.columns import hint, map_columns
from whichhalf.datasets.json_lines import parse_json
from whichhalf.datasets.rows import Passages, check_row
from whichhalf.errors import AssistantFailed, Fault

_QUOTED = 200


class _ReplyBody(Record):
    """The keys of a reply; others are ignored."""

    answer: str | None = None
    retrieved: Passages = None
    reranked: Passages = None
    context: Passages = None
    used_passages: bool = False
    prompt: str | None = None
    model: str | None = None
    cost_usd: float | None = None
    error: str | None = None
    meta: dict[str, JsonValue] = {}


def request_body(
    request: AssistantRequest, places: Mapping[str, str] | None = None, beside: Mapping[str, JsonValue] | None = None
) -> dict[str, JsonValue]:
    """The request as JSON. `places` maps fields to dotted paths, "" leaves one out; `beside` is sent as it is."""
    passages = request.passages
    fields: dict[str, JsonValue] = {
        "id": request.id,
        "question": request.question,
        "history": [{"role": turn.role, "content": turn.content} for turn in request.history],
        "passages": None
        if passages is None
        else [one.model_dump(include={"id", "text", "doc"}, exclude_none=True) for one in passages],
    }
    body: dict[str, JsonValue] = json.loads(json.dumps(dict(beside or {})))
    for name, value in fields.items():
        path = (places or {}).get(name, name)
        if path:
            _put(body, path.split("."), value)
    return body


def read_reply(text: str, request: AssistantRequest, places: Mapping[str, str] | None = None) -> AssistantReply:
    """A reply from its JSON. Raises AssistantFailed saying what is wrong with it."""
    try:
        found = parse_json(text)
    except ValueError as error:
        raise _unreadable(f"the reply is {error}; it begins {text[:_QUOTED]!r}") from None
    if isinstance(found, str):
        found = {"answer": found}
    if not isinstance(found, dict):
        raise _unreadable(f"the reply is neither text nor a map with an answer, but {text[:_QUOTED]}")
    fields = map_columns(found, places or {"answer": "answer"}, set(_ReplyBody.model_fields))
    faults: list[Fault] = []
    body = check_row(_ReplyBody, fields, "", 0, Counter(), faults)
    if body is None:
        raise _unreadable(f"the reply cannot be read: {faults[0].field}: {faults[0].message}")
    if body.error is not None:
        raise AssistantFailed(f"the assistant says: {body.error}", reason="assistant_error")
    if body.answer is None or not body.answer.strip():
        raise _unreadable(f"the reply has no answer{_what_there_is(found, places)}")
    _check_passages(body, request)
    told = {name: getattr(body, name) for name in ("retrieved", "reranked", "prompt", "model", "cost_usd", "meta")}
    context = request.passages if body.context is None else body.context
    return AssistantReply(body.answer, context=context, **told)


def _check_passages(body: _ReplyBody, request: AssistantRequest) -> None:
    if request.passages is None or body.used_passages:
        return
    if body.context is None or {one.id for one in body.context} != {one.id for one in request.passages}:
        message = (
            "the assistant was given passages and does not say that it answered from them: reply with "
            '"used_passages": true, or with the context it used'
        )
        raise AssistantFailed(message, reason="passages_ignored")


def _what_there_is(found: Mapping[str, object], places: Mapping[str, str] | None) -> str:
    path = (places or {}).get("answer", "answer")
    if path in found:
        return ": it is empty"
    near = next((key for key in found if hint(key).startswith("; did you mean answer")), None)
    if near is not None:
        return f' under {path}; for an endpoint, map it: [assistant.reply] answer = "{near}"'
    return f" under {path}; it has {', '.join(map(str, found)) or 'nothing'}"


def _unreadable(message: str) -> AssistantFailed:
    return AssistantFailed(message[:1000], reason="reply_unreadable")


def _put(body: dict[str, JsonValue], path: list[str], value: JsonValue) -> None:
    *outer, last = path
    place = body
    for name in outer:
        inner = place.setdefault(name, {})
        if not isinstance(inner, dict):
            inner = place[name] = {}
        place = inner
    place[last] = value
