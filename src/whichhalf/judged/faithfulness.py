"""faithfulness: the share of the answer's claims that the passages it was written from support.

    faithfulness = |claims of the answer supported by the context| ÷ |claims of the answer|

Source: Es et al., RAGAS: Automated Evaluation of Retrieval Augmented Generation, 2023.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from whichhalf.core.case import Case
from whichhalf.core.claim import Verdict
from whichhalf.core.metric import MetricCard, MetricName
from whichhalf.core.outcome import Outcome, Scored, Undefined
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.claims import SPLIT_CLAIMS
from whichhalf.judged.verdicts import VERIFY_CLAIMS

SOURCE = "Es et al. 2023 (RAGAS)"
OPTIONS = {"no_claims": ("undefined", "one")}


def supported_share(verdicts: Sequence[Verdict]) -> float:
    """Supported ÷ all, in [0, 1]. Raises ZeroDivisionError without verdicts: that case has its own outcome."""
    return sum(verdict.label == "supported" for verdict in verdicts) / len(verdicts)


@dataclass(frozen=True, slots=True)
class Faithfulness:
    """Two judge questions a case: split the answer, verify its claims against the context."""

    tables: ClaimTables
    name: MetricName = MetricName("faithfulness")

    @property
    def card(self) -> MetricCard:
        no_claims = "no claims = 1" if self._no_claims_is_one else "no claims = undefined"
        return MetricCard(
            self.name,
            "generation",
            "claims of the answer that the context supports ÷ claims of the answer; unsure = not supported; "
            f"{no_claims}; a refusal is undefined; empty context = 0",
            needs=("answer", "passage_texts"),
            prompts=(SPLIT_CLAIMS, VERIFY_CLAIMS),
        )

    def score(self, case: Case) -> Outcome:
        """Raises JudgeError when a reply could not be had."""
        if not case.has_output or not (case.answer and case.answer.strip()):
            return Undefined(because="missing_output")
        if case.context is None:
            return Undefined(because="context_not_logged")
        split = self.tables.answer_claims(case)
        if split.refused:
            return Undefined(because="refused")
        if not split.claims:
            if self._no_claims_is_one:
                return Scored(value=1.0, notes=("the answer makes no claims", *split.notes))
            return Undefined(because="no_claims", notes=split.notes)
        passages = tuple(passage for passage in case.context if passage.text and passage.text.strip())
        if not passages:
            verdicts = tuple(Verdict(claim=claim, label="not_mentioned") for claim in split.claims)
            return Scored(value=0.0, verdicts=verdicts, notes=("no passage reached the model", *split.notes))
        return _scored(self.tables.against_passages(split.claims, passages), split.notes)

    @property
    def _no_claims_is_one(self) -> bool:
        return dict(self.name.options).get("no_claims") == "one"


def _scored(verdicts: tuple[Verdict, ...], notes: tuple[str, ...]) -> Scored:
    value = supported_share(verdicts)
    unsure = sum(verdict.label == "unsure" for verdict in verdicts)
    if not unsure:
        return Scored(value=value, verdicts=verdicts, notes=notes)
    note = f"{unsure} of {len(verdicts)} verdicts unsure, counted as not supported"
    return Scored(value=value, bounds=(value, value + unsure / len(verdicts)), verdicts=verdicts, notes=(note, *notes))
