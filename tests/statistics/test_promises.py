"""The promises in small: known truths, seeded streams. benchmarks/simulated_statistics.py has them in full."""

import pytest

from promise_counts import false_positives, mcnemar_false_positives, missed, paired_errors
from score_makers import DENSE_DIFFERENCES, PASS_FAIL_DIFFERENCES, SCORES, SPARSE_DIFFERENCES, Kind
from whichhalf.statistics.power import detectable_difference

STREAMS = 200
ERROR = 0.046
"""Three standard errors of a share of 5 % over so many streams."""


DIFFERENCES = {**DENSE_DIFFERENCES, **SPARSE_DIFFERENCES, **PASS_FAIL_DIFFERENCES}


@pytest.mark.parametrize("n", [30, 100])
@pytest.mark.parametrize("kind", SCORES.values(), ids=SCORES)
def test_intervals_of_a_mean_hold_it(kind: Kind, n: int) -> None:
    assert sum(missed(kind, n, STREAMS)) <= 0.05 + ERROR


@pytest.mark.parametrize("kind", SCORES.values(), ids=SCORES)
def test_intervals_of_clustered_means_hold_them(kind: Kind) -> None:
    assert sum(missed(kind, 60, STREAMS, clusters=True)) <= 0.05 + ERROR


@pytest.mark.parametrize("kind", DIFFERENCES.values(), ids=DIFFERENCES)
def test_intervals_of_a_difference_hold_it(kind: Kind) -> None:
    assert paired_errors(kind, 100, STREAMS).missed <= 0.05 + ERROR


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("kind", DENSE_DIFFERENCES.values(), ids=DENSE_DIFFERENCES)
def test_the_main_test_errs_as_often_as_it_says(kind: Kind, clusters: bool) -> None:
    assert false_positives(kind, 100, STREAMS, clusters=clusters) == pytest.approx(0.05, abs=ERROR)


@pytest.mark.parametrize("n", [30, 100])
def test_sparse_tests_err_no_more_than_they_say(n: int) -> None:
    for kind in PASS_FAIL_DIFFERENCES.values():
        if kind.mean == 0:
            assert mcnemar_false_positives(kind, n, STREAMS) <= 0.05 + ERROR
    sparse = SPARSE_DIFFERENCES["10 % differ, as often up as down"]
    assert false_positives(sparse, n, STREAMS) <= 0.05 + ERROR


@pytest.mark.parametrize("name", [name for name, kind in DIFFERENCES.items() if kind.mean])
def test_equivalence_is_seldom_claimed_at_the_margin(name: str) -> None:
    kind = DIFFERENCES[name]
    assert paired_errors(kind, 100, STREAMS, margin=kind.mean).equivalent <= 0.05 + ERROR


def test_the_promised_power_is_achieved() -> None:
    kind = DENSE_DIFFERENCES["normal, deviation 0.2"]
    shift = detectable_difference(0.2, 100)
    assert false_positives(kind, 100, STREAMS, shift=shift) == pytest.approx(0.8, abs=3 * 0.029)
