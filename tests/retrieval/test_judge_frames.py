"""Labels and rankings as tables give what the same data gives as dictionaries."""

from typing import get_args

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.core.options import Ties
from whichhalf.errors import InputError
from whichhalf.retrieval.judge_frames import judge_frames
from whichhalf.retrieval.judged_rankings import judge_scores

QUESTIONS = st.sampled_from(["q1", "q2", "q3"])
PASSAGES = st.sampled_from("abcdef")
QRELS = st.dictionaries(QUESTIONS, st.dictionaries(PASSAGES, st.integers(-1, 3), min_size=1), min_size=1)
RUNS = st.dictionaries(QUESTIONS, st.dictionaries(PASSAGES, st.sampled_from([0.0, 1.0, 2.5]), min_size=1), min_size=1)


def frame(rows: dict[str, dict[str, int]] | dict[str, dict[str, float]], number: str) -> pl.DataFrame:
    triples = [(question, passage, value) for question, row in rows.items() for passage, value in row.items()]
    kind = pl.Int64 if number == "grade" else pl.Float64
    return pl.DataFrame(triples, schema={"question": pl.String, "passage": pl.String, number: kind}, orient="row")


@given(qrels=QRELS, run=RUNS, ties=st.sampled_from(get_args(Ties)))
def test_tables_equal_dictionaries(
    qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], ties: Ties
) -> None:
    if not qrels.keys() & run.keys():
        with pytest.raises(InputError, match="no question of the run has labels"):
            judge_frames(frame(qrels, "grade"), frame(run, "score"), ties=ties)
        return
    found = judge_frames(frame(qrels, "grade"), frame(run, "score"), ties=ties)
    expected = judge_scores([run.get(question, {}) for question in qrels], list(qrels.values()), ties=ties)
    assert found.questions == list(qrels)
    for column in ("lengths", "question", "rank", "grade", "label_question", "label_grade", "duplicate_counts"):
        assert getattr(found.rankings, column).tolist() == getattr(expected, column).tolist(), column
    assert set(found.without_output) == qrels.keys() - run.keys()
    assert set(found.without_labels) == run.keys() - qrels.keys()


def test_the_order_of_lines_plays_no_part_where_scores_differ() -> None:
    qrels = pl.DataFrame({"question": ["q1", "q2"], "passage": ["a", "b"], "grade": [1, 1]})
    run = pl.DataFrame(
        {
            "question": ["q2", "q1", "q2", "q1"],
            "passage": ["b", "a", "x", "x"],
            "score": [1.0, 1.0, 2.0, 0.5],
        }
    )
    found = judge_frames(qrels, run).rankings
    assert found.question.tolist() == [0, 1]
    assert found.rank.tolist() == [1, 2]
    assert found.lengths.tolist() == [2, 2]


COPIES = pl.DataFrame(
    {"question": ["q"] * 4, "passage": ["x", "a", "x", "a"], "score": [4.0, 2.0, 3.0, 1.0]},
)
LABEL = pl.DataFrame({"question": ["q"], "passage": ["a"], "grade": [1]})


def test_a_repeated_passage_earns_once_and_keeps_its_place() -> None:
    found = judge_frames(LABEL, COPIES).rankings
    assert (found.rank.tolist(), found.lengths.tolist(), found.duplicate_counts.tolist()) == ([3], [4], [2])


def test_collapsed_copies_free_their_place() -> None:
    found = judge_frames(LABEL, COPIES, duplicates="collapse").rankings
    assert (found.rank.tolist(), found.lengths.tolist(), found.duplicate_counts.tolist()) == ([2], [2], [2])


def test_copies_are_refused_on_request() -> None:
    with pytest.raises(InputError, match="passage 'x' is ranked more than once"):
        judge_frames(LABEL, COPIES, duplicates="error")
