"""Where needed passages were lost on the way from the search to the model."""

from collections.abc import Mapping

from whichhalf.core.case import Case
from whichhalf.core.diagnosis import LossPlace, LostPassage
from whichhalf.core.options import STAGES, Stage

_Ranks = Mapping[Stage, dict[str, int] | None]

EARLIEST_FIRST: tuple[LossPlace, ...] = (
    "not_retrieved",
    "dropped_by_reranker",
    "ranked_below_cut",
    "cut_by_context_limit",
    "chunk_split",
)


def lost_passages(case: Case, k: int) -> list[LostPassage]:
    """Relevant passages that did not reach the model, the one lost earliest first.

    Where the context was not logged, the first k of the last ranking stand for it.
    """
    ranks = {stage: _ranks(case, stage) for stage in STAGES}
    seen = ranks["context"]
    if seen is None:
        last = ranks[case.last_ranking] or {}
        seen = {passage: rank for passage, rank in last.items() if rank <= k}
    lost = [
        LostPassage(
            passage=passage,
            lost=_where_lost(passage, ranks, k),
            ranks={stage: places.get(passage) for stage, places in ranks.items() if places is not None},
        )
        for passage, grade in case.question.relevant.items()
        if grade > 0 and passage not in seen
    ]
    return sorted(lost, key=lambda one: EARLIEST_FIRST.index(one.lost))


def _ranks(case: Case, stage: Stage) -> dict[str, int] | None:
    """Passage id → best rank in a stage; None when the stage was not logged."""
    passages = case.ranking(stage)
    if passages is None:
        return None
    ranks: dict[str, int] = {}
    for rank, passage in enumerate(passages, start=1):
        ranks.setdefault(passage.id, rank)
    return ranks


def _where_lost(passage: str, ranks: _Ranks, k: int) -> LossPlace:
    retrieved, reranked = ranks["retrieved"], ranks["reranked"]
    last = reranked if reranked is not None else retrieved
    if retrieved is not None and passage in retrieved and reranked is not None and passage not in reranked:
        return "dropped_by_reranker"
    if last is None or passage not in last:
        return "not_retrieved"
    return "ranked_below_cut" if last[passage] > k else "cut_by_context_limit"
