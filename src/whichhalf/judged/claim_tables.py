"""The questions that judged metrics share. Each is asked once, and its reply is read once."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from whichhalf.core.case import Case, Passage
from whichhalf.core.claim import Claim, Evidence, Verdict
from whichhalf.core.outcome import WrittenQuestion
from whichhalf.core.quotes import same_text
from whichhalf.errors import JudgeError
from whichhalf.judged.claims import ClaimList, split_claims
from whichhalf.judged.verdicts import verify_claims
from whichhalf.judged.written_questions import write_questions
from whichhalf.judging.embedding import CachingEmbedder, Embedder, Vector, WordLlamaEmbedder
from whichhalf.judging.seam import Judge
from whichhalf.prompting.prompt_folder import PromptSet

R = TypeVar("R")

REFERENCE = "reference answer"
ANSWER = "answer"
"""What stands in evidence as the passage when a claim is checked against one of these texts."""


@dataclass(frozen=True, slots=True)
class ClaimTables:
    """A judge with the prompts it is asked by, and an embedding model. Every method raises JudgeError."""

    judge: Judge
    prompts: PromptSet
    max_prompt_tokens: int = 24_000
    embedder: Embedder = field(default_factory=lambda: CachingEmbedder(WordLlamaEmbedder()))
    repeat: int = 0
    """Which sample of replies is read. Reference answers are split once, whatever it is."""
    _read: dict[Hashable, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What was made of replies; lost ones are not here, and their askers meet the cache of the judge."""

    def answer_claims(self, case: Case) -> ClaimList:
        """A: the claims of the answer."""
        return self._split(case, case.answer or "", self.repeat)

    def reference_claims(self, case: Case, reference: str) -> ClaimList:
        """R: the claims of a reference answer."""
        return self._split(case, reference, 0)

    def against_passages(self, case: Case, claims: tuple[Claim, ...]) -> tuple[Verdict, ...]:
        """A × P or R × P. Without any passage text nothing is asked: no claim is mentioned."""
        return self._verify(claims, case.context or ())

    def against_reference(self, case: Case, claims: tuple[Claim, ...], reference: str) -> tuple[Verdict, ...]:
        """A × reference. Nothing is asked when the answer is the reference, word for word."""
        if same_text(case.answer or "", reference):
            return _self_evident(claims, REFERENCE)
        return self._verify(claims, (Passage(id=REFERENCE, text=reference),))

    def against_answer(self, case: Case, facts: tuple[Claim, ...], reference: str) -> tuple[Verdict, ...]:
        """R × answer. Nothing is asked when the answer is the reference, word for word."""
        if same_text(case.answer or "", reference):
            return _self_evident(facts, ANSWER)
        return self._verify(facts, (Passage(id=ANSWER, text=case.answer),))

    def questions_from_answer(self, case: Case, count: int) -> tuple[WrittenQuestion, ...]:
        """Questions that the answer replies to, written without sight of the real one."""
        return write_questions(self.judge, self.prompts, case.answer or "", count, self.repeat)

    def embed(self, texts: Sequence[str]) -> tuple[Vector, ...]:
        """One vector a text, in one call."""
        try:
            return self.embedder.embed(texts).vectors
        except JudgeError as error:
            error.stage = "embedding"
            raise

    def _split(self, case: Case, text: str, repeat: int) -> ClaimList:
        question = case.question.text
        return self._once(
            (question, text, repeat), lambda: split_claims(self.judge, self.prompts, question, text, repeat)
        )

    def _verify(self, claims: tuple[Claim, ...], passages: tuple[Passage, ...]) -> tuple[Verdict, ...]:
        if not claims or not any(passage.text and passage.text.strip() for passage in passages):
            return tuple(Verdict(claim=claim, label="not_mentioned") for claim in claims)
        texts = tuple((passage.id, passage.text) for passage in passages)
        most = self.max_prompt_tokens
        return self._once(
            (claims, texts),
            lambda: verify_claims(
                self.judge, self.prompts, claims, passages, max_prompt_tokens=most, repeat=self.repeat
            ),
        )

    def _once(self, about: Hashable, read: Callable[[], R]) -> R:
        found: R | None = self._read.get(about)
        if found is None:
            found = self._read[about] = read()
        return found


def _self_evident(claims: tuple[Claim, ...], text: str) -> tuple[Verdict, ...]:
    reason = "answer and reference answer are the same"
    return tuple(
        Verdict(
            claim=claim,
            label="supported",
            evidence=(Evidence(passage=text, quote=claim.quote, start=0),),
            reason=reason,
        )
        for claim in claims
    )
