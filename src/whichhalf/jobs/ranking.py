"""Score ranking files against label files."""

from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from whichhalf.core.options import Gain, Ties
from whichhalf.datasets.file_kind import file_kind
from whichhalf.datasets.golden import load_golden
from whichhalf.datasets.outputs import load_outputs
from whichhalf.datasets.pair_tables import read_label_table, read_ranking_table
from whichhalf.datasets.trec import read_qrels, read_run
from whichhalf.errors import Fault, InputError
from whichhalf.retrieval.family import Conventions
from whichhalf.retrieval.judge_frames import judge_frames
from whichhalf.running.evaluate_ranking import RankingScores, evaluate_ranking, score_judged

Labels = dict[str, dict[str, int]]
Rankings = dict[str, list[str]]


def score_ranking_files(
    qrels: Path,
    run: Path,
    metrics: Sequence[str],
    *,
    ties: Ties | None = None,
    gain: Gain = "exponential",
    conventions: Conventions | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> RankingScores:
    """Labels: TREC qrels, a table, a golden set or a BEIR folder. Rankings: a TREC run, a table or outputs.

    Lists of outputs keep their order; `ties` is for scores and is `trec` by default. `tell` is called with each
    notice of the files. Raises InputError listing the faults of the first file that has any.
    """
    conventions = conventions or Conventions()
    notices: list[str] = []
    labels = _read_labels(qrels, notices)
    rankings = _read_rankings(run, notices)
    for notice in notices:
        tell(notice)
    if isinstance(labels, pl.DataFrame) and isinstance(rankings, pl.DataFrame):
        return _score_frames(labels, rankings, metrics, ties or "trec", gain, conventions)
    return evaluate_ranking(
        _by_question(labels) if isinstance(labels, pl.DataFrame) else labels,
        _in_order(rankings, ties or "trec") if isinstance(rankings, pl.DataFrame) else rankings,
        metrics,
        gain=gain,
        conventions=conventions,
    )


def _read_labels(path: Path, notices: list[str]) -> pl.DataFrame | Labels:
    match file_kind(path):
        case "trec":
            return read_qrels(path)
        case "pairs":
            return read_label_table(path)
        case "rows":
            golden = load_golden(path)
            notices += golden.notices
            return {question.id: question.relevant for question in golden.questions}


def _read_rankings(path: Path, notices: list[str]) -> pl.DataFrame | Rankings:
    match file_kind(path):
        case "trec":
            return read_run(path)
        case "pairs":
            return read_ranking_table(path, notices)
        case "rows":
            return _logged_rankings(path, notices)


def _logged_rankings(path: Path, notices: list[str]) -> Rankings:
    outputs = load_outputs(path)
    notices += outputs.notices
    rankings: Rankings = {}
    for question, row in outputs.rows.items():
        passages = row.reranked if row.reranked is not None else row.retrieved
        if passages is None and row.error is None:
            raise InputError(Fault(f"output {question!r} logs no retrieved passages", str(path)))
        rankings[question] = [passage.id for passage in passages or ()]
    return rankings


def _score_frames(
    labels: pl.DataFrame,
    rankings: pl.DataFrame,
    metrics: Sequence[str],
    ties: Ties,
    gain: Gain,
    conventions: Conventions,
) -> RankingScores:
    judged = judge_frames(
        labels,
        rankings,
        relevance_threshold=conventions.relevance_threshold,
        duplicates=conventions.duplicates,
        ties=ties,
    )
    return score_judged(
        judged.rankings,
        judged.questions,
        metrics,
        gain=gain,
        conventions=conventions,
        without_output=judged.without_output,
        without_labels=judged.without_labels,
    )


def _by_question(labels: pl.DataFrame) -> Labels:
    found: Labels = {}
    for question, passage, grade in labels.iter_rows():
        found.setdefault(question, {})[passage] = grade
    return found


def _in_order(rankings: pl.DataFrame, ties: Ties) -> Rankings:
    """The passages of each question, best first, with questions in file order."""
    by = ["score", "passage"] if ties == "trec" else ["score"]
    ordered = rankings.sort(by, descending=True, maintain_order=True)
    found: Rankings = {question: [] for question in rankings["question"].unique(maintain_order=True)}
    for question, passage in ordered.select("question", "passage").iter_rows():
        found[question].append(passage)
    return found
