"""context_conflict: the share of the answer's claims on which the passages disagree.

    context_conflict = |claims that one passage supports and another contradicts| ÷ |claims of the answer|

A verdict on all passages at once is `supported` as soon as one supports the claim. Claims that are supported are
therefore checked again against the other passages alone; those with the same supporting passages share a question.
"""

from whichhalf.core.case import Case
from whichhalf.core.claim import Verdict
from whichhalf.core.outcome import Scored
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.family import JudgedFamily, Options, claims_of_answer, supported


def context_conflict(tables: ClaimTables, case: Case, _: Options) -> Scored:
    """The evidence holds two verdicts a conflict: the support, then the contradiction."""
    verdicts = tables.against_passages(case, claims_of_answer(tables, case).claims)
    groups: dict[frozenset[str], list[Verdict]] = {}
    for verdict in filter(supported, verdicts):
        groups.setdefault(frozenset(place.passage for place in verdict.evidence), []).append(verdict)
    pairs: list[tuple[Verdict, Verdict]] = []
    for supporting, group in groups.items():
        others = tuple(passage for passage in case.context or () if passage.id not in supporting)
        rest = case.model_copy(update={"context": others})
        pairs += zip(group, tables.against_passages(rest, tuple(one.claim for one in group)), strict=True)
    conflicts = sorted((pair for pair in pairs if pair[1].label == "contradicted"), key=lambda pair: pair[0].claim.id)
    return Scored(value=len(conflicts) / len(verdicts), verdicts=tuple(one for pair in conflicts for one in pair))


CONTEXT_CONFLICT = JudgedFamily(
    "context_conflict",
    "retrieval",
    "claims of the answer that one passage supports and another contradicts ÷ claims of the answer",
    "own",
    context_conflict,
    needs=("answer", "passage_texts"),
    conventions="lower is better; unsure = no contradiction; a refusal is undefined",
)
