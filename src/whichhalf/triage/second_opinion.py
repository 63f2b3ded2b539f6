"""Ask the judge again, but only for what decided a label.

A single verdict may be wrong. What a label rests on, some claims, a refusal or the questions written from the answer,
is asked again, and the majority of all replies counts.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whichhalf.core.case import Case, Passage
from whichhalf.core.claim import Claim, Verdict
from whichhalf.core.diagnosis import Diagnosis
from whichhalf.core.outcome import Outcome, Undefined, WrittenQuestion
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.claims import ClaimList, split_claims
from whichhalf.judged.verdicts import verify_claims
from whichhalf.judged.written_questions import write_questions

_ON_REFUSAL = ("missed_refusal", "refused_as_it_should", "false_refusal")


@dataclass(frozen=True, slots=True)
class Doubts:
    """What is to be asked again."""

    claims: frozenset[str] = frozenset()
    """Texts of claims, of the answer or of the reference answer."""
    refusal: bool = False
    questions: bool = False

    def __or__(self, other: "Doubts") -> "Doubts":
        return Doubts(self.claims | other.claims, self.refusal or other.refusal, self.questions or other.questions)


def doubts_about(diagnosis: Diagnosis, outcomes: Mapping[str, Outcome]) -> Doubts:
    """What the label rests on, as far as a judge said it."""
    no_claims = any(isinstance(one, Undefined) and one.because == "no_claims" for one in outcomes.values())
    return Doubts(
        frozenset(verdict.claim.text for verdict in diagnosis.verdicts),
        refusal=diagnosis.reason in _ON_REFUSAL or no_claims,
        questions=diagnosis.reason == "off_topic",
    )


@dataclass(frozen=True, slots=True)
class CarefulTables(ClaimTables):
    """Claim tables in which what is doubted is the majority of several replies. Every method raises JudgeError."""

    doubts: Doubts = Doubts()
    repeats: int = 1
    """Replies to each doubted question, the first one included."""

    def answer_claims(self, case: Case) -> ClaimList:
        """A; whether it refuses is the majority's word."""
        text = case.answer or ""
        found = [
            split_claims(self.judge, self.prompts, case.question.text, text, repeat)
            for repeat in range(self.repeats if self.doubts.refusal else 1)
        ]
        refused = sum(one.refused for one in found) > len(found) / 2
        agreeing = [one for one in found if one.refused == refused]
        return next((one for one in agreeing if one.claims), agreeing[0])

    def questions_from_answer(self, case: Case, count: int) -> tuple[WrittenQuestion, ...]:
        """The first reply that agrees with the majority on whether the answer is evasive."""
        found = [
            write_questions(self.judge, self.prompts, case.answer or "", count, repeat)
            for repeat in range(self.repeats if self.doubts.questions else 1)
        ]
        evasive = [sum(one.evasive for one in written) > len(written) / 2 for written in found]
        majority = sum(evasive) > len(found) / 2
        return found[evasive.index(majority)]

    def _verify(self, claims: tuple[Claim, ...], passages: tuple[Passage, ...]) -> tuple[Verdict, ...]:
        verdicts = ClaimTables._verify(self, claims, passages)
        again = tuple(claim for claim in claims if claim.text in self.doubts.claims)
        if not again or not any(passage.text and passage.text.strip() for passage in passages):
            return verdicts
        rounds = [verdicts] + [
            verify_claims(
                self.judge, self.prompts, again, passages, max_prompt_tokens=self.max_prompt_tokens, repeat=repeat
            )
            for repeat in range(1, self.repeats)
        ]
        said = {
            claim.id: [one for verdicts in rounds for one in verdicts if one.claim.id == claim.id] for claim in again
        }
        return tuple(_majority(said[one.claim.id]) if one.claim.id in said else one for one in verdicts)


def _majority(verdicts: Sequence[Verdict]) -> Verdict:
    """The first verdict with the label of more than half of them; `unsure` where none has it."""
    label, count = Counter(one.label for one in verdicts).most_common(1)[0]
    if count > len(verdicts) / 2:
        return next(one for one in verdicts if one.label == label)
    return Verdict(claim=verdicts[0].claim, label="unsure", reason=verdicts[0].reason)
