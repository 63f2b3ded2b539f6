"""context_precision and context_precision_ranked: how much of the retrieved text is of use for the right answer.

    useful passage           = one that supports at least one fact of the reference answer
    context_precision        = |useful passages| ÷ |passages|
    context_precision_ranked = mean over the ranks of useful passages of the share of useful ones up to that rank

The two are often called by one name and differ on the same retrieval; a passage that comes twice is useful once.
Sources: Ru et al., RAGChecker, 2024 (share); the rank-weighted form is that of the ragas library.
"""

from whichhalf.core.case import Case
from whichhalf.core.outcome import Scored
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.family import JudgedFamily, Options, has_passage_text, supported
from whichhalf.judged.references import facts_in_passages


def context_precision(tables: ClaimTables, case: Case, _: Options) -> Scored:
    """0 without passages; nothing is asked then."""
    useful, scored = _useful(tables, case)
    return scored.model_copy(update={"value": sum(useful) / len(useful)}) if useful else scored


def context_precision_ranked(tables: ClaimTables, case: Case, _: Options) -> Scored:
    """0 without a useful passage."""
    useful, scored = _useful(tables, case)
    at_hits = [sum(useful[:rank]) / rank for rank, one in enumerate(useful, start=1) if one]
    return scored.model_copy(update={"value": sum(at_hits) / len(at_hits)}) if at_hits else scored


def _useful(tables: ClaimTables, case: Case) -> tuple[list[bool], Scored]:
    """Whether each passage, in order, is useful, and an outcome of 0 that holds the evidence."""
    if not has_passage_text(case):
        return [], Scored(value=0.0, notes=("no passage reached the model",))
    verdicts = facts_in_passages(tables, case)
    wanted = {place.passage for verdict in verdicts if supported(verdict) for place in verdict.evidence}
    useful = []
    for passage in case.context or ():
        useful.append(passage.id in wanted)
        wanted.discard(passage.id)
    return useful, Scored(value=0.0, verdicts=verdicts)


CONTEXT_PRECISION = JudgedFamily(
    "context_precision",
    "retrieval",
    "passages that support a fact of the reference answer ÷ passages",
    "Ru et al. 2024 (RAGChecker)",
    context_precision,
    needs=("reference_answer", "passage_texts"),
    conventions="unsure = not supported; empty context = 0; of several reference answers the one best covered",
)
CONTEXT_PRECISION_RANKED = JudgedFamily(
    "context_precision_ranked",
    "retrieval",
    "mean over the ranks of useful passages of the share of useful passages up to that rank, 0 if none is useful",
    "ragas, context precision",
    context_precision_ranked,
    needs=("reference_answer", "passage_texts"),
    conventions="useful = supports a fact of the reference answer; unsure = not supported; empty context = 0",
)
