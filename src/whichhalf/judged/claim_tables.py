"""The questions that judged metrics share. Each is asked once: the second asker meets the cache."""

from dataclasses import dataclass

from whichhalf.core.case import Case, Passage
from whichhalf.core.claim import Claim, Verdict
from whichhalf.judged.claims import ClaimList, split_claims
from whichhalf.judged.verdicts import verify_claims
from whichhalf.judging.seam import Judge
from whichhalf.prompting.prompt_folder import PromptSet


@dataclass(frozen=True, slots=True)
class ClaimTables:
    """A judge with the prompts it is asked by."""

    judge: Judge
    prompts: PromptSet
    max_prompt_tokens: int = 24_000

    def answer_claims(self, case: Case) -> ClaimList:
        """A: the claims of the answer. Raises JudgeError."""
        return split_claims(self.judge, self.prompts, case.question.text, case.answer or "")

    def against_passages(self, claims: tuple[Claim, ...], passages: tuple[Passage, ...]) -> tuple[Verdict, ...]:
        """A × P or R × P: one verdict a claim. Raises JudgeError."""
        return verify_claims(self.judge, self.prompts, claims, passages, max_prompt_tokens=self.max_prompt_tokens)
