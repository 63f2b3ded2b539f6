"""The same numbers as trec_eval, asked through pytrec_eval, and the three differences on purpose."""

from typing import Any

import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.running.evaluate_ranking import evaluate_ranking

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

CUTS = (1, 2, 3, 5, 10)
SAME = {
    "rr": "recip_rank",
    "ap": "map",
    **{f"recall@{k}": f"recall_{k}" for k in CUTS},
    **{f"precision@{k}": f"P_{k}" for k in CUTS},
    **{f"hit_rate@{k}": f"success_{k}" for k in CUTS},
    **{f"ap@{k}": f"map_cut_{k}" for k in CUTS},
    **{f"ndcg(gain=linear)@{k}": f"ndcg_cut_{k}" for k in CUTS},
}
"""Our name → theirs."""
MEASURES = {"recip_rank", "map"} | {
    f"{name}.{','.join(map(str, CUTS))}" for name in ("recall", "P", "success", "map_cut", "ndcg_cut")
}

QUESTIONS = st.sampled_from(["q1", "q2", "q3"])
PASSAGES = st.sampled_from([*"abcdefgh", "B", "9", "10", "é"])
LABELS = st.dictionaries(PASSAGES, st.integers(0, 4), min_size=1)
SCORES = st.integers(-8, 8).map(lambda quarters: quarters / 4)
"""With many ties, and exact in 32 bits."""
QRELS = st.dictionaries(QUESTIONS, LABELS.filter(lambda grades: any(grades.values())), min_size=1)
RUNS = st.dictionaries(QUESTIONS, st.dictionaries(PASSAGES, SCORES, min_size=1), min_size=1)


def theirs(qrels: Qrels, run: Run) -> dict[str, dict[str, float]]:
    found: Any = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run)
    return {question: {ours: row[name] for ours, name in SAME.items()} for question, row in found.items()}


def ours(qrels: Qrels, run: Run) -> dict[str, dict[str, float | None]]:
    found = evaluate_ranking(qrels, run, list(SAME), ties="trec", gain="linear").per_question
    return {
        question: {name.removesuffix("[retrieved]"): value for name, value in row.items()}
        for question, row in found.items()
    }


@given(qrels=QRELS, run=RUNS)
def test_every_question_that_both_score_is_the_same(qrels: Qrels, run: Run) -> None:
    shared = qrels.keys() & run.keys()
    if not shared:
        return
    expected, found = theirs(qrels, run), ours(qrels, run)
    assert expected.keys() == shared
    for question in shared:
        assert found[question] == pytest.approx(expected[question], abs=1e-9, rel=0)


@given(qrels=QRELS, ranked=st.permutations("abcdefgh"))
def test_a_list_is_the_same_as_falling_scores(qrels: Qrels, ranked: list[str]) -> None:
    lists = dict.fromkeys(qrels, ranked)
    falling = {question: {one: -float(rank) for rank, one in enumerate(ranked)} for question in qrels}
    found = evaluate_ranking(qrels, lists, list(SAME))
    assert found.per_question.keys() == theirs(qrels, falling).keys()
    for question, row in theirs(qrels, falling).items():
        assert list(found.per_question[question].values()) == pytest.approx(list(row.values()), abs=1e-9, rel=0)


def test_difference_1_a_question_without_relevant_labels() -> None:
    """trec_eval gives 0 and counts it in its means; here it has no numeric answer and is counted apart."""
    qrels: Qrels = {"q1": {"a": 0}, "q2": {"a": 1}}
    run: Run = {"q1": {"a": 1.0}, "q2": {"a": 1.0}}
    assert set(theirs(qrels, run)["q1"].values()) == {0.0}
    assert set(ours(qrels, run)["q1"].values()) == {None}
    scores = evaluate_ranking(qrels, run, ["recall@1"], ties="trec")
    assert scores.means == {"recall@1[retrieved]": 1.0}
    assert scores.summary["recall@1[retrieved]"].undefined == {"no_relevant_labels": 1}


def test_difference_2_a_question_missing_from_the_run() -> None:
    """trec_eval leaves it out unless asked with -c; here it is 0, in the mean, and listed."""
    qrels: Qrels = {"q1": {"a": 1}, "q2": {"a": 1}}
    run: Run = {"q1": {"a": 1.0}}
    assert theirs(qrels, run).keys() == {"q1"}
    assert set(ours(qrels, run)["q2"].values()) == {0.0}
    scores = evaluate_ranking(qrels, run, ["recall@1"], ties="trec")
    assert scores.means == {"recall@1[retrieved]": 0.5}
    assert scores.without_output == ("q2",)


def test_difference_3_scores_that_are_equal_in_32_bits_only() -> None:
    """trec_eval keeps 32-bit scores, sees a tie and goes by id; here the higher score stands first."""
    qrels: Qrels = {"q1": {"a": 1}}
    run: Run = {"q1": {"a": 1.00000001, "b": 1.0}}
    assert theirs(qrels, run)["q1"]["rr"] == 0.5
    assert ours(qrels, run)["q1"]["rr"] == 1.0
