"""What scoring a case may take, estimated before it begins."""

from collections.abc import Callable

from whichhalf.core.case import Case
from whichhalf.core.metric import Metric
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judging.budget import Need
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.embedding import Embedder
from whichhalf.judging.ledger import Ledger, LedgerEmbedder, LedgerJudge
from whichhalf.judging.seam import Judge
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.running.score_case import score_case


def case_needs(
    build: Callable[[ClaimTables], list[Metric]],
    judge: Judge,
    embedder: Embedder,
    prompts: PromptSet,
    max_prompt_tokens: int,
) -> Callable[[Case], Need]:
    """`build` makes the metrics; judge and embedder are those that only estimate."""

    def need(case: Case) -> Need:
        ledger = Ledger()
        asked = CachingJudge(LedgerJudge(judge, ledger), share_failures=True)
        tables = ClaimTables(asked, prompts, max_prompt_tokens, LedgerEmbedder(embedder, ledger))
        score_case(case, [metric for metric in build(tables) if metric.card.prompts])
        cost = ledger.cost()
        return Need(cost.judge_calls + cost.embedding_calls, cost.usd or 0.0)

    return need
