"""Meet labels and rankings that come as tables, without a Python object for every row."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from whichhalf.core.options import Duplicates, Ties
from whichhalf.errors import InputError
from whichhalf.retrieval.judged_rankings import Bools, Floats, Ints, JudgedRankings, ranks_by_score


@dataclass(frozen=True, slots=True, eq=False)
class JudgedFrames:
    """Rankings with the ids of their questions."""

    rankings: JudgedRankings
    questions: list[str]
    """Questions with labels, in the order of the labels."""
    without_output: tuple[str, ...]
    """Those the run does not have."""
    without_labels: tuple[str, ...]
    """Questions of the run that have no labels: left out."""


def judge_frames(
    qrels: pl.DataFrame,
    run: pl.DataFrame,
    *,
    relevance_threshold: int = 1,
    duplicates: Duplicates = "first_copy",
    ties: Ties = "trec",
) -> JudgedFrames:
    """`qrels` has the columns question, passage, grade; `run` question, passage, score.

    Raises InputError when no question is in both, or for a repeated passage where duplicates are errors.
    """
    questions = qrels["question"].unique(maintain_order=True)
    codes = pl.DataFrame({"question": questions, "code": np.arange(len(questions))})
    labels = _with_key(qrels.join(codes, on="question").select("code", "passage", "grade"))
    run, strangers = _coded(run, codes)
    run = _with_key(run)
    if run.is_empty():
        raise InputError("no question of the run has labels: check that both use the same ids")
    copies = _copies(run, len(questions))
    if copies.any() and duplicates == "error":
        repeated = run.filter(run.select("code", "passage").is_duplicated()).row(0, named=True)
        raise InputError(f"passage {repeated['passage']!r} is ranked more than once")
    if copies.any() and duplicates == "collapse":
        run = run.sort("score", descending=True, maintain_order=True)
        run = run.unique(["code", "passage"], keep="first", maintain_order=True).sort("code", maintain_order=True)
    lengths = np.bincount(run["code"], minlength=len(questions))
    found = _labelled_rows(run, labels)
    question, grade = found["code"].to_numpy(), found["grade"].to_numpy()
    rank = _ranks(run, found, lengths, ties)
    order = np.lexsort((rank, question))
    if copies.any():
        order = order[_is_first(found[order])]
    label_order = np.lexsort((-labels["grade"].to_numpy(), labels["code"].to_numpy()))
    rankings = JudgedRankings(
        lengths,
        copies,
        question[order],
        rank[order],
        grade[order],
        labels["code"].to_numpy()[label_order],
        labels["grade"].to_numpy()[label_order],
        relevance_threshold,
    )
    silent = questions.filter(pl.Series(lengths == 0))
    return JudgedFrames(rankings, questions.to_list(), tuple(silent), tuple(strangers))


def _coded(run: pl.DataFrame, codes: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """The run with the number of each row's question, sorted by it, and the questions that have no labels."""
    stretch = run["question"].rle_id()
    heads = run["question"].gather(stretch.arg_unique() if len(run) else [])
    known = heads.to_frame().join(codes, on="question", how="left", maintain_order="left")["code"].fill_null(-1)
    code = known.gather(stretch)
    coded = run.select("passage", "score").with_columns(code.alias("code"))
    if (known == -1).any():
        coded = coded.filter(pl.col("code") >= 0)
    if not coded["code"].is_sorted():
        coded = coded.sort("code", maintain_order=True)
    return coded, heads.filter(known == -1).unique(maintain_order=True)


def _with_key(rows: pl.DataFrame) -> pl.DataFrame:
    """One number for question and passage: equal pairs have equal keys, and unequal ones almost never."""
    return rows.with_columns((pl.col("passage").hash() + pl.col("code").hash() * 3).alias("key"))


def _copies(run: pl.DataFrame, n: int) -> Ints:
    """(n,) rows of each question that repeat a passage."""
    if run["key"].n_unique() == len(run):
        return np.zeros(n, np.int64)
    return np.bincount(run["code"].to_numpy()[~_is_first(run)], minlength=n)


def _is_first(rows: pl.DataFrame) -> Bools:
    """Whether each row is the first with its question and passage."""
    return rows.select(pl.struct("code", "passage").is_first_distinct()).to_series().to_numpy()


def _labelled_rows(run: pl.DataFrame, labels: pl.DataFrame) -> pl.DataFrame:
    """Rows whose passage is labelled for their question, with row number and grade, sorted by row."""
    some = run.with_row_index("row").filter(pl.col("key").is_in(labels["key"].implode()))
    return some.join(labels.drop("key"), on=["code", "passage"]).sort("row")


def _ranks(run: pl.DataFrame, found: pl.DataFrame, lengths: Ints, ties: Ties) -> Ints:
    starts = np.concatenate(([0], np.cumsum(lengths)))
    scores = run["score"].to_numpy()
    question: Ints
    question, row, own = (found[name].to_numpy() for name in ("code", "row", "score"))
    if not np.isfinite(scores).all():
        raise InputError("a score is not a finite number")

    def tied_before(at: int) -> int:
        """How many passages of the same score stand before this one."""
        start, stop = starts[question[at]], starts[question[at] + 1]
        same = start + np.flatnonzero(scores[start:stop] == own[at])
        if ties == "input":
            return int((same < row[at]).sum())
        passages = run["passage"].gather(same)
        mine = found["passage"][at]
        higher = int((passages > mine).sum())
        return higher + int(((passages == mine).to_numpy() & (same < row[at])).sum())

    if (falling := _falling_places(scores, starts, row)) is None:
        return ranks_by_score(scores, lengths, question, own, np.arange(len(own)), tied_before)
    first, last = falling
    rank: Ints = first - starts[question] + 1
    for at in np.flatnonzero(last > first):
        rank[at] += tied_before(int(at))
    return rank


def _falling_places(scores: Floats, starts: Ints, row: Ints) -> tuple[Ints, Ints] | None:
    """Of the rows of the same question and score as each given row, the first and the last.

    None unless scores never rise within a question, as in most run files: then the places have to be counted.
    """
    change = np.ones(len(scores) + 1, bool)
    change[1:-1] = scores[1:] != scores[:-1]
    change[starts] = True
    rises = scores[1:] > scores[:-1]
    borders = starts[(starts > 0) & (starts < len(scores))] - 1
    rises[borders] = False
    if rises.any():
        return None
    bounds = np.flatnonzero(change)
    run_of = np.searchsorted(bounds, row, side="right") - 1
    return bounds[run_of], bounds[run_of + 1] - 1
