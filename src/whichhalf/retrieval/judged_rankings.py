"""Rankings seen through the labels of their questions, as columns: what every retrieval metric is computed from."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise, repeat
from math import nan

import numpy as np
import numpy.typing as npt

from whichhalf.core.options import Duplicates, Ties
from whichhalf.errors import InputError

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Labels = Mapping[str, int]

_CHUNK = 128
"""Rankings compared at once: their scores fit the processor's cache."""


@dataclass(frozen=True, eq=False)
class JudgedRankings:
    """n rankings. Ranks start at 1; arrays of labelled passages are sorted by question, then rank or grade."""

    lengths: Ints
    """(n,) positions in each ranking, duplicates included unless they were collapsed."""
    duplicate_counts: Ints
    """(n,) positions that repeat an earlier id."""
    question: Ints
    """(m,) question of every labelled passage that came back, first copies only."""
    rank: Ints
    """(m,) its rank."""
    grade: Ints
    """(m,) its grade."""
    label_question: Ints
    """(l,) question of every label, found or not."""
    label_grade: Ints
    """(l,) its grade; highest first within a question."""
    relevance_threshold: int = 1

    def __len__(self) -> int:
        return len(self.lengths)

    def count(self, questions: Ints) -> Ints:
        """(n,) how often each question occurs."""
        return np.bincount(questions, minlength=len(self)).astype(np.int64, copy=False)

    def total(self, questions: Ints, weights: Floats) -> Floats:
        """(n,) sum of the weights of each question, in array order."""
        return np.bincount(questions, weights, minlength=len(self)).astype(np.float64, copy=False)

    @cached_property
    def is_hit(self) -> Bools:
        """(m,) whether the passage is relevant."""
        return self.grade >= self.relevance_threshold

    @cached_property
    def hit_question(self) -> Ints:
        return self.question[self.is_hit]

    @cached_property
    def hit_rank(self) -> Ints:
        return self.rank[self.is_hit]

    @cached_property
    def hit_number(self) -> Ints:
        """1 for the first hit of its question, 2 for the second, …"""
        return number_within(self.hit_question, len(self))

    @cached_property
    def first_hit_rank(self) -> Ints:
        """(n,) rank of the first hit; 0 where there is none."""
        first = self.hit_number == 1
        ranks = np.zeros(len(self), np.int64)
        ranks[self.hit_question[first]] = self.hit_rank[first]
        return ranks

    @cached_property
    def relevant_count(self) -> Ints:
        """(n,) all relevant passages, found or not."""
        return self.count(self.label_question[self.label_grade >= self.relevance_threshold])

    @cached_property
    def has_gain(self) -> Bools:
        """(n,) whether any label of the question has a positive grade."""
        return self.count(self.label_question[self.label_grade > 0]) > 0

    def without_unjudged(self) -> "JudgedRankings":
        """The same rankings with every unlabelled passage, and every repeated one, taken out before ranks are counted.

        Source: Sakai, Alternatives to Bpref, SIGIR 2007 (condensed lists).
        """
        return replace(self, lengths=self.count(self.question), rank=number_within(self.question, len(self)))

    def only(self, kept: Bools) -> "JudgedRankings":
        """The rankings of some of the questions, (n,), renumbered."""
        number = np.cumsum(kept) - 1
        ranked, labelled = kept[self.question], kept[self.label_question]
        return JudgedRankings(
            self.lengths[kept],
            self.duplicate_counts[kept],
            number[self.question[ranked]],
            self.rank[ranked],
            self.grade[ranked],
            number[self.label_question[labelled]],
            self.label_grade[labelled],
            self.relevance_threshold,
        )

    def hits_within(self, k: int | None) -> Ints:
        """(n,) relevant passages in the first k; in the whole ranking when k is None."""
        return self.count(self.hit_question if k is None else self.hit_question[self.hit_rank <= k])


def ratio(above: Ints | Floats, below: Ints | Floats) -> Floats:
    """above ÷ below; 0 where below is 0."""
    return np.divide(above, below, out=np.zeros(len(above)), where=below != 0)


def number_within(questions: Ints, n: int) -> Ints:
    """Running number, from 1, of each entry within its question. `questions` is sorted."""
    return np.arange(1, len(questions) + 1) - _starts(questions, n)[questions]


def total_within(questions: Ints, amounts: Ints, n: int) -> Ints:
    """Running sum of the amounts within each question, the entry itself included. `questions` is sorted."""
    totals = np.concatenate(([0], np.cumsum(amounts)))
    return totals[1:] - totals[_starts(questions, n)[questions]]


def _starts(questions: Ints, n: int) -> Ints:
    """(n + 1,) where each question's entries begin."""
    return np.concatenate(([0], np.cumsum(np.bincount(questions, minlength=n))))


def judge_lists(
    rankings: Sequence[Sequence[str]],
    labels: Sequence[Labels],
    *,
    relevance_threshold: int = 1,
    duplicates: Duplicates = "first_copy",
) -> JudgedRankings:
    """Rankings given as lists of ids, best first, with the labels of their questions.

    A repeated id keeps its position but only its first copy earns credit (`first_copy`); `collapse` drops later
    copies before ranks are counted; `error` raises InputError naming the id.
    """
    lengths: list[int] = []
    copies: list[int] = []
    question: list[int] = []
    rank: list[int] = []
    grade: list[int] = []
    for number, (ids, grades) in enumerate(zip(rankings, labels, strict=True)):
        distinct = dict.fromkeys(ids)
        repeated = len(ids) - len(distinct)
        if repeated and duplicates == "error":
            raise InputError(f"passage {first_repeated(ids)!r} is ranked more than once")
        order = list(distinct) if repeated and duplicates == "collapse" else ids
        places = [(place, one) for place, one in enumerate(order, start=1) if one in grades]
        if repeated and duplicates == "first_copy":
            firsts: dict[str, int] = {}
            for place, one in places:
                firsts.setdefault(one, place)
            places = [(place, one) for one, place in firsts.items()]
        question.extend([number] * len(places))
        rank.extend(place for place, _ in places)
        grade.extend(grades[one] for _, one in places)
        lengths.append(len(order))
        copies.append(repeated)
    label_question, label_grade = label_columns(labels)
    return JudgedRankings(
        np.array(lengths, np.int64),
        np.array(copies, np.int64),
        np.array(question, np.int64),
        np.array(rank, np.int64),
        np.array(grade, np.int64),
        label_question,
        label_grade,
        relevance_threshold,
    )


def judge_scores(
    scored: Sequence[Mapping[str, float]],
    labels: Sequence[Labels],
    *,
    relevance_threshold: int = 1,
    ties: Ties = "input",
) -> JudgedRankings:
    """Rankings given as maps from id to score, higher first, without sorting any: only labelled ids need a rank.

    Raises InputError for a score that is not a finite number.
    """
    n = len(scored)
    lengths = np.fromiter(map(len, scored), np.int64, n)
    scores = np.fromiter(chain.from_iterable(one.values() for one in scored), np.float64, int(lengths.sum()))
    question, grade = _labels_in_order(labels)
    looked_up = (map(one.get, grades, repeat(nan)) for one, grades in zip(scored, labels, strict=True))
    own = np.fromiter(chain.from_iterable(looked_up), np.float64, len(question))  # NaN: not returned
    found = ~np.isnan(own)
    best_first = np.lexsort((-grade, question))
    label_question, label_grade = question[best_first], grade[best_first]

    def tied_before(at: int) -> int:
        """How many passages of the same score stand before this label."""
        row = scored[question[at]]
        same = [one for one, value in row.items() if value == own[at]]
        passage = list(labels[question[at]])[at - int(np.searchsorted(question, question[at]))]
        return sum(one > passage for one in same) if ties == "trec" else same.index(passage)

    rank = ranks_by_score(scores, lengths, question, own, np.flatnonzero(found), tied_before)
    question, grade = question[found], grade[found]
    order = np.lexsort((rank, question))
    return JudgedRankings(
        lengths,
        np.zeros(n, np.int64),
        question[order],
        rank[order],
        grade[order],
        label_question,
        label_grade,
        relevance_threshold,
    )


def ranks_by_score(
    scores: Floats,
    lengths: Ints,
    question: Ints,
    own: Floats,
    wanted: Ints,
    tied_before: Callable[[int], int],
) -> Ints:
    """Ranks of some passages: 1 + the higher scores of their question + those of the same score before them.

    `scores` holds the rankings one after the other, `lengths` their lengths; `question` (sorted) and `own` the
    question and score of passages, of which those at `wanted` are ranked; `tied_before` is asked only about ties.
    Raises InputError for a score that is not a finite number.
    """
    if not np.isfinite(scores).all():
        raise InputError("a score is not a finite number")
    above, equal = _count_above(scores, lengths, question[wanted], own[wanted])
    for at in np.flatnonzero(equal > 1):
        above[at] += tied_before(int(wanted[at]))
    return above + 1


def _count_above(scores: Floats, lengths: Ints, question: Ints, own: Floats) -> tuple[Ints, Ints]:
    """For each passage: how many scores of its question are higher, and how many are equal, its own included."""
    above, equal = np.zeros(len(own), np.int64), np.zeros(len(own), np.int64)
    starts = np.concatenate(([0], np.cumsum(lengths)))
    bounds = np.searchsorted(question, np.arange(0, len(lengths) + _CHUNK, _CHUNK))
    for chunk, (low, high) in enumerate(pairwise(bounds)):
        first, last = chunk * _CHUNK, min((chunk + 1) * _CHUNK, len(lengths))
        table = _padded(scores[starts[first] : starts[last]], lengths[first:last])
        local = question[low:high] - first
        turns = number_within(local, last - first)
        for turn in range(1, int(turns.max(initial=0)) + 1):
            now = np.flatnonzero(turns == turn)
            cells, mine = table[local[now]], own[low + now, None]
            above[low + now] = (cells > mine).sum(axis=1)
            equal[low + now] = (cells == mine).sum(axis=1)
    return above, equal


def _padded(values: Floats, lengths: Ints) -> Floats:
    """Rows of different length as one table, filled with −∞."""
    width = int(lengths.max(initial=0))
    if (lengths == width).all():
        return values.reshape(len(lengths), width)
    table = np.full((len(lengths), width), -np.inf)
    table[np.arange(width) < lengths[:, None]] = values
    return table


def label_columns(labels: Sequence[Labels]) -> tuple[Ints, Ints]:
    """Question and grade of every label, sorted by question, then grade, highest first."""
    question, grade = _labels_in_order(labels)
    order = np.lexsort((-grade, question))
    return question[order], grade[order]


def _labels_in_order(labels: Sequence[Labels]) -> tuple[Ints, Ints]:
    question = np.repeat(np.arange(len(labels)), np.fromiter(map(len, labels), np.int64, len(labels)))
    return question, np.fromiter(chain.from_iterable(one.values() for one in labels), np.int64, len(question))


def first_repeated(ids: Iterable[str]) -> str | None:
    """The first id that occurs a second time; None when all differ."""
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            return one
        seen.add(one)
    return None
