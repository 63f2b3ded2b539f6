"""Faults that users of similar tools reported, one small input each. The id is that of the case.

Left out until there is something to test: the tie-averaged half of bug-025, the uncut half of bug-028, and
bug-040 (labels of pages, not passages).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import pytest

from whichhalf.catalogue import Choices, build_metric, build_metrics
from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.outcome import Outcome, Scored, Undefined
from whichhalf.retrieval.judged_rankings import judge_lists
from whichhalf.retrieval.ndcg import ndcg_at_k
from whichhalf.retrieval.recall import recall_at_k
from whichhalf.running.evaluate_ranking import evaluate_ranking


class Report(NamedTuple):
    """What one ranking is worth."""

    id: str
    kind: str
    retrieved: Sequence[str]
    grades: Mapping[str, int]
    expected: Mapping[str, float]


def grade_1(ids: str) -> dict[str, int]:
    return dict.fromkeys(ids.split(), 1)


M = [f"m{i}" for i in range(1, 21)]
R = [f"r{i}" for i in range(1, 21)]
REPORTS = [
    Report(
        "bug-001",
        "duplicate ids counted twice",
        ["d1", "d1"],
        grade_1("d1"),
        {"recall@2": 1.0, "hit_rate@2": 1.0, "rr": 1.0, "ap": 1.0, "ndcg@2": 1.0, "precision@2": 0.5},
    ),
    Report(
        "bug-003",
        "duplicate ids push ndcg above 1",
        list("aab"),
        grade_1("a b"),
        {"ndcg@3": 0.919721, "recall@3": 1.0, "ap": 0.833333},
    ),
    Report("bug-005", "duplicates ahead of the hit", list("xxa"), grade_1("a"), {"rr": 0.333333}),
    *(
        Report("bug-007", f"made-up id {label} is a real one", list("aaz"), grade_1(label), {"ndcg@3": 0.0})
        for label in ("a#2", "a_2", "a-2", "a-dup-2", "a_dup_1", "a(2)")
    ),
    Report("bug-010", "ideal built from retrieved passages", list("axy"), grade_1("a b c"), {"ndcg@3": 0.469279}),
    Report(
        "bug-012",
        "recall is hit rate in disguise",
        ["m1", "x"],
        grade_1(" ".join(M)),
        {"hit_rate@2": 1.0, "recall@2": 0.05},
    ),
    Report("bug-013", "ap divided by found", list("ax"), grade_1("a b"), {"ap": 0.5, "ap@2": 0.5}),
    # ap divided by min(k, relevant), 1.0 here, has no name with us: there is one ap
    Report("bug-014", "ap@k divided by k", R[:10], grade_1(" ".join(R)), {"ap": 0.5, "ap@10": 0.5}),
    Report("bug-015", "rr averaged over all hits", list("axb"), grade_1("a b"), {"rr": 1.0}),
    Report(
        "bug-016",
        "empty result raises",
        [],
        grade_1("n1"),
        {"recall@5": 0.0, "precision@5": 0.0, "hit_rate@5": 0.0, "rr": 0.0, "ap": 0.0, "ndcg@5": 0.0},
    ),
    # the case uses linear gain; ours is exponential unless asked
    Report(
        "bug-027",
        "ndcg cut applied to the run only",
        list("bc"),
        {"a": 3, "b": 2, "c": 1},
        {"ndcg(gain=linear)@2": 0.61732},
    ),
    Report("bug-028", "ndcg cut at the list length", list("ab"), grade_1("a b c"), {"ndcg@2": 1.0}),
    Report(
        "bug-041", "duplicates prefer the worse system: A", ["p1", "p1", "p1"], grade_1("p1 p2"), {"ndcg@3": 0.613147}
    ),
    Report("bug-041", "duplicates prefer the worse system: B", ["p1", "p2", "p3"], grade_1("p1 p2"), {"ndcg@3": 1.0}),
]


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: f"{report.id}: {report.kind}")
def test_one_ranking(report: Report, value: Callable[..., float]) -> None:
    found = {name: value(name, report.retrieved, report.grades) for name in report.expected}
    assert found == pytest.approx(dict(report.expected), abs=1e-6)


def test_bug_001_repeats_are_reported(outcome: Callable[..., Outcome]) -> None:
    scored = outcome("recall@2", ["d1", "d1"], {"d1": 1})
    assert isinstance(scored, Scored)
    assert scored.notes == ("1 position(s) repeat an id",)


def test_bug_005_when_copies_are_dropped_first(value: Callable[..., float]) -> None:
    assert value("rr", list("xxa"), {"a": 1}, duplicates="collapse") == 0.5


def test_bug_011_an_empty_result_stays_in_the_mean() -> None:
    scores = evaluate_ranking({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["a"], "q2": []}, ["recall@5"])
    assert scores.means == {"recall@5[retrieved]": 0.5}
    assert scores.summary["recall@5[retrieved]"].scored == 2
    assert scores.without_output == ()


def test_bug_018_a_question_missing_from_the_run_is_0_and_listed() -> None:
    scores = evaluate_ranking({"q1": {"a": 1}, "q2": {"b": 1}}, {"q1": ["a"]}, ["recall@1"])
    assert scores.means == {"recall@1[retrieved]": 0.5}
    assert scores.per_question["q2"] == {"recall@1[retrieved]": 0.0}
    assert scores.without_output == ("q2",)


def test_bug_021_a_question_without_labels_is_left_out_and_listed() -> None:
    scores = evaluate_ranking({"q1": {"a": 1}}, {"q1": ["a"], "q9": ["z"]}, ["recall@1"])
    assert scores.means == {"recall@1[retrieved]": 1.0}
    assert scores.per_question.keys() == {"q1"}
    assert scores.without_labels == ("q9",)


@pytest.mark.parametrize("name", ["recall@2", "ndcg@2", "precision@2"])
def test_bug_022_labels_with_none_relevant(name: str, outcome: Callable[..., Outcome]) -> None:
    """The case wants precision 0.0; with us it is undefined like the others, so all means have the same n."""
    assert outcome(name, ["a", "b"], {"a": 0, "b": 0}) == Undefined(because="no_relevant_labels")


@pytest.mark.parametrize(("other", "in_trec_order"), [("a", 1.0), ("c", 0.63093)])
def test_bug_023_renaming_a_tied_passage(other: str, in_trec_order: float) -> None:
    qrels, run = {"q": {"b": 1}}, {"q": {"b": 1.0, other: 1.0}}
    assert evaluate_ranking(qrels, run, ["ndcg@2"]).means["ndcg@2[retrieved]"] == 1.0
    trec = evaluate_ranking(qrels, run, ["ndcg@2"], ties="trec").means["ndcg@2[retrieved]"]
    assert trec == pytest.approx(in_trec_order, abs=1e-5)


def test_bug_024_constant_scores_keep_the_list_order() -> None:
    qrels, run = {"q1": {"d3": 1}}, {"q1": {"d1": 1, "d2": 1, "d3": 1}}
    given = evaluate_ranking(qrels, run, ["ap", "ndcg@3"]).means
    assert list(given.values()) == pytest.approx([0.333333, 0.5], abs=1e-6)
    assert list(evaluate_ranking(qrels, run, ["ap", "ndcg@3"], ties="trec").means.values()) == [1.0, 1.0]


def test_bug_025_ties_are_not_resolved_in_the_systems_favour() -> None:
    grades = {"a": 10, "b": 0, "c": 0, "d": 1, "e": 5}
    constant = dict.fromkeys(grades, 1.0)
    means = evaluate_ranking({"q": grades}, {"q": constant}, ["ndcg(gain=linear)@5"]).means
    assert list(means.values()) == pytest.approx([0.905548], abs=1e-6)


def test_bug_026_one_tie_rule_for_every_metric() -> None:
    qrels, run = {"q": {"1": 1}}, {"q": {"0": 1.0, "1": 1.0}}
    names = ["precision@1", "hit_rate@1", "recall@1", "ndcg@1", "ap@1", "rr@1"]
    assert set(evaluate_ranking(qrels, run, names).means.values()) == {0.0}
    assert set(evaluate_ranking(qrels, run, names, ties="trec").means.values()) == {1.0}


@pytest.mark.parametrize("new", ["aaa", "zzz", "doc6", "0"])
def test_bug_032_renaming_one_id(new: str) -> None:
    """In the order given; trec order goes by id on purpose (bug-023)."""
    before = evaluate_ranking({"q": {"doc7": 1}}, {"q": {"doc7": 2.875, "k#3": 2.875}}, ["rr", "ndcg@2"])
    after = evaluate_ranking({"q": {"doc7": 1}}, {"q": {"doc7": 2.875, new: 2.875}}, ["rr", "ndcg@2"])
    assert after.means == before.means == {"rr[retrieved]": 1.0, "ndcg@2[retrieved]": 1.0}


def test_bug_036_labels_given_as_a_generator() -> None:
    """A generator is read to its end by one call. The next call sees no labels and says None, never 0."""
    labels = (one for one in ["a", "b"])
    assert recall_at_k(["a"], labels, 1) == 0.5
    assert recall_at_k(["a"], labels, 1) is None
    qrels = {"q": {"a": 1, "b": 1}}
    assert evaluate_ranking(qrels, {"q": ["a"]}, ["recall@1"]) == evaluate_ranking(qrels, {"q": ["a"]}, ["recall@1"])


def test_bug_037_a_metric_keeps_nothing_between_runs() -> None:
    names = ["ndcg@2", "ndcg@10", "ndcg@100", "precision@10"]
    case = Case(question=Question(id="q", text="?", relevant={"a": 2, "b": 1}), retrieved=(Passage(id="b"),))
    metrics = build_metrics(names, Choices())
    first = [metric.score(case) for metric in metrics]
    assert [metric.score(case) for metric in metrics] == first
    assert [metric.score(case) for metric in reversed(metrics)] == first[::-1]
    assert first == [build_metric(name, Choices()).score(case) for name in names]


def test_bug_041_the_better_system_wins() -> None:
    relevant = {"p1", "p2"}
    worse, better = (ndcg_at_k(ids, relevant, 3) for ids in (["p1", "p1", "p1"], ["p1", "p2", "p3"]))
    assert worse is not None
    assert better is not None
    assert worse < better


def test_bug_043_no_value_above_1_with_repeats_and_grades() -> None:
    """The property itself is a law: see tests/laws."""
    judged = judge_lists([["a", "a", "b", "z", "b"]], [{"a": 4, "b": 1, "z": -1}])
    assert judged.rank.tolist() == [1, 3, 4]
    assert judged.grade.tolist() == [4, 1, -1]
    assert judged.duplicate_counts.tolist() == [2]
    assert judged.relevant_count.tolist() == [2]
