"""Score ranking files against label files."""

from collections.abc import Sequence
from pathlib import Path

from whichhalf.core.options import Ties
from whichhalf.datasets.golden import load_golden
from whichhalf.datasets.outputs import load_outputs
from whichhalf.datasets.trec import read_qrels, read_trec_run
from whichhalf.errors import Fault, InputError
from whichhalf.retrieval.family import Conventions
from whichhalf.retrieval.ordering import order_by_score
from whichhalf.running.evaluate_ranking import RankingScores, evaluate_ranking


def score_ranking_files(
    qrels: Path,
    run: Path,
    metrics: Sequence[str],
    *,
    ties: Ties | None = None,
    gain: str = "exponential",
    conventions: Conventions | None = None,
) -> RankingScores:
    """Files ending in .jsonl are a golden set and outputs, others TREC qrels and runs.

    Lists of outputs keep their order; `ties` is for the scores of TREC runs and is `trec` by default.
    """
    return evaluate_ranking(_labels(qrels), _rankings(run, ties or "trec"), metrics, gain=gain, conventions=conventions)


def _labels(path: Path) -> dict[str, dict[str, int]]:
    if path.suffix != ".jsonl":
        return read_qrels(path)
    return {question.id: question.relevant for question in load_golden(path).questions}


def _rankings(path: Path, ties: Ties) -> dict[str, list[str]]:
    if path.suffix != ".jsonl":
        return {question: order_by_score(scored, ties) for question, scored in read_trec_run(path).items()}
    outputs = load_outputs(path)
    rankings: dict[str, list[str]] = {}
    for question, row in outputs.rows.items():
        passages = row.reranked if row.reranked is not None else row.retrieved
        if passages is None and row.error is None:
            raise InputError(Fault(f"output {question!r} logs no retrieved passages", str(path)))
        rankings[question] = [passage.id for passage in passages or ()]
    return rankings
