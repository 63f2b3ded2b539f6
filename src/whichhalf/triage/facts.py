"""What every check of a rule may look at, and what a check may say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whichhalf.core.case import Case, Passage
from whichhalf.core.diagnosis import Finding
from whichhalf.core.held_quotes import scored_by_quotes
from whichhalf.core.outcome import Failed, Outcome, Scored, Undefined
from whichhalf.triage.findings import cannot_tell

_TELL_OF_REFUSAL = ("refusal_rate", "no_answer_accuracy")
_NOTHING_TO_COMPARE = ("no_reference_answer", "no_reference_claims")
_NOT_HAD = ("context_not_logged", "missing_output")


@dataclass(frozen=True, slots=True)
class Facts:
    """One answer with all that is known of it."""

    case: Case
    outcomes: Mapping[str, Outcome]
    k: int
    floor: float
    off_topic_cosine: float | None = None
    known: Sequence[Passage] | None = None
    """Passages of the corpus that the question's labels name or whose words they quote; None without a corpus."""

    def outcome(self, family: str) -> Outcome | None:
        """The outcome of a judged metric, whatever its options; None when it was not asked for."""
        return next((one for name, one in self.outcomes.items() if name.partition("(")[0] == family), None)

    def no_word_of(self, family: str) -> str:
        """Why a metric does not help, as the subject of a sentence."""
        outcome = self.outcome(family)
        if outcome is None:
            return f"no {family} (it was not asked for)"
        reason = outcome.error if isinstance(outcome, Failed) else getattr(outcome, "because", "")
        return f"no {family} ({reason})"

    @property
    def refused(self) -> bool | None:
        """Whether the answer declines; None when nothing tells."""
        outcome = self.outcome("faithfulness")
        if isinstance(outcome, Undefined) and outcome.because in ("refused", "no_claims"):
            return outcome.because == "refused"
        if isinstance(outcome, Scored):
            return False
        told = [one for family in _TELL_OF_REFUSAL if isinstance(one := self.outcome(family), Scored)]
        return told[0].value == 1.0 if told else None

    @property
    def has_labels(self) -> bool:
        question = self.case.question
        return scored_by_quotes(question) or any(grade > 0 for grade in question.relevant.values())


@dataclass(frozen=True, slots=True)
class Skipped:
    """A check that did not run, and why, in words."""

    what: str


Result = Finding | Skipped | None
"""None: the check found nothing."""


def number_of(facts: Facts, family: str, check: str, use: str) -> Scored | Result:
    """The number a check needs; without one, what the check says instead.

    Not asked for, or nothing to compare with: skipped. Failed, or not logged: it could have decided, so nobody can
    tell. No number by nature, as for a refusal: nothing to find.
    """
    outcome = facts.outcome(family)
    if outcome is None:
        return Skipped(f"{check}: {family} was not asked for")
    if isinstance(outcome, Scored):
        return outcome
    if isinstance(outcome, Failed) or outcome.because in _NOT_HAD:
        return cannot_tell(f"{facts.no_word_of(family).capitalize()} {use}.")
    if outcome.because in _NOTHING_TO_COMPARE:
        return Skipped(f"{check}: {family} has no number ({outcome.because})")
    return None
