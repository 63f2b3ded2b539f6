"""Paired differences: equal to scipy and statsmodels where these have them, and honest where little is known."""

from math import nan, sqrt

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.weightstats import ttost_paired

from whichhalf.errors import InputError
from whichhalf.statistics.paired import PairedDifference, mcnemar_p, paired_difference
from whichhalf.statistics.power import detectable_difference

A = [0.1, 0.4, 0.35, 0.8, 0.65, 0.3, 0.9, 0.5]
B = [0.2, 0.45, 0.3, 0.95, 0.7, 0.6, 0.85, 0.55]
EVEN = [one + 0.08 + step for one, step in zip(A, (0.05, -0.05, 0.1, -0.1, 0.15, -0.15, 0.2, -0.2), strict=True)]
PAIRS = st.lists(st.tuples(st.floats(0.0, 1.0), st.floats(0.0, 1.0)), max_size=12)


def ends(found: PairedDifference) -> tuple[float, float]:
    assert found.low is not None
    assert found.high is not None
    return found.low, found.high


def apart(pairs: list[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [one for one, _ in pairs], [other for _, other in pairs]


def test_without_ties_and_skew_the_interval_is_students_t() -> None:
    found = paired_difference(A, EVEN)
    t = stats.ttest_rel(EVEN, A).confidence_interval(0.95)
    assert ends(found) == pytest.approx((t.low, t.high))


def test_the_longer_tail_moves_its_end_outwards() -> None:
    """Johnson's shift, Σ e³ ÷ Σ e² · (1 + 2 t²) ÷ 6 n, at the upper end only; degrees of freedom by kurtosis."""
    found = paired_difference(A, B)
    strays = np.subtract(B, A) - 0.075
    t = stats.t.ppf(0.975, min(7, 16 / (stats.kurtosis(strays, fisher=False) - 1 + 2 / 7)))
    reach = t * stats.sem(strays)
    shift = (strays**3).sum() / (strays**2).sum() * (1 + 2 * t**2) / 48
    assert shift > 0.01
    assert ends(found) == pytest.approx((0.075 - reach, 0.075 + reach + shift))
    assert (found.wins, found.ties, found.losses) == (6, 0, 2)
    assert found.difference == pytest.approx(0.075)
    assert found.mean_a == pytest.approx(0.5)
    assert found.mean_b == pytest.approx(0.575)
    assert (found.test, found.permutations, found.n, found.clusters) == ("sign-flip permutation", 256, 8, None)


def test_without_ties_and_skew_equivalence_is_that_of_statsmodels() -> None:
    for margin in (0.02, 0.1, 0.3):
        expected = ttost_paired(np.array(EVEN), np.array(A), -margin, margin)[0]
        assert paired_difference(A, EVEN, margin=margin).equivalence_p == pytest.approx(expected)


def test_all_sign_patterns_as_scipy_tries_them() -> None:
    differences = np.subtract(B, A)
    expected = stats.permutation_test((differences,), np.mean, permutation_type="samples", n_resamples=256).pvalue
    assert paired_difference(A, B).p == pytest.approx(expected)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_that_of_statsmodels(wins: int, losses: int) -> None:
    expected = mcnemar([[5, wins], [losses, 5]], exact=True).pvalue if wins + losses else 1.0
    assert mcnemar_p(wins, losses) == pytest.approx(float(expected))


def test_passes_and_failures_by_hand() -> None:
    """Bonett and Price, 2 wins of 10: centre 2 ÷ 11.6 with two questions of weight 0.8 imagined among 8 ties.

    Kurtosis 10 · .832 ÷ 1.6² = 3.25 leaves 20 ÷ (2.25 + 2 ÷ 9) degrees of freedom.
    """
    found = paired_difference([0] * 2 + [1] * 8, [1] * 10)
    number, c = 11.6, 2 / 11.6
    squares = 3.6 - number * c**2
    t = stats.t.ppf(0.975, 20 / (2.25 + 2 / 9))
    reach = t * sqrt(squares / number / (number - 1))
    cubes = 2.8 * (1 - c) ** 3 - 8 * c**3 - 0.8 * (1 + c) ** 3
    shift = cubes / squares * (1 + 2 * t**2) / (6 * number)
    assert ends(found) == pytest.approx((c - reach, c + reach + shift))
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
    reach = 1 - 0.025 ** (1 / 30)  # were more of all questions to differ, thirty ties of thirty would be too rare
    assert ends(found) == pytest.approx((-reach, reach))
    assert found.equivalence_p == pytest.approx(0.98**30)
    assert found.interval == "exact, all equal"
    assert paired_difference([0.5] * 1000, [0.5] * 1000).equivalence_p < 0.001


def test_the_same_difference_everywhere_is_not_certain_either() -> None:
    """As if up to a share 1 − 0.025^(1 ÷ 20) of all differences could be −1, or 1."""
    found = paired_difference([0.25] * 20, [0.5] * 20, margin=0.4)
    unseen = 1 - 0.025 ** (1 / 20)
    assert ends(found) == pytest.approx((0.25 - 1.25 * unseen, 0.25 + 0.75 * unseen))
    assert found.p < 0.001
    assert found.equivalence_p == pytest.approx(0.8**20)  # a fifth of them 1 would lift the mean to the margin
    assert paired_difference([0.25] * 20, [0.5] * 20, margin=0.25).equivalence_p == 1.0


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
    assert ends(found) == pytest.approx(ends(paired_difference([0.0] * 4, means.tolist())))


def test_one_cluster_with_nearly_everything_shows_nothing() -> None:
    found = paired_difference([0.0] * 101, [0.5, 0.4] * 50 + [0.1], clusters=["a"] * 100 + ["b"])
    assert (found.clusters, found.p, found.detectable) == (2, 0.5, None)
    assert (found.low, found.high, found.equivalence_p) == (None, None, 1.0)


def test_the_detectable_difference_of_the_data() -> None:
    deviation = float(np.std(np.subtract(B, A), ddof=1))
    assert paired_difference(A, B).detectable == pytest.approx(detectable_difference(deviation, 8))


@given(PAIRS)
@example([(0.0, 0.0), (0.0, 4.177701754642991e-158)])
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


@given(PAIRS, st.floats(0.01, 0.9))
def test_an_interval_within_the_margin_and_equivalence_say_the_same(
    pairs: list[tuple[float, float]], margin: float
) -> None:
    """Two one-sided tests at 5 % are a 90 % interval."""
    found = paired_difference(*apart(pairs), margin=margin, level=0.9)
    if found.low is not None and found.high is not None and abs(found.equivalence_p - 0.05) > 1e-9:
        assert (found.equivalence_p < 0.05) == (-margin < found.low and found.high < margin)


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


def test_few_clusters_that_differ_are_never_called_equivalent() -> None:
    names = [f"c{at // 2}" for at in range(80)]

    def found(differing: int) -> float:
        b = [0.5 + (0.01 if at % 4 < 2 else -0.01) * (at < 2 * differing) for at in range(80)]
        return paired_difference([0.5] * 80, b, margin=0.2, clusters=names).equivalence_p

    assert found(29) == 1.0
    assert found(30) < 0.001
    assert found(0) == pytest.approx(0.8**40), "where none differs the exact rule holds"
