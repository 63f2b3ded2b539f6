"""f1, r_precision, the set measures, iprec, rbp, err, judged, bpref and infap, by hand."""

from collections.abc import Callable, Mapping

import pytest

from whichhalf.catalogue import Choices, build_metric
from whichhalf.core.outcome import Undefined
from whichhalf.errors import InputError

RANKING = ["n1", "r1", "x", "r2", "n2"]
GRADES = {"r1": 1, "r2": 3, "lost": 2, "n1": 0, "n2": 0}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("f1@2", 2 * 1 / (2 + 3)),
        ("f1@4", 2 * 2 / (4 + 3)),
        ("f1@10", 2 * 2 / (10 + 3)),
        ("set_precision", 2 / 5),
        ("set_recall", 2 / 3),
        ("set_f1", 2 * 2 / (5 + 3)),
        ("r_precision", 1 / 3),
        ("iprec(recall=0)", 1 / 2),
        ("iprec(recall=0.3)", 1 / 2),
        ("iprec(recall=0.5)", 2 / 4),
        ("iprec(recall=0.7)", 0.0),
        ("rbp", 0.2 * (0.8 + 0.8**3)),
        ("rbp(p=0.5)", 0.5 * (0.5 + 0.125)),
        ("rbp(p=0.5)@2", 0.5 * 0.5),
        # stops: grade 1 of 3 at rank 2 = 1/8, grade 3 at rank 4 = 7/8
        ("err(max_grade=3)", 1 / 2 * 1 / 8 + 1 / 4 * 7 / 8 * 7 / 8),
        ("err(max_grade=3)@2", 1 / 2 * 1 / 8),
        ("judged@2", 1.0),
        ("judged@3", 2 / 3),
        ("judged@100", 4 / 5),
        ("judged", 4 / 5),
        # one judged not relevant above each of both hits, bounded by min(N, R) = 2
        ("bpref", (0.5 + 0.5) / 3),
        # rank 2: one pooled above, none relevant; rank 4: two pooled above, one of them relevant
        ("infap", (1 / 2 * (1 + 1 * 1e-5 / (1 + 2e-5)) + 1 / 4 * (1 + 2 * (1 + 1e-5) / (2 + 2e-5))) / 3),
        ("ndcg(gain=linear)", (1 / 1.584962500721156 + 3 / 2.321928094887362) / (3 + 2 / 1.584962500721156 + 1 / 2)),
    ],
)
def test_values_by_hand(value: Callable[..., float], name: str, expected: float) -> None:
    assert value(name, RANKING, GRADES) == pytest.approx(expected, abs=1e-12)


def test_negative_grades_are_pooled_but_unjudged(value: Callable[..., float]) -> None:
    """bpref passes over them, infap counts them in the pool, everything else takes them for not relevant."""
    grades = {"r": 1, "u": -1}
    assert value("bpref", ["u", "r"], grades) == 1.0
    assert value("infap", ["u", "r"], grades) == pytest.approx(0.5 * (1 + 0.5))
    assert value("infap", ["x", "r"], {"r": 1}) == 0.5
    assert value("precision@2", ["u", "r"], grades) == 0.5
    assert value("judged@2", ["u", "r"], grades) == 1.0


def test_bpref_with_nothing_judged_not_relevant_is_the_share_found(value: Callable[..., float]) -> None:
    assert value("bpref", ["x", "a"], {"a": 1, "b": 1}) == 0.5


@pytest.mark.parametrize("name", ["set_precision", "set_f1", "judged@3", "r_precision", "rbp", "err(max_grade=3)"])
def test_nothing_returned_is_0(value: Callable[..., float], name: str) -> None:
    assert value(name, [], GRADES) == 0.0


def test_err_refuses_a_grade_above_its_scale(outcome: Callable[..., object]) -> None:
    with pytest.raises(InputError, match=r"err\(max_grade=2\): there is a grade of 3"):
        outcome("err(max_grade=2)@5", RANKING, GRADES)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("err@5", "max_grade must be given"),
        ("err(max_grade=2.5)", "max_grade is a whole number from 1 to 20, not '2.5'"),
        ("iprec", "recall must be given"),
        ("iprec(recall=2)", "recall is a number from 0 to 1, not '2'"),
        ("rbp(p=x)", "p is a number from 0 to 1, not 'x'"),
        ("rbp(q=0.5)", "unknown option 'q'; it knows p"),
        ("ndcg(gain=log)@5", "gain is one of exponential, linear, not 'log'"),
        ("set_recall@5", "set_recall takes no cut"),
        ("f1", "needs a cut, for example f1@5"),
    ],
)
def test_names_that_cannot_be(name: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        build_metric(name, Choices())
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("given", "printed"),
    [("rbp(p=0.80)", "rbp"), ("rbp(p=.50)@5", "rbp(p=0.5)@5"), ("err(max_grade=4.0)", "err(max_grade=4)")],
)
def test_one_number_has_one_spelling(given: str, printed: str) -> None:
    assert str(build_metric(given, Choices()).card.name) == f"{printed}[retrieved]"


def test_undefined_without_a_relevant_label(outcome: Callable[..., object]) -> None:
    empty: Mapping[str, int] = {"n1": 0}
    for name in ("judged@2", "bpref", "infap", "rbp", "err(max_grade=3)", "set_precision", "iprec(recall=0)"):
        assert outcome(name, RANKING, empty) == Undefined(because="no_relevant_labels")
