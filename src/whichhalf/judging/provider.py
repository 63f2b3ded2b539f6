"""Ask a real model, and read how it ended: the openai SDK for OpenAI-compatible servers, litellm for the others."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import JsonValue

from whichhalf.errors import JudgeError, JudgeRefused, JudgeUnreachable, ReplyCut, ReplyTorn, ReplyUnreadable
from whichhalf.judging.caching import stored_reply
from whichhalf.judging.completion import CUT, FILTERED, error_in, text_of
from whichhalf.judging.connection import COMPLETION, Answer, Connection, SdkError, endpoint_of
from whichhalf.judging.key import reply_key, reply_schema
from whichhalf.judging.parsing import parse_reply
from whichhalf.judging.provider_errors import classify, refused_parameter
from whichhalf.judging.reply_store import ReplyStore
from whichhalf.judging.seam import FreeText, JudgeIdentity, JudgeQuestion, Reply, T, Usage
from whichhalf.judging.settings import JudgeSettings
from whichhalf.judging.traffic import Call, Traffic
from whichhalf.judging.unfinished import is_unfinished

ENLARGED = 4
"""How many times larger the limit is when a cut reply is asked for again."""

_USUAL_REPLY_TOKENS = 300
_BYTES_PER_TOKEN = 4


def judge_identity(settings: JudgeSettings) -> JudgeIdentity:
    """Of the judge that these settings name; no key is needed to know it."""
    sampling: dict[str, JsonValue] = {
        "temperature": settings.temperature,
        "seed": settings.seed,
        "max_output_tokens": settings.max_output_tokens,
    }
    return JudgeIdentity(settings.model, endpoint_of(settings.model, settings.base_url), sampling)


class Provider:
    """One judge model behind one endpoint. Safe for several threads."""

    def __init__(
        self,
        settings: JudgeSettings,
        traffic: Traffic | None = None,
        who: str = "the judge",
        store: ReplyStore | None = None,
    ) -> None:
        """`who` begins messages; replies are written to `store`. Raises InputError when the key it needs is not in the
        environment."""
        self._settings = settings
        self._store = store
        self._who = who
        self._connection = Connection(
            settings.model, settings.base_url, settings.api_key_env, settings.timeout_seconds, traffic or Traffic(), who
        )
        self._refused: set[str] = set()
        """Parameters this server has said it does not take."""
        self.identity = judge_identity(settings)

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
        """Raises JudgeError for this question, JudgeUnusable when no call can succeed."""
        size = sum(len(message.content.encode(errors="replace")) for message in question.prompt.messages)
        most = Usage(size, self._limit(question))  # no token is shorter than a byte
        calls = 0
        while True:
            calls += 1
            with self._connection.call(size // _BYTES_PER_TOKEN + _USUAL_REPLY_TOKENS, most) as call:
                parameters = self._parameters(question)  # not before: another call may just have learned of a refusal
                try:
                    answer = self._connection.send(COMPLETION, parameters)
                except SdkError as error:
                    self._leave_out_refused(error, question, parameters)
                else:
                    self._connection.answered(call, answer)
                    return self._kept(question, self._read(question, answer, call, calls))

    def _read(self, question: JudgeQuestion[T], answer: Answer, call: Call, calls: int) -> Reply[T]:
        try:
            text = self._text(answer)
            value = _parse(text, question)
        except JudgeError as error:
            error.prompt_tokens, error.completion_tokens = call.usage.prompt_tokens, call.usage.completion_tokens
            error.cost_usd = call.cost_usd
            raise
        return Reply(
            value,
            text,
            self._connection.clean(str(answer.part("model") or self._settings.model)),
            call.usage,
            call.cost_usd,
            attempts=calls,
            latency_seconds=call.latency_seconds,
            sent=self._sent(question),
        )

    def _kept(self, question: JudgeQuestion[T], reply: Reply[T]) -> Reply[T]:
        """Store a reply before its place is given to another call: what arrived outlives a kill."""
        if self._store is None:
            return reply
        self._store.put(stored_reply(reply_key(self.identity, question), question, reply))
        return replace(reply, is_stored=True)

    def _leave_out_refused(self, error: SdkError, question: JudgeQuestion[T], parameters: Mapping[str, Any]) -> None:
        """Remember the parameter that the server complains of; raise the error again when it is about none."""
        message = self._connection.quoted(error.said)
        if question.enlarged and error.status in {400, 413, 422}:
            # the same question was taken a moment ago, so it is the larger limit that is refused
            raise ReplyCut(f"the reply ended at the token limit, and no larger one is allowed: {message}") from None
        refused = refused_parameter(error.status, message, set(parameters), named=error.parameter)
        if refused is None:
            raise error
        self._refused.add(refused)

    def _parameters(self, question: JudgeQuestion[T]) -> dict[str, Any]:
        settings = self._settings
        limit = self._limit(question)
        parameters: dict[str, Any] = {
            "messages": [{"role": message.role, "content": message.content} for message in question.prompt.messages],
            "temperature": settings.temperature,
            "max_tokens": limit,
        }
        if _wants_json(question):
            schema = reply_schema(question.reply_type)
            json_schema = {"name": question.prompt.name, "strict": True, "schema": schema}
            parameters["response_format"] = {"type": "json_schema", "json_schema": json_schema}
        if settings.seed is not None:
            parameters["seed"] = settings.seed + question.repeat
        if "max_tokens" in self._refused:
            parameters["max_completion_tokens"] = limit
        return {name: value for name, value in parameters.items() if name not in self._refused}

    def _limit(self, question: JudgeQuestion[T]) -> int:
        return self._settings.max_output_tokens * (ENLARGED if question.enlarged else 1)

    def _sent(self, question: JudgeQuestion[T]) -> dict[str, JsonValue]:
        """The settings as they are sent, without what the server does not take."""
        settings = self._settings
        limit = "max_completion_tokens" if "max_tokens" in self._refused else "max_tokens"
        sent: dict[str, JsonValue] = {
            "temperature": settings.temperature,
            "seed": settings.seed,
            "response_format": "json_schema" if _wants_json(question) else None,
        }
        kept = {name: value for name, value in sent.items() if value is not None and name not in self._refused}
        return {**kept, limit: settings.max_output_tokens}

    def _text(self, answer: Answer) -> str:
        """The reply. Raises JudgeError where the server says that it is not whole."""
        choice = self._first_choice(answer)
        message = choice["message"]
        text = self._connection.clean(text_of(message.get("content")) or "")
        refusal = message.get("refusal")
        said = self._connection.clean(str(refusal)) if refusal else ""
        _check_finish(choice.get("finish_reason"), text, said, self._who)
        return text

    def _first_choice(self, answer: Answer) -> dict[str, Any]:
        """With a message that holds a text or none. Raises JudgeUnreachable for a 200 that is no completion, and what
        an error inside it means."""
        choices = answer.part("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if isinstance(choice, dict) and isinstance(message, dict) and text_of(message.get("content")) is not None:
            return choice
        told = error_in(answer.body)
        if told is not None:
            raise classify(told[0], self._connection.quoted(told[1]), {}, self._who)
        begin = self._connection.clean(str(answer.body))[:200]
        raise JudgeUnreachable(f"{self._who}'s answer is no completion; it begins {begin!r}", status=200)


def _parse(text: str, question: JudgeQuestion[T]) -> T:
    try:
        return parse_reply(text, question.reply_type)
    except ReplyUnreadable as error:
        raise ReplyTorn(str(error), raw=error.raw) if is_unfinished(text) else error from None


def _wants_json(question: JudgeQuestion[T]) -> bool:
    return not issubclass(question.reply_type, FreeText)


def _check_finish(finish_reason: object, text: str, refusal: str, who: str) -> None:
    if refusal:
        raise JudgeRefused(f"{who} refused: {refusal[:200]}", raw=refusal)
    reason = str(finish_reason).lower()
    if reason in FILTERED:
        raise JudgeRefused("a content filter stopped the reply", raw=text)
    if reason in CUT:
        raise ReplyCut("the reply ended at the token limit", raw=text)
    if not text.strip():
        raise ReplyUnreadable(f"the reply is empty (finish reason {finish_reason})", raw=text)
