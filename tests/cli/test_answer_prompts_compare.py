"""whichhalf prompts compare answer: one command answers with both versions, scores both and compares."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge_server import Body, JudgeServer
from whichhalf.prompting.prompt_folder import packaged_prompts

STRICT = "Add nothing."
FACT = "The fee is ten euros."


def assistant(body: Body) -> str:
    """Adds a sentence of its own, unless the prompt forbids it."""
    return FACT if STRICT in body["messages"][0]["content"] else f"{FACT} The office also sells pink umbrellas."


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer(assistant) as opened:
        yield opened


@pytest.fixture
def config(tmp_path: Path, server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASSISTANT_KEY", "TEST-KEY-0000")
    ids = ["q1", "q2", "q3"]
    passage = {"id": "c1", "text": f"{FACT} Pay it at the desk."}
    files: dict[str, list[dict[str, object]]] = {
        "golden": [{"id": one, "question": f"{one}: what is the fee?"} for one in ids],
        "outputs": [{"id": one, "retrieved": [passage], "context": [passage], "answer": "?"} for one in ids],
    }
    for name, rows in files.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    folder = tmp_path / "prompts" / "answer"
    folder.mkdir(parents=True)
    text = (packaged_prompts() / "answer" / "v1.jinja").read_text(encoding="utf-8")
    (folder / "v1.jinja").write_text(text, encoding="utf-8")
    strict = text.replace("{% block system %}\n", f"{{% block system %}}\n{STRICT}\n")
    (folder / "v2.jinja").write_text(strict, encoding="utf-8")
    path = tmp_path / "config.toml"
    path.write_text(
        f"""
[data]
golden = "golden.jsonl"
outputs = "outputs.jsonl"
[assistant]
model = "openai/assistant-a"
base_url = "{server.base_url}"
api_key_env = "ASSISTANT_KEY"
[metrics]
judged = ["faithfulness"]
[prompts]
dir = "prompts"
[run]
out = "runs"
cache = "cache"
""",
        encoding="utf-8",
    )
    return path


def test_one_command_answers_scores_and_compares(call: Any, config: Path, server: JudgeServer) -> None:
    done = call("prompts", "compare", "answer", "v1", "v2", "-c", config, "--json")
    assert (done.code, done.err, len(server.requests)) == (0, "", 6)
    (found,) = json.loads(done.out)["comparisons"]
    assert [(one["what"], one["a"], one["b"], one["questions"]) for one in found["changed"]] == [
        ("answer prompt", "answer/v1", "answer/v2", 3),
        ("answers", "", "", 3),
    ]
    assert found["warnings"] == []
    (metric,) = found["metrics"]
    assert (metric["paired"]["mean_a"], metric["paired"]["mean_b"], metric["paired"]["wins"]) == (0.5, 1.0, 3)
    assert found["movers"][0]["claims"] == [
        {
            "metric": "faithfulness",
            "claim": "The office also sells pink umbrellas.",
            "before": "not_mentioned",
            "after": None,
            "before_passages": [],
            "after_passages": [],
            "quote": "",
        }
    ]
    again = call("prompts", "compare", "answer", "v1", "v2", "-c", config)
    assert (again.code, len(server.requests)) == (0, 6), "answers and replies are kept"
    assert "answer prompt: answer/v1 → answer/v2 (all questions)" in again.out


BAD: dict[str, tuple[list[str], str]] = {
    "a version that does not exist": (["v1", "v9"], "there is no prompt answer/v9"),
    "the same version twice": (["v1", "v1"], "two versions make a comparison"),
    "replies alone": (["v1", "v2", "--replay-only"], "are for judge prompts"),
}


@pytest.mark.parametrize(("arguments", "said"), BAD.values(), ids=BAD.keys())
def test_bad_usage_asks_nothing(call: Any, config: Path, server: JudgeServer, arguments: list[str], said: str) -> None:
    done = call("prompts", "compare", "answer", *arguments, "-c", config)
    assert (done.code, done.out, server.requests) == (2, "", [])
    assert said in done.err


def test_an_assistant_without_a_prompt_is_refused(call: Any, config: Path, server: JudgeServer) -> None:
    text = config.read_text(encoding="utf-8")
    start, end = text.index("[assistant]"), text.index("[metrics]")
    config.write_text(text[:start] + text[end:], encoding="utf-8")
    done = call("prompts", "compare", "answer", "v1", "v2", "-c", config)
    assert (done.code, server.requests) == (2, [])
    assert "set [assistant] model" in done.err
