"""A mean travels with its counts and the bounds that failures leave open."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta

from whichhalf.core.outcome import Failed, Outcome, Scored, Undefined
from whichhalf.core.run import MetricSummary
from whichhalf.statistics.mean import summarise

SCORED = st.builds(Scored, value=st.floats(0.0, 1.0), verdicts=st.just(()))
UNDEFINED = st.builds(Undefined)
FAILED = st.builds(
    Failed, stage=st.just("verify_claims"), error=st.sampled_from(["reply_cut", "timeout"]), message=st.just("m")
)
OUTCOMES = st.lists(SCORED | UNDEFINED | FAILED, max_size=12)


def failed(error: str = "reply_cut") -> Failed:
    return Failed(stage="verify_claims", error=error, message="…")


def test_exact_counts() -> None:
    summary = summarise(
        [
            Scored(value=1.0),
            Undefined(because="no_claims"),
            failed("reply_cut"),
            Scored(value=0.25),
            failed("judge_refused"),
            Undefined(because="refused"),
            Undefined(because="no_claims"),
            failed("reply_cut"),
        ],
        "what it means",
    )
    # number 0.234375 ÷ 0.140625 · (1.959964 ÷ 12.706205)² = 0.0396562
    high = beta.ppf(0.975, 0.0396562 * 0.625 + 0.5, 0.0396562 * 0.375 + 0.5)
    assert summary.high == pytest.approx(high, abs=1e-6)
    # one of two is 1, whatever the other: 1 − (1 − p)² = 0.025
    assert summary.low == pytest.approx(1 - 0.975**0.5, abs=1e-6)
    assert summary == MetricSummary(
        mean=0.625,
        low=summary.low,
        high=summary.high,
        interval="95 %, beta with effective number",
        scored=2,
        undefined={"no_claims": 2, "refused": 1},
        failed={"judge_refused": 1, "reply_cut": 2},
        if_failed_were=(0.25, 0.85),
        contract="what it means",
    )
    assert summary.coverage == 0.4


def test_passes_and_failures_have_the_exact_interval() -> None:
    summary = summarise([Scored(value=1.0)] * 9 + [Scored(value=0.0)] + [failed()], "c")
    assert summary.low == pytest.approx(0.5549839, abs=1e-6)
    assert summary.high == pytest.approx(0.9974714, abs=1e-6)
    assert summary.interval == "95 %, exact (Clopper–Pearson)"


def test_one_score_has_no_interval() -> None:
    summary = summarise([Scored(value=0.5)], "c")
    assert (summary.mean, summary.low, summary.high, summary.interval) == (0.5, None, None, None)


def test_nothing_at_all() -> None:
    summary = summarise([], "c")
    assert (summary.mean, summary.low, summary.interval) == (None, None, None)
    assert summary.if_failed_were is None
    assert summary.coverage is None
    assert (summary.scored, summary.undefined, summary.failed) == (0, {}, {})


def test_nothing_definable() -> None:
    summary = summarise([Undefined(because="no_claims")] * 3, "c")
    assert summary.mean is None
    assert summary.if_failed_were is None
    assert summary.coverage is None
    assert summary.undefined == {"no_claims": 3}


def test_everything_failed() -> None:
    summary = summarise([failed()] * 3, "c")
    assert summary.mean is None
    assert summary.if_failed_were == (0.0, 1.0)
    assert summary.coverage == 0.0


def test_nothing_failed() -> None:
    summary = summarise([Scored(value=0.0), Scored(value=1.0), Undefined(because="refused")], "c")
    assert summary.mean == 0.5
    assert summary.if_failed_were == (0.5, 0.5)
    assert summary.coverage == 1.0


def test_a_missing_output_counts_against_coverage_not_the_mean() -> None:
    summary = summarise([Scored(value=1.0), Undefined(because="missing_output")], "c")
    assert summary.mean == 1.0
    assert summary.coverage == 0.5


def test_bug_129_a_score_that_was_not_got_spreads_no_further() -> None:
    """The case holds a NaN; here NaN cannot be a score, so the row is a failure of its own kind."""
    summary = summarise([Scored(value=0.9), failed("not_a_number"), Scored(value=0.8)], "c")
    assert summary.mean == pytest.approx(0.85)
    assert (summary.scored, summary.failed) == (2, {"not_a_number": 1})


def test_bug_131_no_claims_is_not_0_and_not_a_failure() -> None:
    summary = summarise([Undefined(because="no_claims"), failed("judge_unreachable")], "c")
    assert summary.mean is None
    assert (summary.undefined, summary.failed) == ({"no_claims": 1}, {"judge_unreachable": 1})


def test_bug_134_both_readings_of_an_error_are_shown() -> None:
    summary = summarise([Scored(value=1.0)] * 2 + [Scored(value=0.0)] * 4 + [failed()] * 2, "c")
    assert summary.mean == pytest.approx(0.333333, abs=1e-6)
    assert summary.if_failed_were == (0.25, 0.5)


def test_bug_142_one_lost_row_withholds_nothing() -> None:
    """The coverage floor itself, 0.95 with us, belongs to the gate."""
    summary = summarise([Scored(value=0.8)] * 19 + [failed()], "c")
    assert summary.mean == pytest.approx(0.8)
    assert summary.coverage == 0.95


def test_bug_248_a_crashing_judge_does_not_raise_the_bounds() -> None:
    summary = summarise([Scored(value=0.9)] * 5 + [failed()] * 5, "c")
    assert summary.mean == pytest.approx(0.9)
    assert summary.coverage == 0.5
    assert summary.if_failed_were == pytest.approx((0.45, 0.95))


@given(OUTCOMES)
def test_every_outcome_is_counted_once(outcomes: list[Outcome]) -> None:
    summary = summarise(iter(outcomes), "c")
    assert summary.scored + sum(summary.undefined.values()) + sum(summary.failed.values()) == len(outcomes)
    assert summary.undefined == Counter(one.because for one in outcomes if isinstance(one, Undefined))
    assert summary.failed == Counter(one.error for one in outcomes if isinstance(one, Failed))


@given(OUTCOMES)
def test_the_bounds_enclose_the_mean(outcomes: list[Outcome]) -> None:
    summary = summarise(outcomes, "c")
    if summary.if_failed_were is None:
        assert summary.mean is None
        return
    low, high = summary.if_failed_were
    assert 0.0 <= low <= high <= 1.0
    assert summary.mean is None or low - 1e-12 <= summary.mean <= high + 1e-12


@given(OUTCOMES, st.floats(0.0, 1.0))
def test_the_bounds_enclose_whatever_was_lost(outcomes: list[Outcome], lost: float) -> None:
    summary = summarise(outcomes, "c")
    found = summarise([Scored(value=lost) if isinstance(one, Failed) else one for one in outcomes], "c")
    if found.mean is not None:
        assert summary.if_failed_were is not None
        low, high = summary.if_failed_were
        assert low - 1e-12 <= found.mean <= high + 1e-12


@given(OUTCOMES.flatmap(lambda outcomes: st.tuples(st.just(outcomes), st.permutations(outcomes))))
def test_the_order_does_not_matter(both: tuple[list[Outcome], list[Outcome]]) -> None:
    """To the last bit: floats are added exactly."""
    given_order, other_order = both
    assert summarise(other_order, "c") == summarise(given_order, "c")


@given(st.floats(0.0, 1.0), st.integers(1, 50))
def test_equal_scores_have_that_mean(value: float, n: int) -> None:
    assert summarise([Scored(value=value)] * n, "c").mean == pytest.approx(value, rel=1e-12, abs=1e-300)
