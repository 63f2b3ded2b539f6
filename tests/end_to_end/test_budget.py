"""A run that may not spend what it needs: it stops cleanly, spread over the slices, and goes on when called again."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge_server import JudgeServer, always, slow
from kill_runs import HEADLINE, write_config, write_rows
from whichhalf.core.run import Run
from whichhalf.errors import InputError
from whichhalf.jobs.evaluation import Finished, run_evaluation
from whichhalf.jobs.forecasting import forecast_evaluation
from whichhalf.running.config import read_config

CASES = 18
CALLS = 5 * CASES
USD_A_CALL = 11 * 1.5e-07 + 7 * 6e-07
"""gpt-4o-mini, at the tokens that the server tells."""


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer() as server:
        yield server


def run(folder: Path, server: JudgeServer, **judge: Any) -> Finished:
    write_rows(folder, CASES)
    return run_evaluation(read_config(write_config(folder, server, concurrency=4, **judge)), "run")


def whole(run: Run) -> list[str]:
    """Topics of the questions that have all their outcomes."""
    done = [one for one in run.results if all(one.outcomes[name].kind == "scored" for name in HEADLINE)]
    return [one.case.question.tags["topic"] for one in done]


def test_calls_are_limited_spread_over_the_slices_and_resumed(tmp_path: Path, server: JudgeServer) -> None:
    first = run(tmp_path, server, max_calls=30)
    assert len(server.requests) == 30
    assert first.unpaid == CASES - 6
    topics = whole(first.run)
    assert len(topics) == 6, "thirty calls are six whole questions, not eighteen halves"
    assert topics.count("fees") == 2, "a third of the questions are about fees"
    assert [one.case.id for one in first.run.results] == [f"q{number:03d}" for number in range(CASES)]
    outcomes = [one.outcomes["faithfulness"] for one in first.run.results]
    assert {one.error for one in outcomes if one.kind == "failed"} == {"budget_spent"}
    assert first.run.metrics["faithfulness"].failed == {"budget_spent": CASES - 6}

    second = run(tmp_path, server, max_calls=30)
    assert (len(server.requests), len(whole(second.run))) == (60, 12)
    third = run(tmp_path, server, max_calls=30)
    assert (len(server.requests), third.unpaid, len(whole(third.run))) == (CALLS, 0, CASES)


def test_bug_154_a_resumed_run_tells_of_all_its_parts(tmp_path: Path) -> None:
    with JudgeServer(plan=always(slow(0.01))) as server:
        parts = [run(tmp_path, server, max_calls=30).run for _ in range(3)]
    last = parts[-1]
    assert [part.cost.judge_calls for part in parts] == [30, 30, 30]
    assert (last.cost.prompt_tokens, last.cost.completion_tokens) == (30 * 11, 30 * 7)
    assert last.replies_cost.prompt_tokens == CALLS * 11
    assert last.replies_cost.completion_tokens == CALLS * 7
    fresh = [call for part in parts for call in part.calls if call.prompt_sha256 and not call.cached]
    waited = [call.latency_seconds for call in fresh if call.result == "ok"]  # others waited for a budget, in vain
    assert len(waited) == CALLS
    assert last.replies_seconds == pytest.approx(sum(waited), abs=0.001 * CALLS)


def test_money_is_never_overspent(tmp_path: Path, server: JudgeServer) -> None:
    budget = 70 * USD_A_CALL  # of 90; a call may cost as much as 60 of these, so some stay unspent
    done = run(tmp_path, server, budget_usd=budget, max_output_tokens=64)
    assert 0 < len(server.requests) * USD_A_CALL <= budget
    assert done.unpaid > 0
    assert done.run.cost.usd == pytest.approx(len(server.requests) * USD_A_CALL)


def test_enough_money_changes_nothing(tmp_path: Path, server: JudgeServer) -> None:
    done = run(tmp_path, server, budget_usd=1.0, max_calls=CALLS)
    assert (done.unpaid, len(server.requests)) == (0, CALLS)
    assert done.run.replies_cost.usd == pytest.approx(CALLS * USD_A_CALL)


def test_money_cannot_be_limited_where_the_price_is_unknown(tmp_path: Path, server: JudgeServer) -> None:
    with pytest.raises(InputError) as caught:
        run(tmp_path, server, model="openai/judge-a", budget_usd=1.0)
    assert str(caught.value) == (
        "[judge] budget_usd: the price of openai/judge-a is not known, so money cannot be limited: set max_calls"
    )
    assert server.requests == []
    assert not (tmp_path / "cache").exists()


def test_a_forecast_asks_nothing_and_is_met(tmp_path: Path, server: JudgeServer) -> None:
    write_rows(tmp_path, CASES)
    config = read_config(write_config(tmp_path, server, api_key_env="NO_SUCH_KEY", max_calls=10))
    before = forecast_evaluation(config)
    assert server.requests == []
    assert not (tmp_path / "cache").exists()
    assert not (tmp_path / "runs").exists()
    assert [(row.prompt, row.questions, row.calls) for row in before.prompts] == [
        ("split_claims/v2", 2 * CASES, 2 * CASES),
        ("verify_claims/v3", 2 * CASES, 2 * CASES),
        ("write_questions/v2", CASES, CASES),
    ]
    assert before.usd == pytest.approx(before.prompt_tokens * 1.5e-07 + before.completion_tokens * 6e-07)
    assert before.notices == (f"max_calls = 10 does not cover the {CALLS} calls",)

    run(tmp_path, server, max_calls=30)
    after = forecast_evaluation(config)
    assert (after.kept, after.calls) == (30, CALLS - 30)


def test_an_unknown_price_is_never_zero(tmp_path: Path, server: JudgeServer) -> None:
    write_rows(tmp_path, 2)
    forecast = forecast_evaluation(read_config(write_config(tmp_path, server, model="openai/judge-a")))
    assert (forecast.calls, forecast.usd) == (10, None)
    assert json.loads(forecast.model_dump_json())["usd"] is None
