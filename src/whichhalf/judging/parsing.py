"""Read a judge's reply: find the one JSON object in it and check it against the type asked for.

Each rule is here for a way replies have been misread:
- a thinking block may hold draft JSON with the opposite verdict, so nothing in it counts; a tag inside a text of
  the reply is no block, because a claim may speak of a <think> tag;
- zero-width characters hide keys and labels, so a reply that cannot be read with them is read without; they are
  kept where they do no harm, because Hindi and Persian are spelled with them;
- the last object of the right shape counts: drafts come before the final reply. A draft never stands in for a
  final reply that is broken: an object is passed over when a key of the reply still follows it;
- half a character (a lone surrogate) can be written to no file and no request;
- nothing is repaired: a reply that does not parse is unreadable, never a shorter list;
- a reply in prose loses a thinking block in front of it, and nothing else.
"""

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from whichhalf.errors import ReplyUnreadable
from whichhalf.judging.seam import FreeText

T = TypeVar("T", bound=BaseModel)

_INVISIBLE = dict.fromkeys([0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF])
_FENCED = re.compile(r"\s*```(?:json)?\s*\n(.*)\n\s*```\s*", re.DOTALL | re.IGNORECASE)
_THINKING = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THINKING_END = re.compile(r"^.*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_THINKING_START = re.compile(r"<(?:think|thinking|reasoning)>.*", re.DOTALL | re.IGNORECASE)
_THOUGHTS_FIRST = re.compile(
    r"\s*<(think|thinking|reasoning)>.*?(?:</\1>|\Z)"
    r"|(?:(?!<(?:think|thinking|reasoning)>).)*?</(?:think|thinking|reasoning)>",  # some servers lose the first tag
    re.DOTALL | re.IGNORECASE,
)


def parse_reply(text: str, reply_type: type[T]) -> T:
    """The reply as `reply_type`. Raises ReplyUnreadable, which keeps the raw text."""
    text = text.encode("utf-8", errors="replace").decode("utf-8")
    if issubclass(reply_type, FreeText):
        return reply_type(text=_without_thoughts(text))
    problem = "it holds no JSON object"
    for version in (text,) if text.isascii() else dict.fromkeys((text, text.translate(_INVISIBLE))):
        for candidate in _candidates(version, list(reply_type.model_fields)):
            try:
                return reply_type.model_validate(candidate)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                problem = f"{'.'.join(map(str, first['loc'])) or 'reply'}: {first['msg']}"
    raise ReplyUnreadable(f"the reply cannot be read: {problem}; it begins {text[:200]!r}", raw=text)


def _without_thoughts(text: str) -> str:
    """Prose without the thinking block it begins with. Raises ReplyUnreadable when nothing else is there."""
    thoughts = _THOUGHTS_FIRST.match(text)
    spoken = (text[thoughts.end() :] if thoughts else text).strip()
    if not spoken:
        raise ReplyUnreadable(f"the reply holds no text; it begins {text[:200]!r}", raw=text)
    return spoken


def _candidates(text: str, keys: Sequence[str]) -> Iterator[dict[str, object]]:
    """JSON objects of the reply, the most trustworthy first."""
    fenced = _FENCED.fullmatch(text)
    whole = _load(fenced[1] if fenced else text)
    if whole is not None:
        yield whole
        return
    objects = list(_objects(text))
    spoken = _without_thinking(text, objects)
    key = re.compile(rf"""["'](?:{"|".join(map(re.escape, keys))})["']\s*:""")
    for one in reversed(objects):
        if spoken[one.start] != "{":  # thought, not said
            continue
        if key.search(spoken, one.end):
            return
        yield one.value


class _Object(NamedTuple):
    value: dict[str, object]
    start: int
    end: int


def _objects(text: str) -> Iterator[_Object]:
    """Outermost JSON objects in running text, in order."""
    at = text.find("{")
    while at >= 0:
        try:
            found, end = _DECODER.raw_decode(text, at)
            _refuse_half_characters(found, text)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            yield _Object(found, at, end)
        at = text.find("{", end)


def _without_thinking(text: str, objects: Sequence[_Object]) -> str:
    """The text with blanks in place of thinking blocks. Tags are looked for between the objects only."""
    between = text
    for one in objects:
        between = _blanked(between, one.start, one.end)
    for pattern in (_THINKING, _THINKING_END, _THINKING_START):
        for match in list(pattern.finditer(between)):
            between = _blanked(between, *match.span())
            text = _blanked(text, *match.span())
    return text


def _blanked(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]


def _load(text: str) -> dict[str, object] | None:
    try:
        found = _DECODER.decode(text)
        _refuse_half_characters(found, text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _refuse_half_characters(found: object, text: str) -> None:
    """Only an escape in the text can have made one. Raises UnicodeEncodeError, a ValueError."""
    if "\\u" in text:
        json.dumps(found, ensure_ascii=False).encode("utf-8")
