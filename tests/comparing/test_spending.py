"""Cost and latency beside quality: what was logged on both sides, and no number where nothing was."""

from typing import Any

import pytest

from run_makers import a_case, a_run
from whichhalf import compare
from whichhalf.core.run import Cost

SCORES = {"faithfulness": [1.0, 1.0, 1.0]}


def logging(*rows: dict[str, Any]) -> Any:
    return a_run(SCORES, [a_case(f"q{number}", meta=row) for number, row in enumerate(rows, start=1)])


def test_latency_over_the_pairs_that_log_it_on_both_sides() -> None:
    a = logging({"latency_ms": 100}, {"latency_ms": 300.0}, {"latency_ms": 10_000})
    b = logging({"latency_ms": 200}, {"latency_ms": 500}, {"latency_ms": "slow"})
    (latency,) = compare(a, b).spend
    assert (latency.what, latency.n) == ("latency_ms", 2)
    assert (latency.mean_a, latency.mean_b, latency.median_a, latency.median_b) == (200, 350, 200, 350)
    # mean difference 150, deviation 70.71, t(0.975, 1) = 12.706: 150 ± 635.3
    assert latency.low == pytest.approx(150 - 12.7062 * 50, abs=0.1)
    assert latency.high == pytest.approx(150 + 12.7062 * 50, abs=0.1)


def test_without_spread_there_is_no_interval() -> None:
    (cost,) = compare(*[logging(*[{"cost_usd": value}] * 3) for value in (0.25, 0.5)]).spend
    assert (cost.mean_a, cost.mean_b, cost.low, cost.high) == (0.25, 0.5, None, None)


def test_nothing_logged_is_nothing_told() -> None:
    booleans = logging({"latency_ms": True}, {"cost_usd": None}, {})
    assert compare(booleans, booleans).spend == ()


def test_what_judging_took() -> None:
    known = Cost(judge_calls=3, cached=1, prompt_tokens=10, completion_tokens=5, usd=0.25)
    found = compare(a_run(SCORES, cost=known), a_run(SCORES, cost=Cost(judge_calls=2)))
    assert (found.judging_a.calls, found.judging_a.cached, found.judging_a.tokens, found.judging_a.usd) == (
        3,
        1,
        15,
        0.25,
    )
    assert (found.judging_b.tokens, found.judging_b.usd) == (None, None)
