"""Paired differences: equal to scipy and statsmodels where these have them, and honest where little is known."""

from math import nan, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.weightstats import ttost_paired

from whichhalf.errors import InputError
from whichhalf.statistics.paired import PairedDifference, mcnemar_p, paired_difference
from whichhalf.statistics.power import detectable_difference

A = [0.1, 0.4, 0.35, 0.8, 0.65, 0.3, 0.9, 0.5]
B = [0.2, 0.45, 0.3, 0.95, 0.7, 0.6, 0.85, 0.55]
PAIRS = st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)), max_size=12)


def ends(found: PairedDifference) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def apart(pairs: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [one for one, _ in pairs], [other for _, other in pairs]


def test_without_ties_the_interval_is_students_t() -> None:
    found = paired_difference(A, B)
    t = stats.ttest_rel(B, A).confidence_interval(0.95)
    assert ends(found) == pytest.approx((t.low, t.high))
    assert (found.wins, found.ties, found.losses) == (6, 0, 2)
    assert found.difference == pytest.approx(0.075)
    assert found.mean_a == pytest.approx(0.5)
    assert found.mean_b == pytest.approx(0.575)
    assert (found.test, found.permutations, found.n, found.clusters) == ("sign-flip permutation", 256, 8, None)


def test_without_ties_equivalence_is_that_of_statsmodels() -> None:
    for margin in (0.02, 0.1, 0.3):
        expected = ttost_paired(np.array(B), np.array(A), -margin, margin)[0]
        assert paired_difference(A, B, margin=margin).equivalence_p == pytest.approx(expected)


def test_all_sign_patterns_as_scipy_tries_them() -> None:
    differences = np.subtract(B, A)
    expected = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=256).pvalue
    assert paired_difference(A, B).p == pytest.approx(expected)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_that_of_statsmodels(wins: int, losses: int) -> None:
    expected = mcnemar([[5, wins], [losses, 5]], exact=True).pvalue if wins + losses else 1.0
    assert mcnemar_p(wins, losses) == pytest.approx(float(expected))


def test_passes_and_failures_by_hand() -> None:
    """Bonett and Price, 2 wins of 10: centre 2 ÷ 11.6 with two questions of weight 0.8 imagined among 8 ties."""
    found = paired_difference([0] * 2 + [1] * 8, [1] * 10)
    number, centre = 11.6, 2 / 11.6
    error = sqrt(((2 + 1.6) / number - centre**2) / (number - 1))
    assert ends(found) == pytest.approx((centre - 2.262157 * error, centre + 2.262157 * error), abs=1e-6)
    assert (found.test, found.p, found.permutations) == ("exact McNemar", 0.5, None)


def test_bug_196_paired_rows_get_a_paired_test() -> None:
    found = paired_difference([1, 1, 0, 1, 0, 1, 1, 0, 1, 1], [1, 1, 1, 1, 0, 1, 1, 1, 1, 1])
    assert found.difference == pytest.approx(0.2)
    assert (found.wins, found.losses, found.test, found.p) == (2, 0, "exact McNemar", 0.5)


@pytest.mark.parametrize("change", [1.0, 0.25])
def test_bug_197_one_changed_row_of_40_shows_nothing(change: float) -> None:
    found = paired_difference([0.0] * 40, [change] + [0.0] * 39)
    low, high = ends(found)
    assert low < 0 < high
    assert found.p == 1.0


def test_no_difference_at_all() -> None:
    found = paired_difference([0.5] * 30, [0.5] * 30)
    assert (found.difference, found.p, found.wins, found.ties, found.losses) == (0.0, 1.0, 0, 30, 0)
    assert found.permutations == 1
    reach = 2.045230 * sqrt(2 / 32 / 31)  # one win and one loss of 1 among 32
    assert ends(found) == pytest.approx((-reach, reach), abs=1e-6)
    assert found.equivalence_p > 0.05
    assert paired_difference([0.5] * 1000, [0.5] * 1000).equivalence_p < 0.001


def test_the_same_difference_everywhere_is_not_certain_either() -> None:
    found = paired_difference([0.25] * 20, [0.5] * 20)
    low, high = ends(found)
    assert low < 0.25 < high
    assert found.p < 0.001


def test_too_little_to_say_anything() -> None:
    none = paired_difference([], [])
    assert (none.n, none.mean_a, none.mean_b, none.difference, none.p) == (0, None, None, None, 1.0)
    one = paired_difference([0.2], [0.9])
    assert one.difference == pytest.approx(0.7)
    assert (one.p, one.wins) == (1.0, 1)
    for found in (none, one):
        assert (found.low, found.high, found.detectable, found.interval) == (None, None, None, "none")
        assert found.equivalence_p == 1.0
    two = paired_difference([0.2, 0.3], [0.9, 0.9])
    assert two.p == 0.5
    t = stats.ttest_1samp([0.7, 0.6], 0).confidence_interval()
    assert ends(two) == pytest.approx((t.low, t.high))


def test_clusters_are_flipped_and_spread_as_one() -> None:
    """Three clusters whose differences agree: 2 of the 2³ patterns are as extreme, whatever their sizes."""
    names = ["x"] * 5 + ["y"] * 3 + ["z"]
    found = paired_difference([0.0] * 9, [0.5] * 5 + [0.25] * 3 + [0.125], clusters=names)
    assert (found.clusters, found.p, found.permutations) == (3, 0.25, 8)
    alone = paired_difference([0.0] * 9, [0.5] * 5 + [0.25] * 3 + [0.125])
    assert alone.p < 0.01
    assert ends(found)[0] < ends(alone)[0]


def test_clusters_of_one_size_are_their_means() -> None:
    found = paired_difference(A, B, clusters=list("stuvstuv"))
    means = np.subtract(B, A).reshape(2, 4).mean(axis=0)
    t = stats.ttest_1samp(means, 0).confidence_interval(0.95)
    assert ends(found) == pytest.approx((t.low, t.high))


def test_one_cluster_with_nearly_everything_shows_nothing() -> None:
    found = paired_difference([0.0] * 101, [0.5, 0.4] * 50 + [0.1], clusters=["a"] * 100 + ["b"])
    assert (found.clusters, found.p, found.detectable) == (2, 0.5, None)
    assert (found.low, found.high, found.equivalence_p) == (None, None, 1.0)


def test_the_detectable_difference_of_the_data() -> None:
    deviation = float(np.std(np.subtract(B, A), ddof=1))
    assert paired_difference(A, B).detectable == pytest.approx(detectable_difference(deviation, 8))


@given(PAIRS)
def test_swapping_the_runs_mirrors_everything(pairs: list[tuple[float, float]]) -> None:
    a, b = apart(pairs)
    there, back = paired_difference(a, b), paired_difference(b, a)
    assert (there.wins, there.losses) == (back.losses, back.wins)
    assert there.p == back.p
    assert there.equivalence_p == pytest.approx(back.equivalence_p)
    if there.low is not None and there.high is not None and there.difference is not None:
        assert ends(back) == pytest.approx((-there.high, -there.low), abs=1e-9)
        assert there.low <= there.high
    assert 0 < there.p <= 1
    assert 0 <= there.equivalence_p <= 1


@pytest.mark.parametrize(
    ("a", "b", "settings"),
    [
        ([0.1, nan], [0.1, 0.2], {}),
        ([0.1], [0.1, 0.2], {}),
        ([0.1, None], [0.1, 0.2], {}),
        ([0.1], [0.2], {"margin": 0.0}),
        ([0.1], [0.2], {"margin": nan}),
        ([0.1], [0.2], {"level": 1.0}),
        ([0.1], [0.2], {"permutations": 0}),
        ([0.1], [0.2], {"clusters": []}),
    ],
)
def test_bad_input_is_refused(a: list[float], b: list[float], settings: dict[str, float]) -> None:
    with pytest.raises(InputError):
        paired_difference(a, b, **settings)  # type: ignore[arg-type]
