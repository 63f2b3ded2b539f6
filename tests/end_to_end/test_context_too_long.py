"""A row that is longer than the judge's window is not sent, and the others are scored."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge_server import JudgeServer, Received, Response, error
from kill_runs import write_config, write_rows
from whichhalf.jobs.evaluation import run_evaluation
from whichhalf.jobs.forecasting import forecast_evaluation
from whichhalf.running.config import read_config

WINDOW = {"context_tokens": 4096, "max_prompt_tokens": 2000}
LONG = "word " * 9000


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Two questions; the answer to the second has 9,000 words."""
    write_rows(tmp_path, 2)
    outputs = tmp_path / "outputs.jsonl"
    first, second = outputs.read_text(encoding="utf-8").splitlines()
    second = json.dumps({**json.loads(second), "answer": LONG})
    outputs.write_text(f"{first}\n{second}\n", encoding="utf-8")
    return tmp_path


def outcomes(run: Any, row: int) -> dict[str, str]:
    """Of the metrics that need the answer's text read."""
    found = run.results[row].outcomes
    return {name: getattr(found[name], "error", found[name].kind) for name in ("faithfulness", "answer_relevance")}


def test_bug_166_only_the_long_row_fails_and_nothing_of_it_is_sent(rows: Path) -> None:
    with JudgeServer() as server:
        run = run_evaluation(read_config(write_config(rows, server, **WINDOW)), "long").run
    assert outcomes(run, 0) == {"faithfulness": "scored", "answer_relevance": "scored"}
    assert outcomes(run, 1) == {"faithfulness": "context_too_long", "answer_relevance": "context_too_long"}
    assert run.metrics["context_recall"].scored == 2, "the second row's passages and reference are short"
    assert not [one for one in server.requests if len(one.body["messages"][-1]["content"]) > 9000]
    lost = [call for call in run.calls if call.result == "context_too_long"]
    assert [(call.attempts, call.cached) for call in lost] == [(0, False)], "both metrics begin with its claims"
    assert run.cost.judge_calls == len(server.requests)


def test_bug_166_it_is_forecast(rows: Path) -> None:
    with JudgeServer() as server:
        forecast = forecast_evaluation(read_config(write_config(rows, server, **WINDOW)))
        sent = run_evaluation(read_config(write_config(rows, server, **WINDOW)), "long").run.cost.judge_calls
    assert forecast.notices == ("questions longer than the judge's window, which are not sent and fail: 1",)
    assert forecast.calls == sent


def test_many_passages_are_spread_over_prompts_that_fit_a_small_window(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight passages of 1,500 words are too much for the 8,192 tokens of gpt-4, and each alone is not."""
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    write_rows(tmp_path, 1)
    passages = [{"id": f"p{number}", "text": f"{number}" + " word" * 1500} for number in range(8)]
    row = {"id": "q000", "retrieved": passages, "context": passages, "answer": "Rule 0-0 holds."}
    (tmp_path / "outputs.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    with JudgeServer() as server:
        config = read_config(write_config(tmp_path, server))
    judge = config.judge.model_copy(update={"model": "openai/gpt-4", "base_url": None})
    metrics = config.metrics.model_copy(update={"judged": ["faithfulness"]})
    forecast = forecast_evaluation(config.model_copy(update={"judge": judge, "metrics": metrics}))
    assert forecast.notices == ()
    assert {one.prompt: one.calls for one in forecast.prompts} == {"split_claims/v2": 1, "verify_claims/v3": 8}


def test_bug_168_a_server_that_finds_it_too_long_is_asked_once(rows: Path) -> None:
    """With its window unknown here."""

    def plan(request: Received) -> Response | None:
        if len(request.body["messages"][-1]["content"]) > 9000:
            return error(400, "This model's maximum context length is 4096 tokens.")
        return None

    with JudgeServer(plan=plan) as server:
        run = run_evaluation(read_config(write_config(rows, server)), "long").run
    assert outcomes(run, 0) == {"faithfulness": "scored", "answer_relevance": "scored"}
    assert outcomes(run, 1) == {"faithfulness": "context_too_long", "answer_relevance": "context_too_long"}
    long = [one for one in server.requests if len(one.body["messages"][-1]["content"]) > 9000]
    assert len(long) == 1, "both metrics begin with its claims"
