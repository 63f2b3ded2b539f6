"""Where OpenAI-compatible servers differ in how they word a completion: its text, its end, an error in its place."""

CUT = frozenset({"length", "max_tokens", "model_length"})
"""Finish reasons, in lower case, of a reply that ended at a limit of tokens."""

FILTERED = frozenset({"content_filter", "prohibited_content", "recitation", "safety", "sensitive"})
"""Likewise of one that a content filter stopped."""


def text_of(content: object) -> str | None:
    """The text of a message, without the thoughts that some models send as parts beside it; None where it is none."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list) or not all(isinstance(part, dict) for part in content):
        return None
    texts = [part.get("text") for part in content if part.get("type") == "text"]
    return "".join(text for text in texts if isinstance(text, str))


def error_in(body: object) -> tuple[int, str] | None:
    """Status and message of an error that came as a reply with status 200."""
    error = body.get("error") if isinstance(body, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    if not str(code).isdecimal() or not 400 <= int(str(code)) <= 599:
        return None
    return int(str(code)), str(error)
