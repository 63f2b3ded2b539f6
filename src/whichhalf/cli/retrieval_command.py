"""whichhalf retrieval --qrels Q --run R"""

from pathlib import Path
from typing import Annotated

import typer

from whichhalf.core.options import Duplicates, Gain, Missing, Ties, Unjudged

_USUAL = ["recall@5", "recall@10", "precision@5", "hit_rate@5", "rr", "ap", "ndcg@10"]


def retrieval(
    qrels: Annotated[Path, typer.Option(help="Labels: TREC qrels, .csv, .tsv, .jsonl or a BEIR folder.")],
    run: Annotated[Path, typer.Option(help="Rankings: a TREC run, .csv, .tsv or .jsonl.")],
    metric: Annotated[list[str] | None, typer.Option("--metric", "-m", help="May be repeated.")] = None,
    ties: Annotated[Ties | None, typer.Option(help="Equal scores: trec_eval's order or the file's.")] = None,
    gain: Annotated[Gain, typer.Option(help="Gain of a grade in ndcg.")] = "exponential",
    relevance_threshold: Annotated[int, typer.Option(min=1, help="Lowest grade that counts as relevant.")] = 1,
    duplicates: Annotated[Duplicates, typer.Option(help="What a repeated id does.")] = "first_copy",
    unjudged: Annotated[Unjudged, typer.Option(help="What a passage without a label is.")] = "not_relevant",
    missing: Annotated[Missing, typer.Option(help="What a labelled question without output is.")] = "zero",
    micro: Annotated[bool, typer.Option("--micro", help="Micro means of recall, precision and hit rate too.")] = False,
    per_question: Annotated[bool, typer.Option("--per-question", help="One row a question as well.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable result on stdout.")] = False,
) -> None:
    """The retrieval metrics alone: plain arithmetic on ids, no judge. Equal scores go trec_eval's way.

    A file is read by its ending, gzipped or not, and the two may be of different kinds. A .csv or .tsv has a header:
    question, passage and grade (labels), question, passage and score or rank (rankings), query-id, corpus-id and
    score (labels of BEIR), or the columns of a golden set or of outputs. A .jsonl is a golden set or outputs. Anything
    else is TREC.

    Examples:

    whichhalf retrieval --qrels qrels.txt --run bm25.txt

    whichhalf retrieval --qrels qrels.txt --run bm25.txt -m ndcg@10 -m recall@100 --gain linear --json

    whichhalf retrieval --qrels beir/qrels/test.tsv --run ranking.csv
    """
    from whichhalf.catalogue import beside_ndcg
    from whichhalf.jobs.ranking import score_ranking_files
    from whichhalf.reporting.ranking_text import print_ranking, ranking_as_json
    from whichhalf.reporting.terminal_text import open_console, plain, write_json
    from whichhalf.retrieval.family import Conventions

    conventions = Conventions(relevance_threshold, duplicates, unjudged, missing)
    stderr = open_console(stderr=True)
    scores = score_ranking_files(
        qrels,
        run,
        beside_ndcg(metric or _USUAL),
        ties=ties,
        gain=gain,
        conventions=conventions,
        tell=lambda notice: stderr.print(f"note: {plain(notice)}", soft_wrap=True),
    )
    if as_json:
        write_json(ranking_as_json(scores, per_question))
    else:
        print_ranking(open_console(), scores, per_question=per_question, micro=micro)
