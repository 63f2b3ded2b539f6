"""Tell apart what a provider's error means: try again, give up on this question, or stop the run.

Works on status code, headers and text, because the SDKs raise the same fault under different classes.
"""

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from whichhalf.errors import ContextTooLong, JudgeError, JudgeRefused, JudgeUnreachable, JudgeUnusable

_TRANSIENT = {408, 409, 425, 429}
_QUOTA = re.compile(r"insufficient_quota|exceeded your current quota|billing|credit balance", re.IGNORECASE)
_BRIEF = re.compile(r"per.?minute|per.?min\b|retry in \d|try again in", re.IGNORECASE)
"""Limits that pass by themselves; some of these messages speak of quota and billing too."""
_TOO_LONG = re.compile(
    r"context_length_exceeded|maximum prompt length|context (?:length|limit|size|window)|(?:prompt|input) is too long"
    r"|input tokens? (?:count )?.{0,20}(?:exceed|but)|too many (?:input )?tokens|reduce the length|request_too_large"
    r"|exceed(?:ed|s)? (?:the )?model(?:'s)? token limit|longer than the (?:maximum )?model|range of input length"
    r"|inputs?\W{1,2} must have less than|tokens \+ .?max_new_tokens",
    re.IGNORECASE,
)
_FILTERED = re.compile(
    r"content_filter|content_policy|content management policy|responsible ai|input was flagged", re.IGNORECASE
)
_PARAMETERS = {
    "response_format": re.compile(r"response_format|json_schema|guided_json|structured output", re.IGNORECASE),
    "max_tokens": re.compile(r"max_tokens|max_completion_tokens", re.IGNORECASE),
    "temperature": re.compile(r"temperature", re.IGNORECASE),
    "seed": re.compile(r"\bseed\b", re.IGNORECASE),
}


def classify(
    status: int | None, message: str, headers: Mapping[str, str], who: str = "the judge"
) -> JudgeError | JudgeUnusable:
    """The error to raise for a failed call of `who`. `status` is None when no answer came at all."""
    if status is None:
        return JudgeUnreachable(f"{who} could not be reached: {message}")
    if _QUOTA.search(message) and status in {402, 403, 429} and not _BRIEF.search(message):
        return JudgeUnusable(f"{who}'s quota is exhausted: {message}")
    if status == 413 or (_TOO_LONG.search(message) and status in {400, 422}):
        return ContextTooLong(f"the question does not fit {who}'s window: {message}")
    if _FILTERED.search(message) and status in {400, 403}:
        return JudgeRefused(f"a content filter stopped the question: {message}")
    # an error with a 2xx is a reply the SDK could not read, such as a proxy's page
    if status in _TRANSIENT or status >= 500 or status < 300:
        wait = retry_after_seconds(headers)
        return JudgeUnreachable(f"{who} answered {status}: {message}", status=status, retry_after_seconds=wait)
    return JudgeUnusable(f"{who} rejects every call ({status}): {message}")


def refused_parameter(status: int | None, message: str, sent: set[str], *, named: str | None = None) -> str | None:
    """The parameter of ours that the server will not take, if that is what a 400 or 422 is about.

    `named` is what the server calls the culprit, where it does; else the message tells.
    """
    if status not in {400, 422} or _TOO_LONG.search(message):  # "maximum context length ... reduce max_tokens"
        return None
    if named in sent & _PARAMETERS.keys():
        return named
    return next((name for name, pattern in _PARAMETERS.items() if name in sent and pattern.search(message)), None)


def retry_after_seconds(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """How long the server asks us to wait: `retry-after-ms`, seconds, or an HTTP date. None if it does not say."""
    lowered = {key.lower(): value.strip() for key, value in headers.items()}
    for header, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(lowered[header]) * unit
        except (KeyError, ValueError):
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        date = parsedate_to_datetime(lowered.get("retry-after", ""))
    except ValueError:
        return None
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, (date - (now or datetime.now(UTC))).total_seconds())


def everything_said(error: Exception) -> str:
    """The SDK's text leaves out codes, parameters, bodies not in OpenAI's form, and why no answer came."""
    said = str(error)
    detail: object = getattr(error, "body", None) or error.__cause__ or ""
    if isinstance(detail, dict):
        news = {key: value for key, value in detail.items() if value is not None and str(value) not in said}
        detail = json.dumps(news, default=str) if news else ""
    return f"{said} ({detail})" if str(detail) else said


def headers_of(error: Exception) -> Mapping[str, str]:
    """litellm keeps those of most providers beside the response, and puts an empty response there."""
    beside: Mapping[str, str] | None = getattr(error, "litellm_response_headers", None)
    return beside or getattr(getattr(error, "response", None), "headers", None) or {}
