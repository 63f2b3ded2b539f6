"""Flip rate and deviation, by hand; and the interval's promise where all claims of a case flip together."""

import io
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from scipy.stats import binomtest

from whichhalf.core.claim import Claim, Label, Verdict
from whichhalf.core.outcome import Failed, Outcome, Scored, Undefined
from whichhalf.reporting.breakdown_text import print_noise
from whichhalf.statistics.judge_noise import judge_noise

LABELS: dict[str, Label] = {"s": "supported", "n": "not_mentioned", "c": "contradicted", "u": "unsure"}
LOST = Failed(stage="verify_claims", error="judge_unreachable", message="no connection")


def scored(labels: str, words: str = "abcdefgh", value: float | None = None) -> Scored:
    """Claims named by the letters of `words`, labelled by those of `labels`; the value is the supported share."""
    verdicts = tuple(
        Verdict(claim=Claim(id=number, text=word), label=LABELS[label])
        for number, (label, word) in enumerate(zip(labels, words, strict=False), start=1)
    )
    return Scored(value=labels.count("s") / len(labels) if value is None else value, verdicts=verdicts)


def test_by_hand() -> None:
    noise = judge_noise([[scored("ssnn"), scored("snnn")], [scored("ss"), scored("ss")]], scored=4)
    assert (noise.repeats, noise.cases, noise.lost) == (1, 2, 0)
    assert (noise.claims, noise.flipped) == (6, 1)
    assert noise.flip_rate == pytest.approx(1 / 6)
    # sizes 4 and 2 count as 36 ÷ 20 = 1 case: no flip of 1 below, 1 flip of 1 above
    assert (noise.low, noise.high) == (0.0, 1.0)
    # values .5 and .25 vary by 2 · .125² around their mean, 1 and 1 not at all; two degrees of freedom, four cases
    assert noise.deviation == pytest.approx(sqrt(2 * 0.125**2 / 2 / 4))
    assert noise.mean == pytest.approx((0.375 + 1) / 2)


def test_bug_195_repeats_give_mean_and_deviation() -> None:
    """Advice elsewhere is to average three runs by hand: (0.5714 + 0.6734 + 0.62) ÷ 3 = 0.6216."""
    replies = [scored("", value=value) for value in (0.5714, 0.6734, 0.62)]
    noise = judge_noise([replies], scored=1)
    assert noise.mean == pytest.approx(0.6216)
    # (0.0502² + 0.0518² + 0.0016²) ÷ 2
    assert noise.deviation == pytest.approx(sqrt(0.00520584 / 2), abs=1e-9)
    file = io.StringIO()
    print_noise(Console(file=file, width=120), {"faithfulness": noise})
    assert ["faithfulness", "1", "0", "0", "–", "0.622", "0.051"] in [
        line.split() for line in file.getvalue().split("\n")
    ]


def test_three_replies_and_equal_cases() -> None:
    rows = [[scored("s"), scored("n"), scored("c")]] + [[scored("s")] * 3] * 3
    noise = judge_noise(rows, scored=4)
    assert (noise.repeats, noise.claims, noise.flipped, noise.flip_rate) == (2, 8, 2, 0.25)
    # four cases, one of them flipped: 1 − (1 − p)⁴ = .025 below
    assert noise.low == pytest.approx(1 - 0.975**0.25)
    # values 1, 0, 0: squares 2/3 on two degrees of freedom of eight
    assert noise.deviation == pytest.approx(sqrt((2 / 3) / 8 / 4))


@pytest.mark.parametrize("n", range(1, 61))
def test_one_label_a_case_gives_the_exact_interval(n: int) -> None:
    """7 flips of 25 are 7.000000000000001 of 25 in floating point, which rounds up to 8."""
    same, other = [scored("s"), scored("s")], [scored("s"), scored("n")]
    for flipped in range(n + 1):
        noise = judge_noise([other] * flipped + [same] * (n - flipped), scored=n)
        exact = binomtest(flipped, n).proportion_ci(0.95, method="exact")
        assert (noise.low, noise.high) == pytest.approx((exact.low, exact.high), abs=1e-9)


def test_claims_are_matched_by_their_words_and_their_turn() -> None:
    first = scored("snsn", "abaa")
    again = scored("nsn", "aax")
    noise = judge_noise([[first, again]], scored=1)
    assert (noise.claims, noise.flipped) == (2, 1)  # first a: s and n; second a: s and s; b and x have no partner


def test_what_was_lost_is_counted_and_kept_out() -> None:
    rows: list[list[Outcome]] = [
        [scored("s"), LOST, scored("s")],
        [scored("s"), LOST, Undefined(because="refused")],
        [LOST, scored("s"), scored("n")],
        [Undefined(because="no_claims"), scored("s"), scored("n")],
    ]
    noise = judge_noise(rows, scored=2)
    assert (noise.repeats, noise.cases, noise.lost, noise.claims, noise.flipped) == (2, 1, 3, 1, 0)
    assert noise.deviation == 0.0


@pytest.mark.parametrize("rows", [[], [[LOST, LOST]], [[scored("s"), LOST]]])
def test_nothing_to_compare_is_no_number(rows: list[list[Outcome]]) -> None:
    noise = judge_noise(rows, scored=len(rows))
    assert (noise.flip_rate, noise.low, noise.high, noise.deviation, noise.mean) == (None,) * 5


def test_a_metric_without_verdicts_has_a_deviation_only() -> None:
    noise = judge_noise([[scored("", value=0.25), scored("", value=0.75)]], scored=1)
    assert (noise.claims, noise.flip_rate) == (0, None)
    assert noise.deviation == pytest.approx(sqrt(0.125))


@given(st.lists(st.tuples(st.text("snc", min_size=1, max_size=5), st.integers(1, 4)), min_size=1, max_size=6))
def test_a_judge_that_repeats_itself_has_no_noise(cases: list[tuple[str, int]]) -> None:
    noise = judge_noise([[scored(labels)] * (1 + times) for labels, times in cases], scored=len(cases))
    assert (noise.flipped, noise.flip_rate, noise.low) == (0, 0.0, 0.0)
    assert noise.deviation == pytest.approx(0.0, abs=1e-12)
    assert noise.claims == sum(len(labels) * times for labels, times in cases)


@pytest.mark.parametrize("rate", [0.02, 0.1, 0.4])
def test_the_interval_holds_the_true_rate_where_all_claims_of_a_case_flip_together(rate: float) -> None:
    rng = Random(20261130)
    held = 0
    for _ in range(500):
        sizes = [rng.randint(1, 6) for _ in range(25)]
        rows = [[scored("s" * n), scored(("n" if rng.random() < rate else "s") * n)] for n in sizes]
        noise = judge_noise(rows, scored=25)
        assert noise.low is not None
        assert noise.high is not None
        held += noise.low <= rate <= noise.high
    assert held >= 0.95 * 500
