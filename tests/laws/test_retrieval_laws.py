"""What holds for every retrieval metric, whatever the ranking. A new family of the catalogue is covered by itself."""

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from whichhalf.catalogue import RETRIEVAL, Choices, build_metric
from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.options import Duplicates
from whichhalf.core.outcome import Outcome, Scored, Undefined
from whichhalf.retrieval.family import Conventions
from whichhalf.running.evaluate_ranking import evaluate_ranking

Ranking = list[str]
Grades = dict[str, int]

IDS = st.sampled_from("abcdefghij")
RANKINGS = st.lists(IDS, max_size=15)
GRADES = st.dictionaries(IDS, st.integers(-2, 5), max_size=10)
DUPLICATES: st.SearchStrategy[Duplicates] = st.sampled_from(["first_copy", "collapse"])

each_family = pytest.mark.parametrize("family", RETRIEVAL)
some = settings(max_examples=50)  # of every family


OPTIONS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "ndcg": {"gain": ("exponential", "linear")},
    "iprec": {"recall": ("0", "0.1", "0.5", "1")},
    "rbp": {"p": ("0.5", "0.8", "1")},
    "err": {"max_grade": ("6", "8")},
}
UNJUDGED_COUNT = {"judged", "bpref", "infap"}
"""What stands among the unjudged or not relevant matters to them, so a better order need not score higher."""


def test_every_option_is_tried() -> None:
    assert {family: set(known.options) for family, known in RETRIEVAL.items() if known.options} == {
        family: set(known) for family, known in OPTIONS.items()
    }


def names_of(family: str) -> list[str]:
    """The family with every value of every option, uncut where it may be, and with three cuts where it may be."""
    options = [f"({key}={value})" for key, values in OPTIONS.get(family, {}).items() for value in values]
    cuts = {"none": [""], "optional": ["", "@1", "@3", "@20"], "required": ["@1", "@3", "@20"]}[RETRIEVAL[family].cut]
    return [f"{family}{option}{cut}" for option in options or [""] for cut in cuts]


def case_of(ranking: Sequence[str], grades: Mapping[str, int]) -> Case:
    question = Question(id="q", text="?", relevant=dict(grades))
    return Case(question=question, retrieved=tuple(Passage(id=one) for one in ranking))


def score(
    family: str, ranking: Sequence[str], grades: Mapping[str, int], duplicates: Duplicates = "first_copy"
) -> dict[str, Outcome]:
    """Name → outcome, for every name of the family."""
    case = case_of(ranking, grades)
    choices = Choices(conventions=Conventions(duplicates=duplicates))
    return {name: build_metric(name, choices).score(case) for name in names_of(family)}


def values(family: str, ranking: Sequence[str], grades: Mapping[str, int]) -> dict[str, float]:
    """Name → value, where there is one."""
    outcomes = score(family, ranking, grades)
    return {name: outcome.value for name, outcome in outcomes.items() if isinstance(outcome, Scored)}


@each_family
@some
@given(ranking=RANKINGS, grades=GRADES, duplicates=DUPLICATES)
def test_a_score_lies_between_0_and_1(family: str, ranking: Ranking, grades: Grades, duplicates: Duplicates) -> None:
    for outcome in score(family, ranking, grades, duplicates).values():
        if any(grade >= 1 for grade in grades.values()):
            assert isinstance(outcome, Scored)
            assert 0.0 <= outcome.value <= 1.0
        else:
            assert outcome == Undefined(because="no_relevant_labels")


@pytest.mark.parametrize("family", sorted(RETRIEVAL.keys() - UNJUDGED_COUNT))
@some
@given(ranking=st.permutations("abcdefghij"), grades=GRADES.filter(lambda grades: any(g > 0 for g in grades.values())))
def test_no_order_beats_the_best(family: str, ranking: Ranking, grades: Grades) -> None:
    best = values(family, sorted(ranking, key=lambda one: -grades.get(one, 0)), grades)
    found = values(family, ranking, grades)
    assert best.keys() == found.keys()
    assert all(found[name] <= best[name] + 1e-12 for name in best), (found, best)


@each_family
@some
@given(ranking=RANKINGS, grades=GRADES, new=st.permutations([f"n{i}" for i in range(10)]))
def test_renaming_ids_changes_nothing(family: str, ranking: Ranking, grades: Grades, new: list[str]) -> None:
    renamed = dict(zip("abcdefghij", new, strict=True))
    after = score(family, [renamed[one] for one in ranking], {renamed[one]: grade for one, grade in grades.items()})
    assert after == score(family, ranking, grades)


@each_family
@some
@given(ranking=RANKINGS, grades=GRADES)
def test_the_order_of_the_labels_changes_nothing(family: str, ranking: Ranking, grades: Grades) -> None:
    assert score(family, ranking, dict(reversed(grades.items()))) == score(family, ranking, grades)


@each_family
@some
@given(ranking=RANKINGS, grades=GRADES, one=IDS, other=IDS)
def test_swapping_equal_passages_changes_nothing(
    family: str, ranking: Ranking, grades: Grades, one: str, other: str
) -> None:
    """Equal: of one grade, or both unjudged."""
    if one in grades:
        grades = {**grades, other: grades[one]}
    else:
        grades = {key: grade for key, grade in grades.items() if key != other}
    swap = {one: other, other: one}
    assert score(family, [swap.get(each, each) for each in ranking], grades) == score(family, ranking, grades)


@pytest.mark.parametrize("family", sorted(RETRIEVAL.keys() - {"judged"}))
@some
@given(ranking=RANKINGS.filter(lambda ids: len(ids) > 1), grades=GRADES, grade=st.integers(1, 5), data=st.data())
def test_a_better_passage_one_place_up_never_costs(
    family: str, ranking: Ranking, grades: Grades, grade: int, data: st.DataObject
) -> None:
    """Better: relevant, and of a higher grade than the passage it overtakes. Its first copy is the one that moves.

    infap takes the pooled but unjudged above a hit for a sample, so passing one may lower its estimate.
    """
    assume(family != "infap" or all(grade >= 0 for grade in grades.values()))
    below = data.draw(st.integers(1, len(ranking) - 1))
    mover, passed = ranking[below], ranking[below - 1]
    assume(mover not in ranking[:below])
    grades = {**grades, mover: max(grade, grades.get(passed, 0) + 1)}
    before = values(family, ranking, grades)
    after = values(family, [*ranking[: below - 1], mover, passed, *ranking[below + 1 :]], grades)
    assert before.keys() == after.keys() == set(names_of(family))
    assert all(after[name] >= before[name] - 1e-12 for name in before), (before, after)


@pytest.mark.parametrize("family", ["recall", "ap", "ndcg"])
@given(ranking=RANKINGS, grades=GRADES, grade=st.integers(1, 5))
def test_a_relevant_passage_that_was_missed_never_helps(
    family: str, ranking: Ranking, grades: Grades, grade: int
) -> None:
    before = values(family, ranking, grades)
    after = values(family, ranking, {**grades, "missed": grade})
    assert after.keys() == set(names_of(family))
    assert all(after[name] <= before[name] + 1e-12 for name in before), (before, after)


@each_family
@some
@given(ranking=RANKINGS, grades=GRADES)
def test_collapsing_copies_is_dropping_them_by_hand(family: str, ranking: Ranking, grades: Grades) -> None:
    collapsed = score(family, ranking, grades, "collapse")
    by_hand = score(family, list(dict.fromkeys(ranking)), grades)
    for name, outcome in by_hand.items():
        other = collapsed[name]
        assert outcome.kind == other.kind
        if isinstance(outcome, Scored) and isinstance(other, Scored):
            assert outcome.value == other.value


@each_family
@some
@given(first=RANKINGS, second=RANKINGS, grades=GRADES)
def test_scoring_twice_gives_the_same(family: str, first: Ranking, second: Ranking, grades: Grades) -> None:
    """Also with another case scored in between, by one metric object."""
    for name in names_of(family):
        metric = build_metric(name, Choices())
        before = metric.score(case_of(first, grades))
        metric.score(case_of(second, grades))
        assert metric.score(case_of(first, grades)) == before


ALL_NAMES = [name for family in RETRIEVAL for name in names_of(family)]
QUESTIONS = st.sampled_from(["q1", "q2", "q3"])


@given(
    qrels=st.dictionaries(QUESTIONS, GRADES, min_size=1),
    run=st.dictionaries(QUESTIONS, RANKINGS, min_size=1),
    name=st.sampled_from(ALL_NAMES),
)
def test_together_equals_alone(qrels: dict[str, Grades], run: dict[str, Ranking], name: str) -> None:
    assume(qrels.keys() & run.keys())
    together = evaluate_ranking(qrels, run, ALL_NAMES)
    assert evaluate_ranking(qrels, run, ALL_NAMES[::-1]).means == together.means
    alone = evaluate_ranking(qrels, run, [name])
    [full] = alone.means
    assert alone.summary[full] == together.summary[full]
    assert {question: row[full] for question, row in together.per_question.items()} == {
        question: row[full] for question, row in alone.per_question.items()
    }


@given(ranking=RANKINGS, grades=GRADES)
def test_plain_rankings_and_cases_agree(ranking: Ranking, grades: Grades) -> None:
    scores = evaluate_ranking({"q": grades}, {"q": ranking}, ALL_NAMES).per_question["q"]
    by_case = {
        str(build_metric(name, Choices()).card.name): outcome.value if isinstance(outcome, Scored) else None
        for family in RETRIEVAL
        for name, outcome in score(family, ranking, grades).items()
    }
    assert scores == by_case
