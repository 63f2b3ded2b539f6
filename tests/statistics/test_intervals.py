"""Intervals of a mean: equal to scipy and statsmodels where these have them, and never NaN."""

from math import nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from whichhalf.errors import InputError
from whichhalf.statistics.intervals import BETA, CONSTANT, EXACT, Interval, beta_interval, mean_interval, share_interval

SCORES = st.lists(st.integers(0, 64).map(lambda parts: parts / 64), min_size=2, max_size=40)


@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_a_share_has_the_interval_scipy_gives(successes: int, failures: int, level: float) -> None:
    found = share_interval(successes, successes + failures, level=level)
    if successes + failures:
        ours = stats.binomtest(successes, successes + failures).proportion_ci(level, "exact")
        assert (found.low, found.high) == pytest.approx((ours.low, ours.high), abs=1e-12)
    assert (found.level, found.method) == (level, EXACT)


def test_no_case_says_nothing_of_a_share() -> None:
    assert share_interval(0, 0) == Interval(0.0, 1.0, 0.95, EXACT)


def test_passes_and_failures_get_the_exact_interval() -> None:
    assert mean_interval([1, 0, 1, 1]) == share_interval(3, 4)
    assert mean_interval([True]) == share_interval(1, 1)


@pytest.mark.parametrize(("passed", "n"), [(3, 30), (27, 30), (50, 100), (1, 1000)])
def test_effective_numbers_that_are_whole_give_the_jeffreys_interval(passed: int, n: int) -> None:
    share = passed / n
    low, high = beta_interval(share, share * (1 - share) / n, 1e9, 0.95)
    assert (low, high) == pytest.approx(proportion_confint(passed, n, method="jeffreys"), abs=1e-6)


def test_the_effective_number_by_hand() -> None:
    """Mean 0.6, deviation² 0.05 over 4: 0.24 ÷ 0.0125 = 19.2, × (1.959964 ÷ 3.182446)² = 7.2825."""
    found = mean_interval([0.4, 0.6, 0.5, 0.9])
    expected = stats.beta.ppf([0.025, 0.975], 7.2825 * 0.6 + 0.5, 7.2825 * 0.4 + 0.5)
    assert found is not None
    values = np.array([0.4, 0.6, 0.5, 0.9])
    number = 0.24 / (values.var(ddof=1) / 4) * (1.959964 / 3.182446) ** 2
    assert number == pytest.approx(0.24 / (0.14 / 3 / 4) * 0.379297, rel=1e-4)
    expected = stats.beta.ppf([0.025, 0.975], number * 0.6 + 0.5, number * 0.4 + 0.5)
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=1e-6)
    assert found.method == BETA


def test_a_spread_that_few_scores_bring_about_counts_for_less() -> None:
    """Squares 4 · .01 + .16, fourth powers 4 · .0001 + .0256: kurtosis 5 · .026 ÷ .2² = 3.25, 10 ÷ (2.25 + .5) left."""
    found = mean_interval([1, 1, 1, 1, 0.5])
    number = 0.09 / (0.2 / 4 / 5) * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 10 / 2.75)) ** 2
    low, high = stats.beta.ppf([0.025, 0.975], number * 0.9 + 0.5, number * 0.1 + 0.5)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-9)


def test_scores_between_count_as_failures_or_passes_at_worst() -> None:
    found = mean_interval([1.0] * 98 + [0.0, 0.5])
    assert found is not None
    assert found.low == pytest.approx(stats.binomtest(98, 100).proportion_ci(0.95, "exact").low)
    assert found.high <= stats.binomtest(99, 100).proportion_ci(0.95, "exact").high


@given(SCORES)
def test_no_interval_is_wider_than_the_worst_passes_and_failures(scores: list[float]) -> None:
    found = mean_interval(scores)
    assert found is not None
    assert found.low >= share_interval(sum(one == 1 for one in scores), len(scores)).low - 1e-9
    assert found.high <= share_interval(sum(one > 0 for one in scores), len(scores)).high + 1e-9


def test_large_samples_agree_with_students_t() -> None:
    values = np.random.default_rng(5).beta(3, 2, 5000)
    found = mean_interval(values)
    t = stats.ttest_1samp(values, 0).confidence_interval()
    assert found is not None
    assert (found.low, found.high) == pytest.approx((t.low, t.high), abs=1e-4)


def test_nothing_to_estimate_from() -> None:
    assert mean_interval([]) is None
    assert mean_interval([0.5]) is None
    assert mean_interval([0.2, 0.4], clusters=["a", "a"]) is None
    assert mean_interval([1, 0], clusters=["a", "a"]) is None


def test_all_equal_scores_do_not_prove_that_all_others_are_equal() -> None:
    """0.025^(1 ÷ 10) = 0.691503: were fewer of all scores 0.5, ten of ten would be too rare."""
    found = mean_interval([0.5] * 10)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.691503 / 2, 1 - 0.691503 / 2), abs=1e-6)
    assert found.method == CONSTANT
    ones = mean_interval([1.0] * 10)
    assert ones is not None
    assert (ones.low, ones.high) == pytest.approx((0.691503, 1.0), abs=1e-6)


def test_scores_repeated_within_clusters_add_no_certainty() -> None:
    """Five clusters of 20 copies are worth five scores, in the interval of Clopper and Pearson."""
    scores = [0.2, 0.5, 0.9, 0.4, 0.7]
    often = mean_interval(scores * 20, clusters=list("abcde") * 20)
    assert often is not None
    number = 0.54 * 0.46 / (np.var(scores, ddof=1) / 5) * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 4)) ** 2
    low = stats.beta.ppf(0.025, number * 0.54, number * 0.46 + 1)
    high = stats.beta.ppf(0.975, number * 0.54 + 1, number * 0.46)
    assert (often.low, often.high) == pytest.approx((low, high), abs=1e-9)
    assert often.method == "exact with effective number, 5 clusters"


def test_clusters_of_unlike_size_count_as_fewer() -> None:
    """Sizes 4, 1, 1: 36 ÷ 18 = 2 units on 1 degree of freedom."""
    found = mean_interval([0.4, 0.5, 0.6, 0.5, 0.3, 0.8], clusters=["a"] * 4 + ["b", "c"])
    mean = 3.1 / 6
    scatter = ((2.0 - 4 * mean) ** 2 + (0.3 - mean) ** 2 + (0.8 - mean) ** 2) / 2**2
    number = mean * (1 - mean) / (scatter / 9 * 2) * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 1)) ** 2
    assert found is not None
    assert found.low == pytest.approx(stats.beta.ppf(0.025, number * mean, number * (1 - mean) + 1), abs=1e-9)


def test_clusters_that_are_all_alike_are_so_many_equal_values() -> None:
    found = mean_interval([0, 1] * 10, clusters=[str(number // 2) for number in range(20)])
    assert found is not None
    assert (found.low, found.high) == pytest.approx((0.691503 / 2, 1 - 0.691503 / 2), abs=1e-6)


def test_one_cluster_with_nearly_everything_leaves_nothing_to_estimate_from() -> None:
    assert mean_interval([0.4, 0.6] * 500 + [0.9], clusters=["a"] * 1000 + ["b"]) is None


@pytest.mark.parametrize("bad", [[0.5, nan], [0.1, float("inf")], [0.1, None], [0.1, 1.2], [-0.1, 0.3], ["x"], [[0.1]]])
def test_what_is_no_score_is_refused(bad: list[float]) -> None:
    with pytest.raises(InputError):
        mean_interval(bad)


def test_settings_out_of_range_are_refused() -> None:
    for level in (0.0, 1.0, nan, 95):
        with pytest.raises(InputError, match="level"):
            mean_interval([0.1, 0.7], level=level)
    with pytest.raises(InputError, match="2 values but 1 clusters"):
        mean_interval([0.1, 0.2], clusters=["a"])
    with pytest.raises(InputError, match="3 successes of 2"):
        share_interval(3, 2)


@given(SCORES)
def test_the_interval_holds_the_mean_and_stays_in_range(scores: list[float]) -> None:
    found = mean_interval(scores)
    assert found is not None
    assert 0.0 <= found.low <= np.mean(scores) + 1e-12
    assert np.mean(scores) - 1e-12 <= found.high <= 1.0


@given(SCORES)
def test_the_mirrored_scores_have_the_mirrored_interval(scores: list[float]) -> None:
    found, mirrored = mean_interval(scores), mean_interval([1 - one for one in scores])
    assert found is not None
    assert mirrored is not None
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((found.low, found.high), abs=1e-6)


@given(SCORES)
def test_a_higher_level_is_wider(scores: list[float]) -> None:
    narrow, wide = mean_interval(scores, level=0.8), mean_interval(scores, level=0.99)
    assert narrow is not None
    assert wide is not None
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high
