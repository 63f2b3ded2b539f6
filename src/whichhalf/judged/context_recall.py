"""context_recall: the share of the right answer's facts that stand in the retrieved text.

    context_recall = |facts of the reference answer supported by the context| ÷ |facts of the reference answer|

Source: Ru et al., RAGChecker: A Fine-grained Framework for Diagnosing Retrieval-Augmented Generation, 2024, where
it is called claim recall.
"""

from whichhalf.core.case import Case
from whichhalf.core.outcome import Scored
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.family import JudgedFamily, Options, has_passage_text, share_scored
from whichhalf.judged.references import facts_in_passages


def context_recall(tables: ClaimTables, case: Case, _: Options) -> Scored:
    """0 without passages; nothing is asked then."""
    if not has_passage_text(case):
        return Scored(value=0.0, notes=("no passage reached the model",))
    return share_scored(facts_in_passages(tables, case))


CONTEXT_RECALL = JudgedFamily(
    "context_recall",
    "retrieval",
    "facts of the reference answer that the context supports ÷ facts of the reference answer",
    "Ru et al. 2024 (RAGChecker, claim recall)",
    context_recall,
    needs=("reference_answer", "passage_texts"),
    conventions="unsure = not supported; empty context = 0; of several reference answers the one best covered",
)
