"""Conventions on request: unjudged passages taken out, questions without output left out, copies as one passage."""

from typing import Any, cast

import pytest

from whichhalf.catalogue import Choices, build_metric
from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.outcome import Scored, Undefined
from whichhalf.datasets.golden import GoldenSet
from whichhalf.datasets.outputs import Outputs
from whichhalf.datasets.rows import OutputRow
from whichhalf.errors import InputError
from whichhalf.retrieval.family import Conventions
from whichhalf.running.evaluate import evaluate
from whichhalf.running.evaluate_ranking import evaluate_ranking
from whichhalf.running.score_rankings import score_rankings

REMOVED = Conventions(unjudged="removed")
SKIP = Conventions(missing="skip")
QRELS = {"q1": {"a": 1, "n": 0}, "q2": {"b": 1}}


def test_unjudged_passages_are_taken_out_before_ranks_are_counted() -> None:
    """x, y and the second copy of n go; n, a stay at ranks 1 and 2."""
    run = {"q1": ["x", "n", "y", "n", "a"], "q2": ["y"]}
    names = ["rr", "precision@2", "ap", "judged@5", "set_precision"]
    before = evaluate_ranking(QRELS, run, names).per_question["q1"]
    assert list(before.values()) == [0.2, 0.0, 0.2, 0.4, 0.2]
    after = evaluate_ranking(QRELS, run, names, conventions=REMOVED).per_question
    assert list(after["q1"].values()) == [0.5, 0.5, 0.5, 1.0, 0.5]
    assert list(after["q2"].values()) == [0.0, 0.0, 0.0, 0.0, 0.0]


def test_the_same_for_a_case_and_for_scores() -> None:
    case = Case(
        question=Question(id="q1", text="?", relevant=QRELS["q1"]),
        retrieved=tuple(Passage(id=one) for one in ("x", "n", "a")),
    )
    assert build_metric("rr", Choices(conventions=REMOVED)).score(case) == Scored(value=0.5)
    run = {"q1": {"a": 1.0, "n": 2.0, "x": 3.0}}
    assert evaluate_ranking(QRELS, run, ["rr"], conventions=REMOVED).per_question["q1"] == {"rr[retrieved]": 0.5}


def test_questions_without_output_are_left_out_on_request() -> None:
    run = {"q1": ["a"]}
    zero = evaluate_ranking(QRELS, run, ["rr", "recall@1"])
    assert zero.means == {"rr[retrieved]": 0.5, "recall@1[retrieved]": 0.5}
    skipped = evaluate_ranking(QRELS, run, ["rr", "recall@1"], conventions=SKIP)
    assert skipped.means == {"rr[retrieved]": 1.0, "recall@1[retrieved]": 1.0}
    assert skipped.summary["recall@1[retrieved]"].micro == 1.0
    assert skipped.per_question.keys() == {"q1"}
    assert skipped.without_output == ("q2",)
    assert skipped.curve is not None
    assert skipped.curve.recall == (1.0,)


def test_an_output_with_nothing_retrieved_is_still_0() -> None:
    assert evaluate_ranking(QRELS, {"q1": ["a"], "q2": []}, ["rr"], conventions=SKIP).means == {"rr[retrieved]": 0.5}


def test_in_a_run_the_skipped_question_is_counted_as_undefined() -> None:
    cases = [
        Case(question=Question(id="q1", text="?", relevant={"a": 1}), retrieved=(Passage(id="a"),)),
        Case(question=Question(id="q2", text="?", relevant={"b": 1}), has_output=False),
    ]
    metric = cast(Any, build_metric("recall@1", Choices(conventions=SKIP)))
    scored = score_rankings(cases, [metric])
    assert scored.outcomes["recall@1[retrieved]"] == [Scored(value=1.0), Undefined(because="missing_output")]
    assert scored.micro == {"recall@1[retrieved]": 1.0}
    assert scored.curves["retrieved"].recall == (1.0,)


def test_contracts_name_them() -> None:
    contract = build_metric("rr", Choices(conventions=Conventions(unjudged="removed", missing="skip"))).card.contract
    assert "unjudged removed" in contract
    assert "questions without output left out" in contract


@pytest.mark.parametrize("name", ["unjudged", "missing"])
def test_unknown_words_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=f"{name} is one of"):
        Conventions(**{name: cast(Any, "perhaps")})


FEE = "The late fee is Rs 3,500 when the yearly income is above Rs 4 lakh, and it does not grow by the month."
QUESTION = Question(id="q1", text="?", relevant={"copy": 1, "b": 2})
GOLDEN = GoldenSet((QUESTION,))
OUTPUTS = Outputs({"q1": OutputRow.model_validate({"id": "q1", "retrieved": ["a", "x", "copy", "b"]})})
CORPUS = {
    "a": Passage(id="a", text=FEE),
    "x": Passage(id="x", text="Something else entirely stands here today."),
    "copy": Passage(id="copy", text=FEE.casefold()),
    "b": Passage(id="b", text="A refund earns interest of 0.4 % a month when it was filed in time."),
}


def test_near_duplicates_count_as_one_passage_on_request() -> None:
    """`copy` says what `a` says: labelled through it, `a` is relevant at rank 1, and the second copy earns nothing."""
    names = ["rr", "recall@3", "precision@3"]
    kept = evaluate(GOLDEN, OUTPUTS, names, corpus=CORPUS)
    assert [kept.summary[name].mean for name in names] == [1 / 3, 0.5, 1 / 3]
    asked = Conventions(near_duplicates="collapse")
    collapsed = evaluate(GOLDEN, OUTPUTS, names, corpus=CORPUS, conventions=asked)
    assert [collapsed.summary[name].mean for name in names] == [1.0, 0.5, 1 / 3]
    assert "1 passage(s) count as the near-duplicate they repeat" in collapsed.manifest.notices
    assert "near-duplicate texts are one passage" in collapsed.summary["rr"].contract


def test_collapsing_needs_the_texts() -> None:
    with pytest.raises(InputError, match=r"give \[data\] corpus"):
        evaluate(GOLDEN, OUTPUTS, ["rr"], conventions=Conventions(near_duplicates="collapse"))


def test_bug_040_labels_that_name_documents() -> None:
    """Both passages are of the labelled page: found once, at rank 1."""
    golden = GoldenSet((Question(id="q1", text="?", relevant={"page1": 1}),))
    rows = [{"id": "page1#c3", "doc": "page1"}, {"id": "page1#c9"}, {"id": "stray"}]
    outputs = Outputs({"q1": OutputRow.model_validate({"id": "q1", "retrieved": rows})})
    corpus = {"page1#c9": Passage(id="page1#c9", text="…", doc="page1")}
    asked = Conventions(unit="doc")
    run = evaluate(golden, outputs, ["recall@2", "precision@2", "rr"], corpus=corpus, conventions=asked)
    assert [summary.mean for summary in run.metrics.values()] == [1.0, 0.5, 1.0]
    assert "labels name documents, and a ranking their passages" in run.summary["rr"].contract
    with pytest.raises(InputError, match="which doc a passage belongs to"):
        evaluate(golden, OUTPUTS, ["rr"], conventions=asked)


def test_bug_028_ndcg_without_a_cut() -> None:
    scores = evaluate_ranking({"q": {"a": 1, "b": 1, "c": 1}}, {"q": ["a", "b"]}, ["ndcg", "ndcg@2"])
    assert list(scores.means.values()) == pytest.approx([0.765361, 1.0], abs=1e-6)
