"""The cache key: everything that can change a reply, and nothing else."""

import hashlib
import json
from functools import cache

from pydantic import BaseModel, JsonValue

from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion, T


def reply_key(identity: JudgeIdentity, question: JudgeQuestion[T]) -> str:
    """sha256 of canonical JSON of model, endpoint, sampling settings, messages, reply schema and repeat."""
    for judge, key in question.known_keys:
        if judge is identity:
            return key
    key = _reply_key(identity, question)
    question.known_keys.append((identity, key))
    return key


def _reply_key(identity: JudgeIdentity, question: JudgeQuestion[T]) -> str:
    parts: dict[str, JsonValue] = {
        "model": identity.model,
        "endpoint": identity.endpoint,
        "sampling": dict(identity.sampling),
        "messages": [[message.role, message.content] for message in question.prompt.messages],
        "schema": reply_schema(question.reply_type),
        "repeat": question.repeat,
    }
    canonical = json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


@cache  # making it takes longer than all else that is done for a question
def reply_schema(reply_type: type[BaseModel]) -> dict[str, JsonValue]:
    """The JSON schema sent to servers that constrain replies: every key required, no other allowed.

    The same object each time: not to be changed.
    """
    schema: dict[str, JsonValue] = reply_type.model_json_schema()
    _close(schema)
    return schema


def _close(node: JsonValue) -> None:
    if isinstance(node, list):
        for item in node:
            _close(item)
    elif isinstance(node, dict):
        properties = node.get("properties")
        if isinstance(properties, dict):
            node["required"] = list(properties)
            node["additionalProperties"] = False
            for value in properties.values():
                if isinstance(value, dict):
                    value.pop("default", None)
        for note in ("title", "description"):
            if isinstance(node.get(note), str):  # else it is a property of that name
                del node[note]
        for value in node.values():
            _close(value)
