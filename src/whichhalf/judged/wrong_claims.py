"""Where the answer's claims come from: hallucination, self_knowledge and the two noise sensitivities.

For a claim of the answer: a = the context supports it, c = the reference answer supports it.

    hallucination                = share of claims with neither a nor c
    self_knowledge               = share with c but not a
    noise_sensitivity_relevant   = share with a but not c, supported by a relevant passage
    noise_sensitivity_irrelevant = share with a but not c, supported by irrelevant passages only

A passage is relevant when it supports a fact of the reference answer. With the same tables
faithfulness + hallucination + self_knowledge = 1, and
answer_precision + noise_sensitivity_relevant + noise_sensitivity_irrelevant + hallucination = 1.
Source: Ru et al., RAGChecker, 2024.
"""

from collections.abc import Callable
from dataclasses import dataclass

from whichhalf.core.case import Case
from whichhalf.core.claim import Verdict
from whichhalf.core.outcome import Scored
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.family import JudgedFamily, Options, supported
from whichhalf.judged.references import match_reference


@dataclass(frozen=True, slots=True)
class ClaimOrigin:
    """One claim of the answer with all that decides where it belongs."""

    in_context: Verdict
    in_reference: Verdict
    by_relevant: bool
    """A passage that supports it also supports a fact of the reference answer."""


def claim_origins(tables: ClaimTables, case: Case) -> list[ClaimOrigin]:
    """One a claim of the answer. Raises NoNumber without claims on either side, JudgeError."""
    match = match_reference(tables, case)
    in_context = tables.against_passages(case, tuple(verdict.claim for verdict in match.claims))
    facts = tables.against_passages(case, tuple(verdict.claim for verdict in match.facts))
    relevant = {place.passage for fact in facts if supported(fact) for place in fact.evidence}
    return [
        ClaimOrigin(context, reference, any(place.passage in relevant for place in context.evidence))
        for context, reference in zip(in_context, match.claims, strict=True)
    ]


def is_hallucinated(claim: ClaimOrigin) -> bool:
    return not supported(claim.in_context) and not supported(claim.in_reference)


def is_self_known(claim: ClaimOrigin) -> bool:
    return not supported(claim.in_context) and supported(claim.in_reference)


def is_relevant_noise(claim: ClaimOrigin) -> bool:
    return supported(claim.in_context) and not supported(claim.in_reference) and claim.by_relevant


def is_irrelevant_noise(claim: ClaimOrigin) -> bool:
    return supported(claim.in_context) and not supported(claim.in_reference) and not claim.by_relevant


def _share(counts: Callable[[ClaimOrigin], bool]) -> Callable[[ClaimTables, Case, Options], Scored]:
    def formula(tables: ClaimTables, case: Case, _: Options) -> Scored:
        origins = claim_origins(tables, case)
        chosen = tuple(origin.in_context for origin in origins if counts(origin))
        unsure = sum("unsure" in (origin.in_context.label, origin.in_reference.label) for origin in origins)
        notes = (f"{unsure} of {len(origins)} claims rest on an unsure verdict",) if unsure else ()
        return Scored(value=len(chosen) / len(origins), verdicts=chosen, notes=notes)

    return formula


def _family(name: str, meaning: str, counts: Callable[[ClaimOrigin], bool]) -> JudgedFamily:
    return JudgedFamily(
        name,
        "generation",
        f"claims of the answer {meaning} ÷ claims of the answer",
        "Ru et al. 2024 (RAGChecker)",
        _share(counts),
        needs=("answer", "reference_answer", "passage_texts"),
        conventions="unsure = not supported; a refusal is undefined",
        higher_is_better=False,
    )


HALLUCINATION = _family("hallucination", "that neither the context nor the reference answer supports", is_hallucinated)
SELF_KNOWLEDGE = _family("self_knowledge", "that the reference answer supports and the context does not", is_self_known)
NOISE_SENSITIVITY_RELEVANT = _family(
    "noise_sensitivity_relevant",
    "that the reference answer does not support and a relevant passage does",
    is_relevant_noise,
)
NOISE_SENSITIVITY_IRRELEVANT = _family(
    "noise_sensitivity_irrelevant",
    "that the reference answer does not support and only irrelevant passages do",
    is_irrelevant_noise,
)
