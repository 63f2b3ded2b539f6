"""faithfulness: the share of the answer's claims that the passages it was written from support.

    faithfulness = |claims of the answer supported by the context| ÷ |claims of the answer|

Source: Es et al., RAGAS: Automated Evaluation of Retrieval Augmented Generation, 2023.
"""

from whichhalf.core.case import Case
from whichhalf.core.metric import Option
from whichhalf.core.outcome import Scored
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.family import JudgedFamily, NoNumber, Options, claims_of_answer, has_passage_text, share_scored


def faithfulness(tables: ClaimTables, case: Case, options: Options) -> Scored:
    """0 where claims were made without any passage; the judge is then not asked to verify."""
    try:
        found = claims_of_answer(tables, case)
    except NoNumber as reason:
        if reason.because == "no_claims" and options["no_claims"] == "one":
            return Scored(value=1.0, notes=("the answer makes no claims", *reason.notes))
        raise
    empty = () if has_passage_text(case) else ("no passage reached the model",)
    return share_scored(tables.against_passages(case, found.claims), notes=(*empty, *found.notes))


FAITHFULNESS = JudgedFamily(
    "faithfulness",
    "generation",
    "claims of the answer that the context supports ÷ claims of the answer",
    "Es et al. 2023 (RAGAS)",
    faithfulness,
    needs=("answer", "passage_texts"),
    conventions="unsure = not supported; no claims = {no_claims}; a refusal is undefined; empty context = 0",
    options={"no_claims": Option("undefined", words=("undefined", "one"))},
)
