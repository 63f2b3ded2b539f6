"""A key is written nowhere, and shown nowhere, whatever a server does with it."""

from pathlib import Path

import pytest

from judge_server import JudgeServer, Response, choice, completion, cut, error, html, in_order, refusal
from small_runs import Done, SmallRun, command

KEY = "TEST-KEY-0000-0123456789abcdef"
ECHO = {"X-Key": KEY, "Retry-After-Ms": "1", "Set-Cookie": f"key={KEY}"}
GOOD = f'{{"refuses": false, "claims": [{{"quote": "The fee", "claim": "The fee is {KEY}."}}]}}'

RESPONSES = [
    error(503, f"no upstream for Bearer {KEY}", retry_after_ms="1"),
    Response(429, {"error": {"message": KEY, "code": KEY, "param": KEY, "type": KEY}}, ECHO),
    html(f"<html>{KEY}</html>"),
    choice(f"prose with {KEY}"),
    choice(f"prose with {KEY} again"),
    choice(GOOD),
    Response(headers=ECHO),
    Response(body=completion([{"index": 0, "finish_reason": "stop", "message": {"content": GOOD}}], model=f"m-{KEY}")),
    choice(None, refusal=f"no, {KEY}"),
    refusal(KEY),
    cut(KEY),
    cut(KEY),
    choice(KEY, "content_filter"),
    error(400, KEY, code="content_filter"),
    error(400, f"prompt is too long for {KEY}"),
    error(400, f"temperature is not supported for {KEY}"),
]


def small_run(folder: Path) -> SmallRun:
    names = [f"q{number}" for number in range(12)]
    golden = [{"id": name, "question": f"What is fee {name}?", "relevant": ["p1"]} for name in names]
    context = [{"id": "p1", "text": "The fee is 12 EUR."}]
    outputs = [
        {"id": name, "retrieved": ["p1"], "context": context, "answer": f"The fee {name} is 12 EUR."} for name in names
    ]
    return SmallRun(
        folder, golden, outputs, judged=["faithfulness"], flags=[{"id": name, "note": "wrong"} for name in names]
    )


def leaks(folder: Path, streams: list[Done]) -> list[str]:
    files = [str(path) for path in folder.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    return files + [f"{number}: {done}" for number, done in enumerate(streams) if KEY in done.out + done.err]


def test_bug_221_and_222_the_key_is_written_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_JUDGE_KEY", KEY)
    run = small_run(tmp_path)
    with JudgeServer(plan=in_order(*RESPONSES)) as server:
        run.write(server, api_key_env="MY_JUDGE_KEY", concurrency=1)
        streams = [command("run", run.config), command("validate", run.config)]
    assert len(server.requests) > len(RESPONSES)
    assert all(request.headers["authorization"] == f"Bearer {KEY}" for request in server.requests)
    streams += [command("triage", run.run_folder, "--flags", run.flags)]
    streams += [command("show", run.run_folder, name, *more) for name in run.outcomes() for more in ((), ("--json",))]
    streams += [
        command("cache", "stats", "-c", run.config),
        command("cache", "export", tmp_path / "replies.jsonl", "-c", run.config),
    ]
    kinds = {outcome["faithfulness"]["kind"] for outcome in run.outcomes().values()}
    assert kinds == {"scored", "failed"}
    assert (tmp_path / "replies.jsonl").stat().st_size > 0
    assert leaks(tmp_path, streams) == []


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_server_that_rejects_the_key_may_quote_it(
    status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_JUDGE_KEY", KEY)
    run = small_run(tmp_path)
    with JudgeServer(plan=lambda _: error(status, f"Incorrect API key provided: {KEY}", code=KEY)) as server:
        run.write(server, api_key_env="MY_JUDGE_KEY", concurrency=1)
        done = command("run", run.config)
    assert done.code == 3
    assert "Incorrect API key provided: ***" in done.err
    assert leaks(tmp_path, [done]) == []


@pytest.mark.parametrize(
    "setting", [{"api_key": KEY}, {"headers": {"Authorization": KEY}}, {"base_url": f"http://user:{KEY}@127.0.0.1/v1"}]
)
def test_bug_221_a_key_in_a_config_is_an_error_that_does_not_show_it(setting: dict[str, str], tmp_path: Path) -> None:
    run = small_run(tmp_path)
    with JudgeServer() as server:
        run.write(server)
        table = "".join(
            f"{name} = {value!r}\n" if isinstance(value, str) else f'{name} = {{Authorization = "{KEY}"}}\n'
            for name, value in setting.items()
        )
        lines = run.config.read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if not line.startswith(tuple(setting))]
        kept.insert(kept.index("[judge]") + 1, table)
        run.config.write_text("\n".join(kept), encoding="utf-8")
        done = command("run", run.config)
        assert server.requests == []
    assert done.code == 2
    assert KEY not in done.out + done.err
