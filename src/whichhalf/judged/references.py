"""Facts of the reference answer: where they stand in the passages, and how the answer meets them.

A question may have several right answers, each complete in itself: the one that is met best counts.
"""

from dataclasses import dataclass

from whichhalf.core.case import Case
from whichhalf.core.claim import Claim, Verdict
from whichhalf.core.quotes import same_text
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.family import NoNumber, claims_of_answer, supported_share


@dataclass(frozen=True, slots=True)
class Match:
    """An answer and a reference answer, checked both ways."""

    reference: str
    claims: tuple[Verdict, ...]
    """A × reference."""
    facts: tuple[Verdict, ...]
    """R × answer."""

    @property
    def precision(self) -> float:
        return supported_share(self.claims)

    @property
    def recall(self) -> float:
        return supported_share(self.facts)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall, 0 when both are 0."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0


def facts_in_passages(tables: ClaimTables, case: Case) -> tuple[Verdict, ...]:
    """R × P. Raises NoNumber when no reference answer states a fact, JudgeError."""
    found = [tables.against_passages(case, facts) for _, facts in _references(tables, case)]
    return max(found, key=supported_share)


def match_reference(tables: ClaimTables, case: Case) -> Match:
    """A × reference and R × answer. Raises NoNumber without claims on either side, JudgeError."""
    claims = claims_of_answer(tables, case).claims
    matches = [
        Match(
            reference, tables.against_reference(case, claims, reference), tables.against_answer(case, facts, reference)
        )
        for reference, facts in _references(tables, case)
    ]
    return max(matches, key=lambda one: one.f1)


def is_reference(case: Case) -> bool:
    """Whether the answer is one of the reference answers, word for word: no judge is needed to call it right."""
    return any(same_text(case.answer or "", reference) for reference in case.question.reference_answers)


def _references(tables: ClaimTables, case: Case) -> list[tuple[str, tuple[Claim, ...]]]:
    """Reference answers that state at least one fact. Raises NoNumber when none does."""
    references = [reference for reference in case.question.reference_answers if reference.strip()]
    found = [(reference, tables.reference_claims(case, reference).claims) for reference in references]
    stating = [(reference, facts) for reference, facts in found if facts]
    if not stating:
        raise NoNumber("no_reference_claims")
    return stating
