"""The conventions every retrieval metric shares: no labels, no row, nothing retrieved, unusable ids, unusable k."""

from collections.abc import Callable
from typing import Any

import pytest

from whichhalf import (
    average_precision,
    hit_rate_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)
from whichhalf.catalogue import RETRIEVAL, Choices, build_metric, example_names
from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.metric import MetricName
from whichhalf.core.outcome import Outcome, Scored, Undefined
from whichhalf.errors import InputError
from whichhalf.retrieval.family import Conventions

FUNCTIONS: list[Callable[..., float | None]] = [
    recall_at_k,
    precision_at_k,
    hit_rate_at_k,
    reciprocal_rank,
    average_precision,
    ndcg_at_k,
]
NAMES = [name.replace("@10", "@5") for name in example_names() if MetricName.parse(name).family in RETRIEVAL]
RELEVANT = Question(id="q", text="?", relevant={"a": 1})

each_function = pytest.mark.parametrize("function", FUNCTIONS)
each_metric = pytest.mark.parametrize("name", NAMES)


@each_function
@pytest.mark.parametrize("relevant", [set(), [], {}], ids=["set", "list", "map"])
def test_no_labels_is_none(function: Callable[..., float | None], relevant: object) -> None:
    assert function(["a", "b"], relevant, 5) is None
    assert function([], relevant, 5) is None


@each_function
@pytest.mark.parametrize("grades", [{"a": 0, "b": 0}, {"a": -1}], ids=["zeros", "negative"])
def test_labels_without_a_relevant_passage_are_none(
    function: Callable[..., float | None], grades: dict[str, int]
) -> None:
    assert function(["a", "b"], grades, 5) is None


@each_function
def test_nothing_retrieved_is_0(function: Callable[..., float | None]) -> None:
    assert function([], {"a"}, 5) == 0.0


@each_function
def test_whole_number_ids_are_text(function: Callable[..., float | None]) -> None:
    assert function([7, 12], {12}, 5) == function(["7", "12"], {"12"}, 5) == function([7, "12"], {12: 1}, 5) != 0.0


@each_function
@pytest.mark.parametrize("bad", [1.0, float("nan"), True, None, "", "  ", ("a",)], ids=repr)
def test_other_ids_are_refused(function: Callable[..., float | None], bad: object) -> None:
    with pytest.raises(InputError, match="a retrieved id must be text or a whole number"):
        function(["a", bad], {"a"}, 5)
    with pytest.raises(InputError, match="a relevant id must be text or a whole number"):
        function(["a"], ["a", bad], 5)


@each_function
@pytest.mark.parametrize(
    "ranking", ["abc", b"abc", {"a", "b"}, {"a": 0.5}, None], ids=["text", "bytes", "set", "map", "null"]
)
def test_a_ranking_is_a_list(function: Callable[..., float | None], ranking: object) -> None:
    with pytest.raises(InputError, match="a list of ids is needed, best first"):
        function(ranking, {"a"}, 5)


@each_function
@pytest.mark.parametrize("labels", ["abc", b"abc", None], ids=["text", "bytes", "null"])
def test_labels_are_not_one_text(function: Callable[..., float | None], labels: object) -> None:
    with pytest.raises(InputError, match="a set, list or map of relevant ids is needed"):
        function(["a"], labels, 5)


@each_function
@pytest.mark.parametrize("k", [0, -1, 2.5, 5.0, True, "5"], ids=repr)
def test_k_is_a_whole_number_from_1(function: Callable[..., float | None], k: object) -> None:
    for relevant in ({"a"}, {"b"}):
        with pytest.raises(InputError, match="k must be a whole number of at least 1"):
            function(["a"], relevant, k)


@each_function
@pytest.mark.parametrize("grade", [0.5, 2.0, True, None, "2"], ids=repr)
def test_grades_are_whole_numbers(function: Callable[..., float | None], grade: object) -> None:
    with pytest.raises(InputError, match="the grade of 'a' must be a whole number"):
        function(["a"], {"a": grade}, 5)


@each_function
def test_one_passage_has_one_grade(function: Callable[..., float | None]) -> None:
    with pytest.raises(InputError, match="passage '1' has two grades, 2 and 0"):
        function(["1"], {1: 2, "1": 0}, 5)
    assert function(["1"], {1: 2, "1": 2}, 5) == function(["1"], {"1": 2}, 5)


@each_function
def test_generators_are_read_once_and_whole(function: Callable[..., float | None]) -> None:
    ranked, labels = ["x", "a", "b"], ["a", "b", "c"]
    assert function((one for one in ranked), (one for one in labels), 5) == function(ranked, labels, 5)


def test_no_answer_in_the_corpus_is_undefined() -> None:
    question = Question(id="q", text="?", relevant={"a": 1}, answerable=False)
    for name in NAMES:
        assert score(name, Case(question=question, retrieved=())) == Undefined(because="no_answer_question")


@each_metric
@pytest.mark.parametrize("grades", [{}, {"a": 0}, {"a": -2, "b": 0}], ids=["none", "zero", "negative"])
def test_no_relevant_labels_is_undefined(name: str, grades: dict[str, int]) -> None:
    case = Case(question=Question(id="q", text="?", relevant=grades), retrieved=(Passage(id="a"),))
    assert score(name, case) == Undefined(because="no_relevant_labels")


@each_metric
def test_a_question_without_output_row_is_0_with_a_note(name: str) -> None:
    outcome = score(name, Case(question=RELEVANT, has_output=False))
    assert outcome == Scored(value=0.0, notes=("no output row: counted as nothing retrieved",))


@each_metric
def test_a_question_without_output_row_and_without_labels_stays_undefined(name: str) -> None:
    case = Case(question=Question(id="q", text="?"), has_output=False)
    assert score(name, case) == Undefined(because="no_relevant_labels")


@each_metric
def test_an_empty_list_is_0_without_a_note(name: str) -> None:
    assert score(name, Case(question=RELEVANT, retrieved=())) == Scored(value=0.0)


@each_metric
def test_a_context_that_was_not_logged_is_undefined(name: str) -> None:
    case = Case(question=RELEVANT, retrieved=(Passage(id="a"),))
    assert score(f"{name}[context]", case) == Undefined(because="context_not_logged")
    assert score(f"{name}[context]", case.model_copy(update={"context": ()})) == Scored(value=0.0)
    missing = score(f"{name}[context]", Case(question=RELEVANT, has_output=False))
    assert isinstance(missing, Scored)
    assert missing.value == 0.0


@each_metric
def test_a_metric_reads_the_stage_it_names(name: str) -> None:
    case = Case(question=RELEVANT, retrieved=(Passage(id="x"),), reranked=(Passage(id="a"),), context=())
    assert score(f"{name}[retrieved]", case) == Scored(value=0.0)
    assert score(f"{name}[context]", case) == Scored(value=0.0)
    reranked = score(f"{name}[reranked]", case)
    assert isinstance(reranked, Scored)
    assert reranked.value > 0
    assert build_metric(name, Choices(stage="reranked")).score(case) == reranked


@each_metric
def test_repeated_ids_are_counted_in_a_note(name: str, outcome: Callable[..., Outcome]) -> None:
    for duplicates in ("first_copy", "collapse"):
        found = outcome(name, ["a", "x", "a", "a"], {"a": 1}, duplicates=duplicates)
        assert isinstance(found, Scored)
        assert found.notes == ("2 position(s) repeat an id",)


@each_metric
def test_repeated_ids_are_refused_on_request(name: str, outcome: Callable[..., Outcome]) -> None:
    with pytest.raises(InputError, match="passage 'a' is ranked more than once"):
        outcome(name, ["x", "a", "a", "x"], {"a": 1}, duplicates="error")
    assert isinstance(outcome(name, ["x", "a"], {"a": 1}, duplicates="error"), Scored)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"relevance_threshold": 0}, "relevance_threshold starts at 1"),
        ({"duplicates": "last_copy"}, "duplicates is one of first_copy, collapse, error"),
    ],
)
def test_conventions_outside_the_list_are_refused(choice: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Conventions(**choice)


@each_metric
@pytest.mark.parametrize("duplicates", ["first_copy", "collapse", "error"])
def test_the_contract_states_the_conventions(name: str, duplicates: Any) -> None:
    choices = Choices(stage="reranked", conventions=Conventions(2, duplicates))
    metric = build_metric(name, choices)
    contract = metric.card.contract
    graded = RETRIEVAL[metric.card.name.family].graded
    assert ("grade ≥ 2" in contract) is not graded
    assert (RETRIEVAL[metric.card.name.family].own_unjudged or "unjudged = not relevant") in contract
    assert {"first_copy": "first copy", "collapse": "dropped first", "error": "is an error"}[duplicates] in contract
    assert "stage reranked" in contract
    assert "{" not in contract
    assert "None" not in contract
    assert metric.card.half == "retrieval"
    assert metric.card.prompts == ()


def score(name: str, case: Case) -> Outcome:
    return build_metric(name, Choices()).score(case)
