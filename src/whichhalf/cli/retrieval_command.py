"""whichhalf retrieval --qrels Q --run R"""

from pathlib import Path
from typing import Annotated

import typer

from whichhalf.core.options import Duplicates, Gain, Ties

_USUAL = ["recall@5", "recall@10", "precision@5", "hit_rate@5", "rr", "ap", "ndcg@10"]


def retrieval(
    qrels: Annotated[Path, typer.Option(help="Labels: TREC qrels, or a golden set ending in .jsonl.")],
    run: Annotated[Path, typer.Option(help="Rankings: a TREC run, or outputs ending in .jsonl.")],
    metric: Annotated[list[str] | None, typer.Option("--metric", "-m", help="May be repeated.")] = None,
    ties: Annotated[Ties | None, typer.Option(help="Equal scores: trec_eval's order or the file's.")] = None,
    gain: Annotated[Gain, typer.Option(help="Gain of a grade in ndcg.")] = "exponential",
    relevance_threshold: Annotated[int, typer.Option(min=1, help="Lowest grade that counts as relevant.")] = 1,
    duplicates: Annotated[Duplicates, typer.Option(help="What a repeated id does.")] = "first_copy",
    per_question: Annotated[bool, typer.Option("--per-question", help="One row a question as well.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable result on stdout.")] = False,
) -> None:
    """The retrieval metrics alone: plain arithmetic on ids, no judge. Ties in TREC runs go trec_eval's way.

    Examples:

    whichhalf retrieval --qrels qrels.txt --run bm25.txt

    whichhalf retrieval --qrels qrels.txt --run bm25.txt -m ndcg@10 -m recall@100 --gain linear --json
    """
    from whichhalf.jobs.ranking import score_ranking_files
    from whichhalf.reporting.ranking_text import print_ranking, ranking_as_json
    from whichhalf.reporting.terminal_text import open_console, write_json
    from whichhalf.retrieval.family import Conventions

    conventions = Conventions(relevance_threshold, duplicates)
    scores = score_ranking_files(qrels, run, metric or _USUAL, ties=ties, gain=gain, conventions=conventions)
    if as_json:
        write_json(ranking_as_json(scores, per_question))
    else:
        print_ranking(open_console(), scores, per_question)
