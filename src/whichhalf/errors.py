"""Every exception of the package.

WhichHalfError
├── InputError             bad usage, config or data: nothing was spent (exit code 2)
│   └── PromptError        a prompt is missing, broken, or was rendered without a variable
├── CacheError             the folder of judge replies cannot be used
├── RunStopped             someone stopped the run: no further call is made
├── CallPostponed          a call is needed where only kept replies are read yet; never raised to users
├── JudgeUnusable          no further call can succeed (key, quota, model name): the run stops early
├── AssistantFailed        the assistant under test gave no usable reply to one question: counted, never raised to users
└── JudgeError             one question got no usable reply: the outcome becomes Failed
    ├── JudgeUnreachable   connection, time-out, 5xx or rate limit, also after retries
    ├── JudgeRefused       the judge or a filter in front of it declined to answer
    ├── ReplyCut           the reply ended at the token limit, also with a larger one
    ├── ReplyUnreadable    the reply does not hold what was asked for
    │   └── ReplyTorn      the reply ends in the middle of its JSON
    ├── ReplyNotRecorded   only recorded replies are allowed and this one is missing
    ├── VerdictsMissing    verdicts were still missing after they had been asked for again
    ├── ContextTooLong     the question does not fit the judge's window
    ├── BudgetSpent        the call was not made: calls or money were used up
    ├── DeadlinePassed     the deadline of the run has passed, so the call was not made
    └── EmbeddingFailed    texts could not be compared as vectors
"""

from collections.abc import Sequence
from dataclasses import dataclass


class WhichHalfError(Exception):
    """Anything this package raises on purpose."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in one place of a file, a config or a call."""

    message: str
    file: str = ""
    line: int | None = None
    field: str = ""

    def __str__(self) -> str:
        place = self.file + (f":{self.line}" if self.line is not None else "")
        return ": ".join(part for part in (place, self.field, self.message) if part)


class InputError(WhichHalfError, ValueError):
    """Bad usage, config or data. `faults` lists every fault found, not only the first."""

    def __init__(self, faults: str | Fault | Sequence[Fault]) -> None:
        if isinstance(faults, str):
            faults = Fault(faults)
        self.faults: tuple[Fault, ...] = (faults,) if isinstance(faults, Fault) else tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class PromptError(InputError):
    """A prompt is missing, broken, or was rendered without a variable."""


class CacheError(WhichHalfError):
    """The folder of judge replies is damaged, locked or not writable."""


class RunStopped(WhichHalfError):
    """Someone stopped the run. Calls under way may end; no further one is made."""


class CallPostponed(WhichHalfError):
    """A call is needed, and calls are held back: kept replies are read first."""


class JudgeUnusable(WhichHalfError):
    """No further call can succeed: bad key, exhausted quota, unknown model, rejected request."""


class AssistantFailed(WhichHalfError):
    """The assistant under test gave no usable reply to one question. `reason` is the word counted in reports."""

    def __init__(self, message: str, *, reason: str, attempts: int = 1) -> None:
        super().__init__(message)
        self.reason = reason
        self.attempts = attempts
        """Calls that were made for the question."""

    @classmethod
    def from_call(cls, error: "JudgeError") -> "AssistantFailed":
        """The same failure, when what was called is the assistant."""
        return cls(str(error), reason=error.reason.removeprefix("judge_"), attempts=error.attempts)


class JudgeError(WhichHalfError):
    """One question got no usable reply. `reason` is the word counted in reports."""

    reason = "judge_error"
    stage = ""
    """Where it failed, if not in a question to the judge: `embedding`."""
    attempts = 1
    """Calls that were made for the question."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost_usd: float | None = None
    """What the lost reply took, where the server told."""

    def __init__(self, message: str, *, raw: str | None = None) -> None:
        super().__init__(message)
        self.raw = raw
        """What the judge replied, where it replied at all."""


class JudgeUnreachable(JudgeError):
    """Connection, time-out, server error or rate limit; worth another try."""

    reason = "judge_unreachable"

    def __init__(self, message: str, *, status: int | None = None, retry_after_seconds: float | None = None) -> None:
        super().__init__(message)
        self.status = status
        """HTTP status; None when no answer came."""
        self.retry_after_seconds = retry_after_seconds

    @property
    def declined(self) -> bool:
        """Whether the server said no: such a call is not billed; one without an answer may be."""
        return self.status is not None and self.status >= 400

    @property
    def rate_limited(self) -> bool:
        """Whether the server is fine, and asks for fewer calls."""
        return self.status in {429, 529} or self.retry_after_seconds is not None


class JudgeRefused(JudgeError):
    """The judge, or a content filter in front of it, declined to answer."""

    reason = "judge_refused"


class ReplyCut(JudgeError):
    """The reply ended at the token limit. It is never parsed."""

    reason = "reply_cut"


class ReplyUnreadable(JudgeError):
    """The reply does not hold the JSON that was asked for."""

    reason = "reply_unreadable"


class ReplyTorn(ReplyUnreadable):
    """The reply ends in the middle of its JSON, although the server calls it complete."""


class ReplyNotRecorded(JudgeError):
    """Only recorded replies may be used and there is none for this question."""

    reason = "reply_not_recorded"
    attempts = 0


class VerdictsMissing(JudgeError):
    """The judge left claims without a verdict, also when asked for them again."""

    reason = "verdicts_missing"


class ContextTooLong(JudgeError):
    """The question does not fit the judge's window."""

    reason = "context_too_long"


class BudgetSpent(JudgeError):
    """The call was not made: the calls or the money that the run may spend are used up."""

    reason = "budget_spent"
    attempts = 0


class DeadlinePassed(JudgeError):
    """The call was not made: the run may ask nothing more."""

    reason = "deadline_passed"
    attempts = 0


class EmbeddingFailed(JudgeError):
    """Texts could not be compared as vectors: nothing to compare, a vector of zeros, or vectors of another shape."""

    reason = "embedding"
    stage = "embedding"
