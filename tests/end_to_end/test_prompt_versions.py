"""A prompt version on trial is used when a config names it, and only then; seen by a judge behind HTTP."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge_server import JudgeServer
from whichhalf.jobs.evaluation import run_evaluation
from whichhalf.running.config import read_config

DATA = Path(__file__).parents[2] / "fixtures" / "tax_assistant"


def run(folder: Path, server: JudgeServer, settings: str = "") -> Path:
    """The run folder of faithfulness on six questions; `settings` follow the config's [judge]."""
    text = f"""
        [data]
        golden = "{DATA / "golden.jsonl"}"
        outputs = "{DATA / "outputs.jsonl"}"
        corpus = "{DATA / "corpus.jsonl"}"
        [metrics]
        judged = ["faithfulness"]
        [run]
        out = "{folder / "runs"}"
        cache = "{folder / "cache"}"
        [judge]
        model = "openai/judge-a"
        base_url = "{server.base_url}"
        {settings}"""
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return run_evaluation(read_config(folder / "config.toml"), "run", limit=6).folder


def table_schemas(server: JudgeServer) -> list[Any]:
    """The schema of a row, for every request for verdicts."""
    schemas = [one.body["response_format"]["json_schema"]["schema"] for one in server.requests]
    return [schema["$defs"]["_ClaimVerdict"] for schema in schemas if "verdicts" in schema["properties"]]


@pytest.mark.parametrize(
    ("settings", "version", "keys"),
    [
        ("", "v3", ["claim", "reason", "verdict", "evidence"]),
        ('[prompts]\nversions = { verify_claims = "v2" }', "v2", ["claim", "verdict", "evidence"]),
    ],
)
def test_the_version_decides_what_is_asked_and_kept(
    tmp_path: Path, settings: str, version: str, keys: list[str]
) -> None:
    with JudgeServer() as server:
        folder = run(tmp_path, server, settings)
        asked = table_schemas(server)
    assert asked
    assert all(schema["required"] == list(schema["properties"]) == keys for schema in asked)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert set(manifest["prompts"]) == {"split_claims/v2", f"verify_claims/{version}"}
    text = (folder / "cases.jsonl").read_text(encoding="utf-8")
    verdicts = [
        one for line in text.splitlines() for one in json.loads(line)["outcomes"]["faithfulness"].get("verdicts", [])
    ]
    assert verdicts
    assert all(bool(one["reason"]) == (version == "v3") for one in verdicts)
