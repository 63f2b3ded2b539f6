"""Agreement and detection, beside statsmodels and hand arithmetic."""

from itertools import product
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.inter_rater import cohens_kappa

from whichhalf.errors import InputError
from whichhalf.statistics.agreement import Estimate, agreement, detection, paired_detection
from whichhalf.statistics.intervals import share_interval

LABELS = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc")), min_size=1, max_size=40)


def test_by_hand() -> None:
    """Five of six agree; chance 0.5 · 4/6 + 0.5 · 2/6 = 0.5; kappa (5/6 − 0.5) ÷ 0.5."""
    found = agreement("aabbab", "aabbaa")
    assert found.n == 6
    assert found.table == {"a": {"a": 3, "b": 0}, "b": {"a": 1, "b": 2}}
    exact = share_interval(5, 6)
    assert found.observed == Estimate(value=5 / 6, low=exact.low, high=exact.high, level=0.95)
    assert found.kappa is not None
    assert found.kappa.value == pytest.approx(2 / 3)


@given(LABELS)
def test_kappa_and_its_variance_are_those_of_statsmodels(pairs: list[tuple[str, str]]) -> None:
    found = agreement([one for one, _ in pairs], [other for _, other in pairs])
    if found.kappa is None:
        assert len(found.table) == 1
        return
    counts = np.array([[row[label] for label in found.table] for row in found.table.values()])
    with np.errstate(all="ignore"):
        theirs = cohens_kappa(counts)
    assert found.kappa.value == pytest.approx(theirs.kappa, abs=1e-12)
    assert -1 <= found.kappa.low <= found.kappa.value <= found.kappa.high <= 1
    if found.n > 1:
        more = cohens_kappa(counts + 2 / counts.size)
        reach = stats.t.ppf(0.975, found.n - 1) * sqrt(max(more.var_kappa, 0.0))
        low, high = min(more.kappa - reach, theirs.kappa), max(more.kappa + reach, theirs.kappa)
        assert (found.kappa.low, found.kappa.high) == pytest.approx((max(low, -1), min(high, 1)), abs=1e-7)


def test_large_samples_agree_with_the_normal_interval() -> None:
    random = np.random.default_rng(2)
    first = random.integers(0, 2, 4000)
    second = np.where(random.random(4000) < 0.8, first, 1 - first)
    found = agreement(first.tolist(), second.tolist()).kappa
    theirs = cohens_kappa(np.array([[np.sum((first == i) & (second == j)) for j in (0, 1)] for i in (0, 1)]))
    assert found is not None
    assert (found.low, found.high) == pytest.approx((theirs.kappa_low, theirs.kappa_upp), abs=1e-3)


def test_perfect_agreement_is_not_certainty() -> None:
    found = agreement("abababab", "abababab").kappa
    assert found is not None
    assert found.value == found.high == 1.0
    assert found.low < 0.5


def test_one_label_throughout_leaves_kappa_undefined() -> None:
    found = agreement("aaa", "aaa")
    assert found.kappa is None
    assert found.observed is not None
    assert found.observed.value == 1.0


def test_nothing_to_compare() -> None:
    found = agreement([], [])
    assert (found.n, found.observed, found.kappa, found.table) == (0, None, None, {})
    empty = detection([], [])
    assert (empty.sensitivity, empty.specificity, empty.balanced_accuracy) == (None, None, None)


def test_detection_by_hand() -> None:
    truth = [True] * 10 + [False] * 20
    said = [True] * 8 + [False] * 2 + [True] * 5 + [False] * 15
    found = detection(truth, said)
    assert (found.n, found.positives) == (30, 10)
    assert found.sensitivity is not None
    assert found.specificity is not None
    assert found.balanced_accuracy is not None
    assert (found.sensitivity.value, found.specificity.value) == (0.8, 0.75)
    assert found.balanced_accuracy.value == pytest.approx(0.775)
    exact = share_interval(15, 20)
    assert (found.specificity.low, found.specificity.high) == (exact.low, exact.high)
    found_ones, left_alone = stats.binomtest(8, 10).proportion_ci(), stats.binomtest(15, 20).proportion_ci()
    below = sqrt((0.8 - found_ones.low) ** 2 + (0.75 - left_alone.low) ** 2) / 2
    above = sqrt((found_ones.high - 0.8) ** 2 + (left_alone.high - 0.75) ** 2) / 2
    assert found.balanced_accuracy.low == pytest.approx(0.775 - below)
    assert found.balanced_accuracy.high == pytest.approx(0.775 + above)
    assert found.table == {"False": {"False": 15, "True": 5}, "True": {"False": 2, "True": 8}}


def test_the_interval_of_balanced_accuracy_holds_it_also_where_positives_are_few() -> None:
    """Every possible count of 10 positives and 40 negatives, each right in 90 %, with its binomial chance."""
    held = 0.0
    for found, left in product(range(11), range(41)):
        said = [True] * found + [False] * (10 - found) + [False] * left + [True] * (40 - left)
        estimate = detection([True] * 10 + [False] * 40, said).balanced_accuracy
        assert estimate is not None
        if estimate.low <= 0.9 <= estimate.high:
            held += stats.binom.pmf(found, 10, 0.9) * stats.binom.pmf(left, 40, 0.9)
    assert held >= 0.95


def test_without_positives_sensitivity_is_undefined() -> None:
    found = detection([False, False], [True, False])
    assert (found.positives, found.sensitivity, found.balanced_accuracy) == (0, None, None)
    assert found.specificity is not None
    assert found.specificity.value == 0.5


def test_two_readers_are_compared_item_by_item() -> None:
    """b is right where a is wrong on six items, the other way on none: p = 2 ÷ 2⁶."""
    truth = [True] * 10
    found = paired_detection(truth, [True] * 4 + [False] * 6, truth)
    assert (found.wins, found.losses, found.test) == (6, 0, "exact McNemar")
    assert found.p == pytest.approx(stats.binomtest(0, 6).pvalue)


def test_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(InputError):
        agreement("ab", "a")
    with pytest.raises(InputError):
        detection([True], [])
    with pytest.raises(InputError):
        paired_detection([True], [True], [])
