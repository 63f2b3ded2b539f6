"""whichhalf answer and run --live: what is asked, what is left behind, what a stopped command keeps."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from assistant_server import AssistantServer
from judge_server import JudgeServer, always, error, slow
from whichhalf.datasets.outputs import load_outputs
from whichhalf.running.run_folder import read_run

FIXTURE = Path(__file__).parents[2] / "fixtures" / "tax_assistant"


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


def config(folder: Path, assistant: dict[str, Any], *, outputs: bool = True, judge: str = "offline") -> Path:
    data = {name: str(FIXTURE / f"{name}.jsonl") for name in ("golden", "corpus", *(["outputs"] if outputs else []))}
    tables: dict[str, dict[str, Any]] = {
        "data": data,
        "assistant": assistant,
        "metrics": {"retrieval": ["recall@1"], "judged": ["faithfulness"]},
        "judge": {"model": judge},
        "run": {"out": str(folder / "runs"), "cache": str(folder / "cache")},
    }
    lines = [
        line
        for name, table in tables.items()
        for line in (f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items()))
    ]
    path = folder / "eval.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def answers(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_model_answers_from_the_passages_that_were_logged(call: Any, tmp_path: Path) -> None:
    out = tmp_path / "new.jsonl"
    with JudgeServer(model="bot-2026") as server:
        path = config(tmp_path, {"model": "openai/bot", "base_url": server.base_url})
        done = call("answer", path, "--out", out, "--json")
        assert (done.code, done.err) == (0, "")
        facts = json.loads(done.out)
        assert len(server.requests) == 30
        again = json.loads(call("answer", path, "--out", out, "--json").out)
        assert len(server.requests) == 30, "nothing is missing, so nothing is asked"
        elsewhere = json.loads(call("answer", path, "--out", tmp_path / "copy.jsonl", "--json").out)
        assert len(server.requests) == 30, "the replies come from the cache"
    assert (facts["answered"], facts["failed"], facts["asked"], facts["calls"]) == (30, {}, 30, 30)
    assert (facts["outputs"], facts["cost_usd"]) == (str(out), None)
    assert facts["assistant"]["prompt"] == "answer/v1"
    assert (again["answered"], again["asked"]) == (30, 0)
    assert (elsewhere["asked"], elsewhere["calls"]) == (30, 0)
    rows = answers(out)
    logged = answers(FIXTURE / "outputs.jsonl")
    texts = {one["id"]: one["text"] for one in answers(FIXTURE / "corpus.jsonl")}
    for new, old in zip(rows, logged, strict=True):
        assert {key: new[key] for key in ("id", "retrieved", "context")} == {
            key: old[key] for key in ("id", "retrieved", "context")
        }
        assert new["answer"] == texts[old["context"][0]], "the test server says the first passage"
        assert (new["model"], new["prompt"]) == ("bot-2026", "answer/v1")
        assert new["meta"] == {"prompt_tokens": 11, "completion_tokens": 7, "asked_with": new["meta"]["asked_with"]}
        assert new["latency_ms"] > 0.0


def test_the_terminal_says_what_to_do_next(call: Any, tmp_path: Path) -> None:
    path = config(tmp_path, {"model": "offline"})
    done = call("answer", path)
    assert (done.code, done.err) == (0, "")
    out = tmp_path / "runs" / "eval-answer-v1.jsonl"
    assert "30 of 30 questions answered; 30 asked now, 0 answered before" in done.out
    assert "an extractive baseline, no model" in done.out
    command = f"whichhalf run {path} --outputs {out}"
    assert done.out.endswith(f"Score it: {command}\n")
    scored = call(*command.split()[1:], "--json")
    assert scored.code == 0
    facts = json.loads(scored.out)
    assert facts["metrics"]["faithfulness"]["scored"] + facts["metrics"]["faithfulness"]["undefined"]["refused"] == 30
    assert read_run(facts["run"]).results[0].case.answer == answers(out)[0]["answer"]


def test_a_dry_run_asks_and_writes_nothing(call: Any, tmp_path: Path) -> None:
    with JudgeServer() as server:
        path = config(tmp_path, {"model": "openai/bot", "base_url": server.base_url})
        done = call("answer", path, "--dry-run", "--limit", "4")
        assert server.requests == []
    assert done.code == 0
    assert "model openai/bot with answer/v1 would be asked 4 of 4 questions; 0 are answered in" in done.out
    assert not (tmp_path / "runs").exists()


def test_a_dry_run_as_json_and_in_silence(call: Any, tmp_path: Path) -> None:
    path = config(tmp_path, {"model": "offline"})
    facts = json.loads(call("answer", path, "--dry-run", "--limit", "4", "--json").out)
    assert (facts["questions"], facts["to_ask"], facts["assistant"]["prompt"]) == (4, 4, "answer/v1")
    assert facts["outputs"] == str(tmp_path / "runs" / "eval-answer-v1.jsonl")
    assert call("answer", path, "--dry-run", "--quiet").out == ""


def test_a_dry_run_before_asking_the_assistant_tells_of_it(call: Any, tmp_path: Path) -> None:
    path = config(tmp_path, {"model": "offline"})
    [notice] = json.loads(call("run", path, "--live", "--dry-run", "--limit", "4", "--json").out)["notices"]
    assert notice.startswith("model offline with answer/v1 would be asked 4 questions first, which is not counted")
    assert json.loads(call("run", path, "--dry-run", "--json").out)["notices"] == []
    path = config(tmp_path, {})
    done = call("run", path, "--live", "--dry-run")
    assert (done.code, done.out) == (2, "")
    assert "no assistant is set" in done.err


BAD: dict[str, tuple[dict[str, Any], list[str], str]] = {
    "no assistant": ({}, [], "no assistant is set"),
    "a prompt version that is not there": ({"model": "offline"}, ["--prompt", "v77"], "there is no prompt answer/v77"),
    "a prompt for an endpoint": ({"url": "http://127.0.0.1:9/"}, ["--prompt", "v1"], "only an [assistant] model has"),
    "a table": ({"model": "offline"}, ["--out", "new.csv"], "let its name end in .jsonl"),
}


@pytest.mark.parametrize(("assistant", "options", "said"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_exit_code_2(
    call: Any, tmp_path: Path, assistant: dict[str, Any], options: list[str], said: str
) -> None:
    done = call("answer", config(tmp_path, assistant), *options)
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1


def test_a_model_without_outputs_has_no_passages(call: Any, tmp_path: Path) -> None:
    done = call("answer", config(tmp_path, {"model": "offline"}, outputs=False))
    assert (done.code, "set [data] outputs" in done.err) == (2, True)


def test_other_settings_do_not_overwrite(call: Any, tmp_path: Path) -> None:
    out = tmp_path / "new.jsonl"
    assert call("answer", config(tmp_path, {"model": "offline"}), "--out", out, "--quiet").code == 0
    before = out.read_bytes()
    with AssistantServer() as server:
        done = call("answer", config(tmp_path, {"url": server.url}), "--out", out)
        assert server.requests == []
    assert (done.code, out.read_bytes()) == (2, before)
    assert "already holds outputs of offline with answer/v1, and 'q01' was asked with other settings" in done.err


def test_failures_are_rows_and_counted_and_asked_again(call: Any, tmp_path: Path) -> None:
    out = tmp_path / "new.jsonl"
    bad = {"q07", "q11", "q20"}
    with AssistantServer() as server:
        server.plan = lambda request: error(422, "too long") if request.body["id"] in bad else None
        path = config(tmp_path, {"url": server.url})
        done = call("answer", path, "--out", out, "--json")
        assert done.code == 3
        assert done.err.startswith(
            "whichhalf: 27 of 30 questions answered, under the coverage floor 0.95; lost: 3 rejected; first q07: "
        )
        assert json.loads(done.out)["failed"] == {"rejected": 3}
        assert {row["id"] for row in answers(out) if "error" in row} == bad
        assert all("answer" not in row for row in answers(out) if row["id"] in bad)
        sent = len(server.requests)
        server.plan = None
        again = call("answer", path, "--out", out, "--json")
        assert (again.code, len(server.requests)) == (0, sent + 3)
    assert json.loads(again.out)["answered"] == 30
    assert [row["id"] for row in answers(out)] == [f"q{number:02}" for number in range(1, 31)]


def test_an_assistant_that_is_down_is_told_once(call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """bug-147"""
    monkeypatch.setenv("MY_BOT_KEY", "TEST-KEY-0000")
    with AssistantServer(plan=always(error(401, "bad key TEST-KEY-0000"))) as server:
        path = config(tmp_path, {"url": server.url, "api_key_env": "MY_BOT_KEY", "concurrency": 2})
        done = call("answer", path, "--out", tmp_path / "new.jsonl")
        assert len(server.requests) <= 4
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith("whichhalf: the assistant rejects every call (401)")
    assert "answers had so far are kept" in done.err
    assert "TEST-KEY-0000" not in done.err


def test_a_reply_of_the_wrong_shape_stops_early_with_one_message(call: Any, tmp_path: Path) -> None:
    with AssistantServer(reply=lambda _: {"response": "x"}) as server:
        done = call("answer", config(tmp_path, {"url": server.url, "concurrency": 1}))
        assert 5 <= len(server.requests) <= 7
    assert done.code == 3
    assert 'map it: [assistant.reply] answer = "response"' in done.err
    assert len(done.err.splitlines()) == 1


BOT = (
    "import sys\n"
    "print('loading')\n"
    "def ask(request):\n"
    "    print('asked', request['id'])\n"
    "    if request['id'] == 'q03':\n"
    "        raise RuntimeError('no luck')\n"
    "    return {'answer': 'The fee is due in May.', 'retrieved': ['c12', 'c47'], 'context': ['c12']}\n"
)


def test_a_callable_is_asked_live_and_its_outputs_are_kept_in_the_run_folder(
    call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a_live_bot.py").write_text(BOT, encoding="utf-8")
    monkeypatch.setattr(sys, "path", list(sys.path))
    path = config(tmp_path, {"callable": "a_live_bot:ask", "folder": str(tmp_path)}, outputs=False)
    done = call("run", path, "--json")
    assert done.code == 0
    assert "asked q30" in done.err
    facts = json.loads(done.out)
    folder = Path(facts["run"])
    assert [one.name for one in (tmp_path / "runs").iterdir()] == [folder.name], "no half-done file is left"
    assert (
        "outputs recorded from callable a_live_bot:ask: 30 asked now, 0 kept from a run that was not finished"
        in (facts["notices"])
    )
    assert (
        "questions the assistant failed on: 1 exception; first q03: exception: a_live_bot:ask raised RuntimeError: "
        "no luck"
    ) in facts["notices"]
    rows = load_outputs(folder / "outputs.jsonl").rows
    assert (len(rows), rows["q03"].error, rows["q01"].answer) == (
        30,
        "exception: a_live_bot:ask raised RuntimeError: no luck",
        "The fee is due in May.",
    )
    # q01 needs c12 and c47: one of two in the first place; the 26 answerable questions, most of them 0
    assert facts["metrics"]["recall@1[retrieved]"]["scored"] == 26
    assert read_run(folder).results[0].outcomes["recall@1[retrieved]"].model_dump()["value"] == 0.5

    again = call("run", path, "--outputs", folder / "outputs.jsonl", "--json")
    assert again.code == 0
    assert json.loads(again.out)["metrics"] == facts["metrics"]


def test_a_live_sample_asks_the_sample_alone(call: Any, tmp_path: Path) -> None:
    with AssistantServer() as server:
        path = config(tmp_path, {"url": server.url}, outputs=False)
        done = call("run", path, "--limit", "5", "--json")
        assert len(server.requests) == 5
        facts = json.loads(done.out)
        assert (done.code, facts["questions"]) == (0, 5)
        assert "a sample of 5 of 30 questions" in facts["notices"]
        assert not any("without an output" in notice for notice in facts["notices"])
        call("run", path, "--limit", "5", "--quiet")
        assert len(server.requests) == 10, "another night asks again"


def test_live_in_place_of_the_file(call: Any, tmp_path: Path) -> None:
    with AssistantServer() as server:
        path = config(tmp_path, {"url": server.url})
        assert call("run", path, "--quiet").code == 0
        assert server.requests == []
        assert call("run", path, "--live", "--quiet").code == 0
        assert len(server.requests) == 30
        both = call("run", path, "--live", "--outputs", FIXTURE / "outputs.jsonl")
        replay = call("run", path, "--live", "--replay-only")
        assert len(server.requests) == 30
    assert (both.code, replay.code) == (2, 2)


def test_what_cannot_be_scored_says_where_the_outputs_are(call: Any, tmp_path: Path) -> None:
    with AssistantServer(reply=lambda _: {"answer": "x", "context": ["c-unknown"], "retrieved": []}) as server:
        done = call("run", config(tmp_path, {"url": server.url}, outputs=False))
    assert done.code == 2
    [fault, place] = done.err.splitlines()
    assert "first 'c-unknown' of question 'q01'" in fault
    assert place == (
        f"whichhalf: {tmp_path / 'runs' / 'eval-live.jsonl'}: the outputs recorded for this run are kept here; "
        "delete the file to ask the assistant anew"
    )


def test_validate_says_that_the_assistant_will_be_asked(call: Any, tmp_path: Path) -> None:
    done = call("validate", config(tmp_path, {"url": "http://127.0.0.1:9/ask"}, outputs=False))
    assert (done.code, done.err) == (0, "")
    assert "30 questions, to be asked of url http://127.0.0.1:9/ask first" in done.out
    missing = call("validate", config(tmp_path, {"callable": "no_such_module:ask"}, outputs=False))
    assert missing.code == 2
    assert "no_such_module cannot be imported" in missing.err


COMMAND = [sys.executable, "-c", "from whichhalf.cli import main; main()"]


def stopped_half_way(path: Path, out: Path, how: signal.Signals) -> tuple[int, str]:
    """Run the command until ten answers are kept, and stop it."""
    part = out.with_name(f"{out.name}.part")
    arguments = [*COMMAND, "answer", str(path), "--out", str(out), "--quiet"]
    environment = {**os.environ, "NO_COLOR": "1"}
    process = subprocess.Popen(
        arguments,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env=environment,
        # tests that run in the background of a shell hand on that SIGINT is ignored
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    until = time.monotonic() + 60
    while not (part.exists() and len(part.read_bytes().splitlines()) >= 10) and time.monotonic() < until:
        time.sleep(0.01)
    process.send_signal(how)
    _, said = process.communicate(timeout=60)
    return process.returncode, said


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_stopped_command_goes_on_where_it_was(call: Any, tmp_path: Path, how: signal.Signals) -> None:
    """bug-151, bug-164"""
    out = tmp_path / "new.jsonl"
    with AssistantServer(plan=always(slow(0.05))) as server:
        path = config(tmp_path, {"url": server.url, "concurrency": 2})
        code, said = stopped_half_way(path, out, how)
        assert not out.exists()
        kept = len((tmp_path / "new.jsonl.part").read_bytes().splitlines())
        assert 10 <= kept < 30
        if how is signal.SIGINT:
            assert (code, said) == (
                3,
                "whichhalf: stopped; answers had so far are kept, and the same command goes on from there\n",
            )
            assert len(server.requests) == kept, "replies in flight are kept as well"
        sent = len(server.requests)
        server.plan = None
        facts = json.loads(call("answer", path, "--out", out, "--json").out)
        assert (facts["answered"], facts["asked"]) == (30, 30 - kept)
        assert len(server.requests) == sent + 30 - kept
    assert [row["id"] for row in answers(out)] == [f"q{number:02}" for number in range(1, 31)]
    assert not (tmp_path / "new.jsonl.part").exists()


def test_what_a_users_function_left_open_is_written_in_the_end(tmp_path: Path) -> None:
    module = (
        "class Log:\n"
        "    def __init__(self):\n"
        "        self.file = open('log.txt', 'w')\n"
        "        self.write = self.note\n"  # a cycle, which only the collector finds
        "    def note(self, text):\n"
        "        self.file.write(text)\n"
        "log = Log()\n"
        "def ask(request):\n"
        "    log.write('asked ')\n"
        "    return 'At nine.'\n"
    )
    (tmp_path / "bot.py").write_text(module, encoding="utf-8")
    path = config(tmp_path, {"callable": "bot:ask", "folder": str(tmp_path)})
    command = [sys.executable, "-c", "from whichhalf.cli import main; main()", "answer", str(path), "--limit", "3"]
    subprocess.run([*command, "--out", "new.jsonl"], cwd=tmp_path, check=True, timeout=60)
    assert (tmp_path / "log.txt").read_text(encoding="utf-8") == "asked asked asked "
