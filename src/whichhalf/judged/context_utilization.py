"""context_utilization: of the right answer's facts that were in the passages, the share that reached the answer.

    context_utilization = |facts in both context and answer| ÷ |facts in the context|

Source: Ru et al., RAGChecker, 2024.
"""

from whichhalf.core.case import Case
from whichhalf.core.outcome import Scored
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.family import JudgedFamily, NoNumber, Options, share_scored, supported
from whichhalf.judged.references import match_reference


def context_utilization(tables: ClaimTables, case: Case, _: Options) -> Scored:
    """Raises NoNumber when no fact was there to be used."""
    match = match_reference(tables, case)
    in_context = tables.against_passages(case, tuple(verdict.claim for verdict in match.facts))
    usable = tuple(fact for fact, here in zip(match.facts, in_context, strict=True) if supported(here))
    if not usable:
        raise NoNumber("nothing_to_use")
    return share_scored(usable)


CONTEXT_UTILIZATION = JudgedFamily(
    "context_utilization",
    "generation",
    "facts of the reference answer in both context and answer ÷ those in the context",
    "Ru et al. 2024 (RAGChecker)",
    context_utilization,
    needs=("answer", "reference_answer", "passage_texts"),
    conventions="unsure = not supported; a refusal is undefined; no fact in the context is undefined",
)
