"""The command line with a judge behind HTTP: what it sends, what it keeps, and when it stops."""

import json
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from judge_server import JudgeServer, Plan, Received, Response, always, at_random, choice, error, html, in_order
from whichhalf.cli.main import main
from whichhalf.core.run import CallRecord

ROOT = Path(__file__).parents[2]
DATA = ROOT / "fixtures" / "tax_assistant"
KEY = "TEST-KEY-0000"
FEW = ("--limit", "6")


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command left behind."""

    code: object
    out: str
    err: str
    folder: Path | None
    """The run folder, where there is a new one."""

    def lines(self, name: str) -> list[Any]:
        assert self.folder is not None
        return [json.loads(line) for line in (self.folder / name).read_text(encoding="utf-8").splitlines()]

    def summary(self) -> Any:
        return self._read("summary.json")

    def manifest(self) -> Any:
        return self._read("manifest.json")

    def _read(self, name: str) -> Any:
        assert self.folder is not None
        return json.loads((self.folder / name).read_text(encoding="utf-8"))


class Desk:
    """A folder with configs, runs and a cache, and the command line."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def run(
        self,
        server: JudgeServer,
        *arguments: str,
        prompts: Path | None = None,
        metrics: Sequence[str] = ("faithfulness",),
        **judge: object,
    ) -> Ended:
        """`whichhalf run` on the tax assistant; keywords are settings of the judge."""
        settings = {"model": "openai/judge-a", "base_url": server.base_url, "timeout_seconds": 20, **judge}
        tables: dict[str, dict[str, object]] = {
            "data": {name: str(DATA / f"{name}.jsonl") for name in ("golden", "outputs", "corpus")},
            "metrics": {"retrieval": ["recall@5"], "judged": list(metrics)},
            "judge": settings,
            "prompts": {"dir": str(prompts)} if prompts else {},
            "run": {"out": str(self.folder / "runs"), "cache": str(self.folder / "cache")},
        }
        config = self.folder / "http.toml"
        config.write_text("\n".join(_toml(name, table) for name, table in tables.items()), encoding="utf-8")
        before = set(self._runs())
        self._monkeypatch.setattr(sys, "argv", ["whichhalf", "run", str(config), *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        printed = self._capsys.readouterr()
        new = [folder for folder in self._runs() if folder not in before]
        assert len(new) <= 1
        return Ended(stopped.value.code, printed.out, printed.err, new[0] if new else None)

    def everything_written(self) -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}

    def _runs(self) -> list[Path]:
        return list((self.folder / "runs").iterdir()) if (self.folder / "runs").is_dir() else []


def _toml(name: str, table: dict[str, object]) -> str:
    return "\n".join([f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items()), ""])


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    return Desk(tmp_path, monkeypatch, capsys)


def test_the_second_run_asks_nothing_and_says_the_same(desk: Desk) -> None:
    with JudgeServer() as server:
        first = desk.run(server)
        sent = len(server.requests)
        second = desk.run(server)
        assert len(server.requests) == sent, "the second run made no call"
    assert (first.code, second.code) == (0, 0)
    assert first.folder is not None
    assert second.folder is not None
    assert first.folder != second.folder
    assert (first.folder / "cases.jsonl").read_bytes() == (second.folder / "cases.jsonl").read_bytes()
    assert first.summary() == second.summary()

    asked = first.lines("calls.jsonl")
    fresh = [line for line in asked if not line["cached"]]
    assert len(fresh) == sent
    assert first.summary()["cost"] == {
        "questions": sent,
        "prompt_tokens": 11 * sent,
        "completion_tokens": 7 * sent,
        "usd": None,
    }
    assert first.manifest()["spent"] == {
        "judge_calls": sent,
        "embedding_calls": 0,
        "cached": len(asked) - sent,
        "prompt_tokens": 11 * sent,
        "completion_tokens": 7 * sent,
        "usd": None,
    }
    assert second.manifest()["spent"] == {
        "judge_calls": 0,
        "embedding_calls": 0,
        "cached": len(asked),
        "prompt_tokens": None,
        "completion_tokens": None,
        "usd": None,
    }


def test_every_line_of_the_calls_is_complete(desk: Desk) -> None:
    with JudgeServer(model="judge-a-2026-11-01") as server:
        ended = desk.run(server)
    lines = ended.lines("calls.jsonl")
    outputs = [json.loads(line) for line in (DATA / "outputs.jsonl").read_text(encoding="utf-8").splitlines()]
    answered = sum(bool(row.get("answer")) for row in outputs)
    assert sum(line["prompt"] == "split_claims" for line in lines) == answered
    assert len(lines) == len(server.requests)
    for line in lines:
        record = CallRecord.model_validate(line)
        assert set(line) == set(CallRecord.model_fields)
        assert record.prompt in {"split_claims", "verify_claims"}
        assert len(record.prompt_sha256) == len(record.key) == 64
        assert record.latency_seconds > 0.0
        assert record == record.model_copy(
            update={
                "version": {"split_claims": "v2", "verify_claims": "v3"}[record.prompt],
                "repeat": 0,
                "model_asked": "openai/judge-a",
                "model_returned": "judge-a-2026-11-01",
                "cached": False,
                "attempts": 1,
                "prompt_tokens": 11,
                "completion_tokens": 7,
                "cost_usd": None,
                "result": "ok",
            }
        )


def test_the_manifest_names_the_judge_as_it_named_itself(desk: Desk) -> None:
    with JudgeServer(model="judge-a-2026-11-01") as server:
        ended = desk.run(server, temperature=0.5, seed=3)
    assert ended.manifest()["judge"] == {
        "model": "openai/judge-a",
        "returned": ["judge-a-2026-11-01"],
        "endpoint": server.base_url,
        "sampling": {"temperature": 0.5, "seed": 3, "max_output_tokens": 4096},
        "is_baseline": False,
        "sent": {"temperature": 0.5, "seed": 3, "response_format": "json_schema", "max_tokens": 4096},
    }


@pytest.mark.parametrize(
    "change",
    [{"model": "openai/judge-b"}, {"temperature": 0.5}, {"seed": 1}, {"max_output_tokens": 512}],
    ids=lambda change: next(iter(change)),
)
def test_another_judge_is_asked_afresh(change: dict[str, Any], desk: Desk) -> None:
    with JudgeServer() as server:
        desk.run(server, *FEW)
        sent = len(server.requests)
        assert desk.run(server, *FEW, **change).code == 0
        assert len(server.requests) == 2 * sent
        desk.run(server, *FEW)
        assert len(server.requests) == 2 * sent, "and the first judge's replies are still there"


def test_another_endpoint_is_asked_afresh(desk: Desk) -> None:
    with JudgeServer() as one, JudgeServer() as other:
        desk.run(one, *FEW)
        desk.run(other, *FEW)
        assert len(other.requests) == len(one.requests) > 0


def test_another_prompt_version_is_asked_afresh(desk: Desk, tmp_path: Path) -> None:
    own = tmp_path / "prompts"
    shutil.copytree(ROOT / "prompts" / "split_claims", own / "split_claims")
    text = (own / "split_claims" / "v1.jinja").read_text(encoding="utf-8")
    with JudgeServer() as server:
        desk.run(server, prompts=own)
        before = len(server.requests)
        (own / "split_claims" / "v9.jinja").write_text(text, encoding="utf-8")
        ended = desk.run(server, prompts=own)
    splits = [line for line in ended.lines("calls.jsonl") if line["prompt"] == "split_claims"]
    verdicts = [line for line in ended.lines("calls.jsonl") if line["prompt"] == "verify_claims"]
    assert {(line["version"], line["cached"]) for line in splits} == {("v9", False)}, "also with the same wording"
    assert {(line["version"], line["cached"]) for line in verdicts} == {("v3", True)}, "bug-187: only what changed"
    assert len(server.requests) == before + len(splits)


def test_time_out_and_concurrency_change_no_key(desk: Desk) -> None:
    with JudgeServer() as server:
        desk.run(server, *FEW)
        sent = len(server.requests)
        desk.run(server, *FEW, timeout_seconds=30, concurrency=2)
        assert len(server.requests) == sent


def test_replay_needs_the_cache_alone(desk: Desk) -> None:
    with JudgeServer() as server:
        first = desk.run(server, *FEW)
    again = desk.run(server, "--replay-only", *FEW)
    assert again.code == 0
    assert again.summary()["metrics"] == first.summary()["metrics"]
    assert again.manifest()["spent"]["judge_calls"] == 0


def test_a_rejected_key_stops_the_run_early(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_JUDGE_KEY", KEY)
    with JudgeServer(plan=always(error(401, f"Incorrect API key provided: {KEY}"))) as server:
        ended = desk.run(server, api_key_env="MY_JUDGE_KEY", concurrency=4)
    assert ended.code == 3
    assert ended.folder is None
    assert ended.out == ""
    assert _messages(ended.err) == [
        "whichhalf: the judge rejects every call (401): Error code: 401 - Incorrect API key provided: *** "
        '({"type": "injected"}); judge replies had so far are kept, and the same command goes on from there'
    ]
    assert len(server.requests) == 1, "the first call goes ahead alone"


def test_bug_161_an_exhausted_quota_stops_the_run_and_the_next_goes_on_from_there(desk: Desk) -> None:
    exhausted = error(429, "You exceeded your current quota", code="insufficient_quota")
    with JudgeServer() as server:
        whole = desk.run(server).summary()["metrics"]
        all_calls = len(server.requests)
    shutil.rmtree(desk.folder / "cache")
    with JudgeServer(plan=lambda request: exhausted if 20 <= request.number < 40 else None) as server:
        stopped = desk.run(server, concurrency=2)
        spent = len(server.requests)
        server.plan = None
        resumed = desk.run(server, concurrency=2)
    assert (stopped.code, stopped.folder, resumed.code) == (3, None, 0)
    assert "whichhalf: the judge's quota is exhausted" in stopped.err
    assert "You exceeded your current quota" in stopped.err
    assert 21 <= spent <= 25
    assert len(server.requests) == spent + all_calls - 20, "the twenty replies that were paid for are kept"
    assert resumed.summary()["metrics"] == whole


def test_a_missing_key_is_found_before_anything_is_sent(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_JUDGE_KEY", raising=False)
    with JudgeServer() as server:
        ended = desk.run(server, api_key_env="MY_JUDGE_KEY")
    assert (ended.code, server.requests, ended.folder) == (2, [], None)
    assert _messages(ended.err) == [
        "whichhalf: judge openai/judge-a needs a key: the environment variable MY_JUDGE_KEY is not set"
    ]


def test_the_key_is_written_nowhere(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server sends the key back in every way it can."""
    monkeypatch.setenv("MY_JUDGE_KEY", KEY)
    plan: Plan = in_order(
        error(503, f"no upstream for {KEY}", retry_after_ms="1"),
        html(f"<html>{KEY}</html>"),
        *[choice(f"prose with {KEY}")] * 3,  # of two cases at work, one meets it twice, which is the end
        choice(f'{{"refuses": false, "claims": [{{"quote": "{KEY}", "claim": "{KEY}"}}]}}'),
        choice(None, refusal=f"no, {KEY}"),
        error(400, f"{KEY}", code="content_filter"),
        error(400, f"prompt is too long for {KEY}"),
    )
    with JudgeServer(plan=plan) as server:
        ended = desk.run(server, api_key_env="MY_JUDGE_KEY", concurrency=1)
    assert all(request.headers["authorization"] == f"Bearer {KEY}" for request in server.requests)
    outcomes = [line["outcomes"]["faithfulness"] for line in ended.lines("cases.jsonl")]
    failed = sorted(one["error"] for one in outcomes if one["kind"] == "failed")
    assert failed == ["context_too_long", "judge_refused", "judge_refused", "reply_unreadable"]
    assert ended.code == 3, "coverage is under the floor"
    written = desk.everything_written()
    assert any(name.endswith("cache.db") for name in written)
    assert any(name.endswith("cases.jsonl") for name in written)
    assert [name for name, content in written.items() if KEY.encode() in content] == []
    assert KEY not in ended.out + ended.err


def test_bug_183_a_damaged_cache_stops_the_run_and_is_passed_by_only_when_asked(desk: Desk) -> None:
    with JudgeServer() as server:
        whole = desk.run(server, *FEW)
        sent = len(server.requests)
        database = desk.folder / "cache" / "cache.db"
        database.write_bytes(b"no database" * 100)
        stopped = desk.run(server, *FEW)
        assert (stopped.code, stopped.folder, len(server.requests)) == (3, None, sent), "nothing is paid for twice"
        assert "cannot be opened" in stopped.err
        assert "--no-cache" in stopped.err
        uncached = desk.run(server, "--no-cache", *FEW)
    assert uncached.code == 0
    assert len(server.requests) == 2 * sent
    assert uncached.summary()["metrics"] == whole.summary()["metrics"]
    assert database.read_bytes() == b"no database" * 100, "the damaged file stays for its owner to restore"


def test_without_the_cache_nothing_is_kept(desk: Desk) -> None:
    with JudgeServer() as server:
        assert desk.run(server, "--no-cache", *FEW).code == 0
    assert not (desk.folder / "cache").exists()


def test_a_busy_judge_changes_no_outcome(desk: Desk) -> None:
    with JudgeServer() as server:
        calm = desk.run(server, "--limit", "12")
        calls = len(server.requests)
    shutil.rmtree(desk.folder / "cache")
    with JudgeServer(plan=at_random(0.2, error(429, retry_after_ms="1"), seed=7)) as server:
        busy = desk.run(server, "--limit", "12", concurrency=4)
    assert calm.folder is not None
    assert busy.folder is not None
    assert (busy.folder / "cases.jsonl").read_bytes() == (calm.folder / "cases.jsonl").read_bytes()
    assert busy.code == 0
    refused = len(server.requests) - calls
    assert refused > 0
    assert busy.manifest()["spent"]["judge_calls"] == len(server.requests)
    assert sum(line["attempts"] - 1 for line in busy.lines("calls.jsonl")) == refused


def test_bug_123_and_124_what_a_model_does_not_take_is_learned_once(desk: Desk) -> None:
    """By the first call, while the others wait; later calls leave it out, and the manifest says what was sent."""

    def picky(request: Received) -> Response | None:
        for name in ("temperature", "max_tokens", "response_format"):
            if name in request.body:
                return error(400, f"Unsupported parameter: '{name}' is not supported with this model.")
        return None

    with JudgeServer() as server:
        calls = len(desk.run(server).lines("calls.jsonl"))
    shutil.rmtree(desk.folder / "cache")
    with JudgeServer(plan=picky) as server:
        ended = desk.run(server, concurrency=32)
    assert ended.code == 0
    assert len(server.requests) == calls + 3
    assert ended.manifest()["spent"]["judge_calls"] == len(server.requests)
    assert ended.manifest()["judge"]["sampling"] == {"temperature": 0.0, "seed": None, "max_output_tokens": 4096}
    assert ended.manifest()["judge"]["sent"] == {"max_completion_tokens": 4096}
    assert [notice for notice in ended.manifest()["notices"] if "the judge" in notice] == [
        "the judge does not take temperature: it ran with its own default, and repeats differ more",
        "the judge takes no JSON schema: its replies were held to the wording of the prompts alone",
    ]


def test_a_failure_is_shared_by_the_metrics_that_meet_it(desk: Desk) -> None:
    """The claims of an answer serve three metrics; when they cannot be had, they are asked for once."""
    broken = always(error(400, "flagged", code="content_filter"))
    with JudgeServer(plan=broken) as server:
        ended = desk.run(server, *FEW, metrics=["faithfulness", "answer_relevance", "context_recall"])
    asked = [json.dumps(request.body["messages"]) for request in server.requests]
    assert len(asked) == len(set(asked))
    outcomes = [line["outcomes"] for line in ended.lines("cases.jsonl")]
    assert sum(one["kind"] == "failed" for row in outcomes for one in row.values()) > len(asked)


def test_a_model_that_changes_behind_its_name_is_told(desk: Desk) -> None:
    with JudgeServer(model="judge-a-2026-11-01") as server:
        desk.run(server, *FEW)
        server.model = "judge-a-2026-12-01"
        ended = desk.run(server, "--limit", "12")
    (notice,) = [one for one in ended.manifest()["notices"] if "behind the judge" in one]
    assert notice.startswith("the model behind the judge has changed: kept replies are of judge-a-2026-11-01 (")
    assert "new ones of judge-a-2026-12-01 (" in notice
    assert "the model behind the judge has changed" in " ".join(ended.out.split())


def test_replay_needs_no_key(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_JUDGE_KEY", KEY)
    with JudgeServer() as server:
        desk.run(server, *FEW, api_key_env="MY_JUDGE_KEY")
    monkeypatch.delenv("MY_JUDGE_KEY")
    assert desk.run(server, *FEW, "--replay-only", api_key_env="MY_JUDGE_KEY").code == 0


def test_a_forecast_needs_no_key_and_leaves_nothing_behind(desk: Desk) -> None:
    with JudgeServer() as server:
        ended = desk.run(server, "--dry-run", *FEW, api_key_env="MY_JUDGE_KEY")
        as_json = desk.run(server, "--dry-run", "--json", *FEW, api_key_env="MY_JUDGE_KEY")
    assert (ended.code, ended.err, as_json.code) == (0, "", 0)
    forecast = json.loads(as_json.out)
    assert (forecast["questions"], forecast["usd"], forecast["kept"]) == (6, None, 0)
    assert forecast["calls"] == sum(row["calls"] for row in forecast["prompts"]) > 6
    assert "unknown" in ended.out
    assert "Nothing was asked and nothing was written." in ended.out
    assert server.requests == []
    assert [path.name for path in desk.folder.iterdir()] == ["http.toml"]


def test_a_spent_budget_is_exit_code_3_and_says_how_to_go_on(desk: Desk) -> None:
    with JudgeServer() as server:
        ended = desk.run(server, max_calls=10)
    assert (ended.code, len(server.requests)) == (3, 10)
    first, *_ = _messages(ended.err)
    assert first.startswith("whichhalf: the budget is spent: ")
    assert first.endswith("judge replies had so far are kept, and the same command goes on from there")
    assert ended.summary()["metrics"]["faithfulness"]["failed"]["budget_spent"] > 0


def _messages(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("whichhalf:")]
