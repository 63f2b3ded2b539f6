"""The same numbers as trec_eval, asked through pytrec_eval, and the three differences on purpose."""

from typing import Any

import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from whichhalf.catalogue import trec_name_of
from whichhalf.core.metric import MetricName
from whichhalf.running.evaluate_ranking import evaluate_ranking

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

CUTS = (1, 2, 3, 5, 10)
LEVELS = ("0", "0.5", "1")
NAMES = [
    *("rr", "ap", "ndcg(gain=linear)", "r_precision", "bpref", "infap", "set_precision", "set_recall", "set_f1"),
    *(f"{name}@{k}" for name in ("recall", "precision", "hit_rate", "ap", "ndcg(gain=linear)") for k in CUTS),
    *(f"iprec(recall={level})" for level in LEVELS),
]
SAME = {name: trec_name_of(MetricName.parse(name)) for name in NAMES}
"""Our name → theirs, as the catalogue prints it."""
MEASURES = {"recip_rank", "map", "ndcg", "Rprec", "bpref", "infAP", "set_P", "set_recall", "set_F"} | {
    f"{name}.{','.join(map(str, CUTS))}" for name in ("recall", "P", "success", "map_cut", "ndcg_cut")
}
MEASURES |= {f"iprec_at_recall.{','.join(f'{float(level):.2f}' for level in LEVELS)}"}

QUESTIONS = st.sampled_from(["q1", "q2", "q3"])
PASSAGES = st.sampled_from([*"abcdefgh", "B", "9", "10", "é"])
LABELS = st.dictionaries(PASSAGES, st.integers(-2, 4), min_size=1)
SCORES = st.integers(-8, 8).map(lambda quarters: quarters / 4)
"""With many ties, and exact in 32 bits."""
QRELS = st.dictionaries(
    QUESTIONS, LABELS.filter(lambda grades: any(grade > 0 for grade in grades.values())), min_size=1
)
RUNS = st.dictionaries(QUESTIONS, st.dictionaries(PASSAGES, SCORES, min_size=1), min_size=1)


def theirs(qrels: Qrels, run: Run) -> dict[str, dict[str, float]]:
    found: Any = pytrec_eval.RelevanceEvaluator(qrels, MEASURES).evaluate(run)
    return {question: {ours: row[name] for ours, name in SAME.items()} for question, row in found.items()}


def ours(qrels: Qrels, run: Run) -> dict[str, dict[str, float | None]]:
    found = evaluate_ranking(qrels, run, list(SAME), ties="trec", gain="linear").per_question
    return {question: {name: row[f"{name}[retrieved]"] for name in NAMES} for question, row in found.items()}


@settings(max_examples=5000)
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
        ours_of = {name: found.per_question[question][f"{name}[retrieved]"] for name in NAMES}
        assert ours_of == pytest.approx(row, abs=1e-9, rel=0)


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


def test_difference_4_a_recall_level_between_two_passages() -> None:
    """2 of 3 is a recall of 0.667. trec_eval rounds 0.7 × 3 down to 2 passages; here 0.7 is not reached."""
    qrels: Qrels = {"q1": {"a": 1, "b": 1, "c": 1}}
    run: Run = {"q1": {"a": 2.0, "b": 1.0}}
    found: Any = pytrec_eval.RelevanceEvaluator(qrels, {"iprec_at_recall.0.70"}).evaluate(run)
    assert found["q1"]["iprec_at_recall_0.70"] == 1.0
    assert evaluate_ranking(qrels, run, ["iprec(recall=0.7)"]).means == {"iprec(recall=0.7)[retrieved]": 0.0}


def test_difference_3_scores_that_are_equal_in_32_bits_only() -> None:
    """trec_eval keeps 32-bit scores, sees a tie and goes by id; here the higher score stands first."""
    qrels: Qrels = {"q1": {"a": 1}}
    run: Run = {"q1": {"a": 1.00000001, "b": 1.0}}
    assert theirs(qrels, run)["q1"]["rr"] == 0.5
    assert ours(qrels, run)["q1"]["rr"] == 1.0
