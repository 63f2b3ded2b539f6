"""A run whose config names an embedding model: asked once, kept, replayed, and named in the folder."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge_server import JudgeServer, Response
from whichhalf.errors import InputError
from whichhalf.jobs.evaluation import check_evaluation, run_evaluation
from whichhalf.running.config import Config, read_config

GOLDEN = [{"id": f"q{at}", "question": f"What about fee {at}?"} for at in range(3)]
OUTPUTS = [{"id": f"q{at}", "answer": f"Fee {at} is due in May."} for at in range(3)]


def config(folder: Path, server: JudgeServer, more: str = "") -> Config:
    for name, rows in (("golden", GOLDEN), ("outputs", OUTPUTS)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    path = folder / "config.toml"
    path.write_text(
        f"""
        [data]
        golden = "golden.jsonl"
        outputs = "outputs.jsonl"
        [metrics]
        judged = ["answer_relevance"]
        relevance_questions = 2
        [judge]
        model = "openai/judge-a"
        base_url = "{server.base_url}"
        [embedding]
        model = "openai/embedder-a"
        base_url = "{server.base_url}"
        {more}
        [run]
        out = "runs"
        cache = "cache"
        """,
        encoding="utf-8",
    )
    return read_config(path)


def paths(server: JudgeServer) -> list[str]:
    return [request.path.rpartition("/")[2] for request in server.requests]


def test_it_is_asked_once_a_case_and_kept(tmp_path: Path) -> None:
    with JudgeServer() as server:
        settings = config(tmp_path, server)
        assert any("answer_relevance(questions=2)" in line for line in check_evaluation(settings))
        assert server.requests == [], "checking asks nothing"
        first = run_evaluation(settings, "first")
        assert sorted(paths(server)) == ["completions"] * 6 + ["embeddings"] * 3
        second = run_evaluation(settings, "second", replay_only=True)
        assert len(server.requests) == 9
    assert (first.run.cost.judge_calls, first.run.cost.embedding_calls) == (6, 3)
    assert (second.run.cost.judge_calls, second.run.cost.embedding_calls) == (0, 0)
    assert [one.outcomes for one in first.run.results] == [one.outcomes for one in second.run.results]
    (summary,) = first.run.metrics.values()
    assert (summary.scored, summary.failed) == (3, {})
    assert summary.contract.endswith("embeddings of openai/embedder-a")
    judge: Any = first.run.manifest.judge
    assert judge["embedding"] == {"model": "openai/embedder-a", "endpoint": server.base_url}
    assert judge["returned"] == ["judge-a-2026-11-01"], "the embedding model is no judge"


def test_a_broken_embedding_server_fails_the_cases_not_the_run(tmp_path: Path) -> None:
    bad = Response(body={"object": "list", "data": [], "model": "m", "usage": {}})
    with JudgeServer(plan=lambda request: bad if request.path.endswith("embeddings") else None) as server:
        finished = run_evaluation(config(tmp_path, server), "broken")
    (summary,) = finished.run.metrics.values()
    assert (summary.mean, summary.failed, summary.if_failed_were) == (None, {"embedding": 3}, (0.0, 1.0))


def test_a_missing_key_is_found_before_anything_is_asked(tmp_path: Path) -> None:
    with JudgeServer() as server:
        settings = config(tmp_path, server, 'api_key_env = "NO_SUCH_KEY"')
        with pytest.raises(InputError, match="embedding model openai/embedder-a needs a key"):
            run_evaluation(settings, "run")
        assert server.requests == []
