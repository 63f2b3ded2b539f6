"""What a failed call means, by status, text and headers."""

from datetime import UTC, datetime
from email.utils import format_datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.errors import ContextTooLong, JudgeError, JudgeRefused, JudgeUnreachable, JudgeUnusable
from whichhalf.judging.provider_errors import classify, refused_parameter, retry_after_seconds

WINDOW_WORDINGS = [
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    "code: context_length_exceeded",
    "prompt is too long: 211824 tokens > 200000 maximum",
    "input tokens exceed the configured limit of 32768",
    "The input token count (1050000) exceeds the maximum number of tokens allowed (1048576).",
    "Input is too long for requested model.",
    "too many tokens: the prompt may not exceed 4081",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    "the request exceeds the available context size, try increasing it",
    "Please reduce the length of the messages or completion.",
    "Your input exceeds the context window of this model.",
    "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000",
    "Unable to submit request because the input token count is 40000 but model only supports up to 32768.",
    "Your request exceeded model token limit: 8192",
    "The decoder prompt (length 9000) is longer than the maximum model length of 4096.",
    "The input (9000 tokens) is longer than the model's context length (4096 tokens).",
    "the input length exceeds the context length",
    "Range of input length should be [1, 30720]",
    "`inputs` must have less than 4095 tokens. Given: 9000",
    "`inputs` tokens + `max_new_tokens` must be <= 4097. Given: 9000 `inputs` tokens",
]

QUOTA_WORDINGS = [
    "You exceeded your current quota, please check your plan and billing details.",
    "insufficient_quota",
    "Your credit balance is too low to access the API.",
]

CLASSES: list[tuple[int | None, str, type[Exception]]] = [
    (None, "Connection error.", JudgeUnreachable),
    (200, "Unable to get json response", JudgeUnreachable),
    (408, "timeout", JudgeUnreachable),
    (409, "conflict", JudgeUnreachable),
    (425, "too early", JudgeUnreachable),
    (429, "slow down", JudgeUnreachable),
    (500, "oops", JudgeUnreachable),
    (502, "<html>Bad gateway</html>", JudgeUnreachable),
    (503, "overloaded", JudgeUnreachable),
    (504, "gateway timeout", JudgeUnreachable),
    (529, "overloaded", JudgeUnreachable),
    *((400, text, ContextTooLong) for text in WINDOW_WORDINGS),
    (413, "Payload Too Large", ContextTooLong),
    (422, "prompt is too long", ContextTooLong),
    (400, "code: content_filter", JudgeRefused),
    (400, "The response was filtered due to Azure OpenAI's content management policy.", JudgeRefused),
    (400, "content_policy_violation", JudgeRefused),
    (403, "Your chosen model requires moderation and your input was flagged for violence", JudgeRefused),
    *((429, text, JudgeUnusable) for text in QUOTA_WORDINGS),
    (402, "billing hard limit has been reached", JudgeUnusable),
    # limits that pass, though their texts speak of quota and billing
    (429, "Rate limit reached: 3 requests per min. Add a payment method at /account/billing.", JudgeUnreachable),
    (429, "You exceeded your current quota and billing plan. Please retry in 12.3s.", JudgeUnreachable),
    (429, "Please try again in 20s. See /account/billing.", JudgeUnreachable),
    (400, "bad request", JudgeUnusable),
    (400, "Your credit balance is too low to access the API.", JudgeUnusable),
    (401, "Incorrect API key provided", JudgeUnusable),
    (402, "payment required", JudgeUnusable),
    (403, "forbidden", JudgeUnusable),
    (404, "no such model", JudgeUnusable),
    (422, "unprocessable", JudgeUnusable),
]


@pytest.mark.parametrize(("status", "message", "expected"), CLASSES, ids=lambda value: str(value)[:40])
def test_classes(status: int | None, message: str, expected: type[Exception]) -> None:
    error = classify(status, message, {})
    assert type(error) is expected
    assert message in str(error), "the provider's own words are kept"


@pytest.mark.parametrize("message", WINDOW_WORDINGS)
def test_bug_168_a_window_wording_is_about_no_parameter(message: str) -> None:
    """Some of them advise a smaller `max_tokens`: leaving it out would not help."""
    assert refused_parameter(400, message, {"max_tokens", "temperature"}) is None


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: 200000. This model supports at most 16384 completion tokens.",
        "Unsupported parameter: 'max_tokens' is not supported with this model.",
        "'temperature' must be less than or equal to 1",
    ],
)
def test_what_is_about_a_parameter_is_no_window(message: str) -> None:
    assert type(classify(400, message, {})) is JudgeUnusable


def test_a_window_wording_never_names_another_status() -> None:
    assert type(classify(500, WINDOW_WORDINGS[0], {})) is JudgeUnreachable


def test_a_busy_server_hands_on_its_wait() -> None:
    error = classify(429, "slow down", {"Retry-After": "7"})
    assert isinstance(error, JudgeUnreachable)
    assert error.retry_after_seconds == 7.0


@given(st.none() | st.integers(100, 599), st.text())
def test_every_failure_has_a_class(status: int | None, message: str) -> None:
    assert isinstance(classify(status, message, {}), JudgeError | JudgeUnusable)


NOW = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)

WAITS: list[tuple[dict[str, str], float | None]] = [
    ({}, None),
    ({"retry-after": "7"}, 7.0),
    ({"Retry-After": " 7 "}, 7.0),
    ({"retry-after": "0"}, 0.0),
    ({"retry-after": "1.5"}, 1.5),
    ({"retry-after": "86400"}, 86400.0),
    ({"retry-after-ms": "250"}, 0.25),
    ({"retry-after-ms": "250", "retry-after": "7"}, 0.25),
    ({"retry-after-ms": "soon", "retry-after": "7"}, 7.0),
    ({"retry-after": "Mon, 30 Nov 2026 12:00:30 GMT"}, 30.0),
    ({"retry-after": "Mon, 30 Nov 2026 12:00:30 -0000"}, 30.0),
    ({"retry-after": "Mon, 30 Nov 2026 11:00:00 GMT"}, 0.0),
    ({"retry-after": "-5"}, None),
    ({"retry-after": "soon"}, None),
    ({"retry-after": ""}, None),
    ({"retry-after": "nan"}, None),
    ({"retry-after": "inf"}, None),
]


@pytest.mark.parametrize(("headers", "expected"), WAITS, ids=str)
def test_waits(headers: dict[str, str], expected: float | None) -> None:
    assert retry_after_seconds(headers, NOW) == expected


@given(st.dictionaries(st.sampled_from(["retry-after", "Retry-After-Ms"]), st.text() | st.from_regex(r"[-+\d:, GMT]*")))
def test_no_header_breaks_the_reader(headers: dict[str, str]) -> None:
    seconds = retry_after_seconds(headers, NOW)
    assert seconds is None or 0 <= seconds < float("inf")


@given(st.datetimes(datetime(2026, 12, 1), datetime(2030, 1, 1), timezones=st.just(UTC)))
def test_a_date_is_the_seconds_until_then(moment: datetime) -> None:
    whole = moment.replace(microsecond=0)
    header = {"retry-after": format_datetime(whole, usegmt=True)}
    assert retry_after_seconds(header, NOW) == (whole - NOW).total_seconds()


ALL = {"messages", "temperature", "max_tokens", "response_format", "seed"}

REFUSED: list[tuple[int | None, str, str | None, str | None]] = [
    (400, "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens'.", None, "max_tokens"),
    (400, "Unsupported value: 'temperature' does not support 0 with this model.", None, "temperature"),
    (400, "Invalid schema for response_format 'split_claims'", None, "response_format"),
    (422, '{"loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}', None, "seed"),
    # what the server names wins over words of the message
    (400, "with a response_format the temperature must be 1", "temperature", "temperature"),
    (400, "Missing parameter 'messages'", "messages", None),
    (400, "no such thing", None, None),
    (401, "temperature", None, None),
    (500, "temperature", None, None),
    (None, "temperature", None, None),
    (400, "the seeds of doubt", None, None),
    # a window error speaks of max_tokens too; sending the same limit under another name would not help
    (400, "'max_tokens' is too large: 4096. This model's maximum context length is 4096 tokens", None, None),
]


@pytest.mark.parametrize(("status", "message", "named", "expected"), REFUSED, ids=lambda value: str(value)[:40])
def test_refused_parameters(status: int | None, message: str, named: str | None, expected: str | None) -> None:
    assert refused_parameter(status, message, ALL, named=named) == expected


def test_only_a_parameter_that_was_sent_can_be_left_out() -> None:
    assert refused_parameter(400, "temperature", ALL - {"temperature"}) is None
    assert refused_parameter(400, "no", ALL - {"temperature"}, named="temperature") is None
