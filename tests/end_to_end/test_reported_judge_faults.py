"""Reported faults of tools like this, each through a run with a judge behind HTTP."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from judge_server import JudgeServer, Received, Response, cut, error, rejecting
from kill_runs import HEADLINE, write_config, write_rows
from whichhalf import evaluate, load_golden, load_outputs
from whichhalf.errors import PromptError
from whichhalf.jobs.evaluation import run_evaluation
from whichhalf.judging.settings import JudgeSettings
from whichhalf.judging.stack import build_judge
from whichhalf.prompting.prompt_folder import load_prompt
from whichhalf.running.config import read_config


def run(folder: Path, server: JudgeServer, **judge: object) -> Any:
    return run_evaluation(read_config(write_config(folder, server, **judge)), "run").run


def test_bug_105_one_reply_over_the_limit_leaves_the_other_49_scored(tmp_path: Path) -> None:
    write_rows(tmp_path, 50)

    def plan(request: Received) -> Response | None:
        asks_for_claims = "claims" in request.body["response_format"]["json_schema"]["schema"]["properties"]
        about = request.body["messages"][-1]["content"]
        return cut('{"refuses": false, "claims": [') if asks_for_claims and "Rule 7-2 holds." in about else None

    with JudgeServer(plan=plan) as server:
        found = run(tmp_path, server)
    faithfulness = found.metrics["faithfulness"]
    assert (faithfulness.scored, faithfulness.failed) == (49, {"reply_cut": 1})
    assert found.metrics["context_recall"].scored == 50, "its claims are those of the reference"


@pytest.mark.parametrize("model", ["openai/my-judge", "openai/gpt-4o-mini"])
@pytest.mark.parametrize("takes_schemas", [True, False])
def test_bug_125_what_a_server_takes_is_tried_and_not_read_off_the_models_name(
    model: str, takes_schemas: bool, tmp_path: Path
) -> None:
    write_rows(tmp_path, 4)
    plan = None if takes_schemas else rejecting("response_format")
    with JudgeServer(plan=plan) as server:
        found = run(tmp_path, server, model=model)
    with_schema = ["response_format" in request.body for request in server.requests]
    assert with_schema.count(True) == (len(with_schema) if takes_schemas else 1), "it is found out once"
    assert with_schema[0]
    assert found.metrics["faithfulness"].scored == 4
    told = [notice for notice in found.manifest.notices if "takes no JSON schema" in notice]
    assert (len(told), "response_format" in found.manifest.judge["sent"]) == (int(not takes_schemas), takes_schemas)


@pytest.mark.parametrize("name", ["split_claims", "verify_claims", "write_questions"])
def test_bug_214_a_misspelt_variable_is_named_before_anything_is_sent(name: str, tmp_path: Path) -> None:
    """Also in a prompt that is asked only after another one was answered."""
    write_rows(tmp_path, 2)
    prompt = load_prompt(name)
    folder = tmp_path / "mine" / name
    folder.mkdir(parents=True)
    variable = min(prompt.variables)
    text = prompt.text.replace("{% block user %}", "{% block user %}{{ " + variable[:-1] + " }}")
    (folder / "v9.jinja").write_text(text, encoding="utf-8")
    with JudgeServer() as server:
        config = write_config(tmp_path, server)
        config.write_text(f"{config.read_text(encoding='utf-8')}\n[prompts]\ndir = 'mine'\n", encoding="utf-8")
        with pytest.raises(PromptError, match=rf"{name}/v9: lacks {variable[:-1]}\b"):
            run_evaluation(read_config(config), "run")
        assert server.requests == []


class BusyOnce:
    """Refuses the first call about one row."""

    def __init__(self) -> None:
        self.refused = 0
        self._guard = threading.Lock()

    def plan(self, request: Received) -> Response | None:
        with self._guard:
            if self.refused or "Rule 0-" not in json.dumps(request.body["messages"]):
                return None
            self.refused += 1
            return error(429, retry_after="0.01")


@pytest.mark.parametrize("concurrency", [1, 4])
def test_bug_257_one_busy_reply_is_the_same_in_one_thread_and_in_several(concurrency: int, tmp_path: Path) -> None:
    write_rows(tmp_path, 4)
    busy = BusyOnce()
    with JudgeServer(plan=busy.plan) as server:
        found = run(tmp_path, server, concurrency=concurrency)
    assert [found.metrics[name].scored for name in HEADLINE] == [4] * 4
    assert (busy.refused, len(server.requests)) == (1, 21)


def test_bug_257_and_from_python(tmp_path: Path) -> None:
    write_rows(tmp_path, 4)
    busy = BusyOnce()
    golden, outputs = load_golden(tmp_path / "golden.jsonl"), load_outputs(tmp_path / "outputs.jsonl")
    with JudgeServer(plan=busy.plan) as server:
        judge = build_judge(JudgeSettings(model="openai/judge-a", base_url=server.base_url))
        found = evaluate(golden, outputs, metrics=HEADLINE, judge=judge, concurrency=1)
    assert [found.summary[name].scored for name in HEADLINE] == [4] * 4
    assert (busy.refused, len(server.requests)) == (1, 21)
