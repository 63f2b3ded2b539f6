"""The cache key: everything that can change a reply, and nothing else."""

import hashlib
import json
from functools import cache

from pydantic import BaseModel, JsonValue

from whichhalf.judging.seam import JudgeIdentity, JudgeQuestion, T

canonical_json = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode
"""In ASCII, the keys sorted: the same value always becomes the same text."""


def reply_key(identity: JudgeIdentity, question: JudgeQuestion[T]) -> str:
    """sha256 of canonical JSON of model, endpoint, sampling settings, messages, reply schema and repeat."""
    for judge, key in question.known_keys:
        if judge is identity:
            return key
    key = _reply_key(identity, question)
    question.known_keys.append((identity, key))
    return key


def _reply_key(identity: JudgeIdentity, question: JudgeQuestion[T]) -> str:
    parts = {  # in the order of their names
        "endpoint": canonical_json(identity.endpoint),
        "messages": canonical_json([[message.role, message.content] for message in question.prompt.messages]),
        "model": canonical_json(identity.model),
        "repeat": canonical_json(question.repeat),
        "sampling": canonical_json(dict(identity.sampling)),
        "schema": _schema_text(question.reply_type),
    }
    canonical = "{" + ",".join(f'"{name}":{part}' for name, part in parts.items()) + "}"
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


@cache
def _schema_text(reply_type: type[BaseModel]) -> str:
    return canonical_json(reply_schema(reply_type))


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
