"""whichhalf nightly: what it tells the shell, and which options it shares with run."""

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from assistant_server import AssistantServer
from judge_server import Body, JudgeServer, always, error, slow


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def night_config(folder: Path, *, asked: int, found: int, gates: str, more: str = "") -> Path:
    """Questions of which the first `found` have their passage in the ranking, judged by nobody."""
    ids = [f"q{number}" for number in range(asked)]
    write_lines(folder / "golden.jsonl", [{"id": one, "question": f"{one}?", "relevant": [one]} for one in ids])
    retrieved = [[one] if number < found else ["other"] for number, one in enumerate(ids)]
    write_lines(
        folder / "outputs.jsonl",
        [{"id": one, "retrieved": ranked} for one, ranked in zip(ids, retrieved, strict=True)],
    )
    path = folder / "nightly.toml"
    path.write_text(
        '[data]\ngolden = "golden.jsonl"\noutputs = "outputs.jsonl"\n'
        '[metrics]\nretrieval = ["hit_rate@5", "recall@5"]\n'
        f'[run]\nout = "runs"\ncache = "cache"\n{more}\n{gates}',
        encoding="utf-8",
    )
    return path


def gate(metric: str, least: float) -> str:
    return f'[[gate]]\nmetric = "{metric}"\nmin = {least}\n'


@pytest.mark.parametrize(("found", "code"), [(92, 0), (90, 0), (89, 1)])
def test_bug_226_a_gate_is_the_share_that_must_pass(call: Any, tmp_path: Path, found: int, code: int) -> None:
    config = night_config(tmp_path, asked=100, found=found, gates=gate("hit_rate@5", 0.9))
    assert call("nightly", config, "--quiet").code == code


def test_bug_224_and_225_two_failed_gates_are_exit_code_1_and_0_without_gates(call: Any, tmp_path: Path) -> None:
    gates = gate("hit_rate@5", 0.9) + gate("recall@5", 0.9)
    config = night_config(tmp_path, asked=10, found=8, gates=gates)
    strict = call("nightly", config)
    assert strict.code == 1
    assert strict.out.count("FAILED") == 2
    lenient = call("nightly", config, "--no-gate")
    assert lenient.code == 0
    assert lenient.out.count("FAILED") == 2, "the verdicts are said all the same"


def test_bug_225_an_input_error_is_exit_code_2_with_and_without_gates(call: Any, tmp_path: Path) -> None:
    config = night_config(tmp_path, asked=10, found=8, gates=gate("no_such_metric", 0.9))
    for options in ([], ["--no-gate"]):
        done = call("nightly", config, *options)
        assert (done.code, "'no_such_metric' is not in this run" in done.err) == (2, True)


def test_bug_225_a_judge_that_is_down_is_exit_code_3_with_and_without_gates(
    call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_KEY", "k")
    config = night_config(tmp_path, asked=2, found=2, gates=gate("hit_rate@5", 0.9))
    outputs = [{"id": f"q{n}", "retrieved": [{"id": f"q{n}", "text": "It is."}], "answer": "It is."} for n in range(2)]
    write_lines(tmp_path / "outputs.jsonl", [{**row, "context": row["retrieved"]} for row in outputs])
    with JudgeServer(plan=always(error(503))) as server:
        judge = f'[judge]\nmodel = "openai/a"\nbase_url = "{server.base_url}"\nsilence_seconds = 0.5\n[metrics]\n'
        text = config.read_text(encoding="utf-8").replace("[metrics]\n", f'{judge}judged = ["faithfulness"]\n')
        config.write_text(text.replace("silence", 'api_key_env = "JUDGE_KEY"\nsilence'), encoding="utf-8")
        for options in ([], ["--no-gate"]):
            done = call("nightly", config, "--quiet", *options)
            assert (done.code, "nothing answered" in done.err) == (3, True)


def test_bug_226_each_gate_has_its_own_metric_and_bound(call: Any, tmp_path: Path) -> None:
    config = night_config(tmp_path, asked=100, found=92, gates=gate("hit_rate@5", 0.9) + gate("recall@5", 0.93))
    done = call("nightly", config, "--json")
    assert done.code == 1
    verdicts = {one["gate"]: one["verdict"] for one in json.loads(done.out)["night"]["gates"]}
    assert verdicts == {"hit_rate@5 min 0.9": "passed", "recall@5 min 0.93": "failed"}


ROOT = Path(__file__).parents[2]
FACTS = 30


def judged_night(folder: Path, base_url: str, more: str = "") -> Path:
    """Thirty answers of one statement each, a canary of two rows, and a judge over HTTP."""
    config = night_config(folder, asked=FACTS, found=FACTS, gates=gate("faithfulness", 0.5), more=more)
    golden = [json.loads(line) for line in (folder / "golden.jsonl").read_text(encoding="utf-8").splitlines()]
    write_lines(folder / "golden.jsonl", [{**row, "tags": {"part": row["id"]}} for row in golden])
    texts = [f"Fact {number} holds." for number in range(FACTS)]
    passages = [[{"id": f"q{number}", "text": text}] for number, text in enumerate(texts)]
    rows = zip(texts, passages, strict=True)
    write_lines(
        folder / "outputs.jsonl",
        [{"id": f"q{n}", "retrieved": seen, "context": seen, "answer": text} for n, (text, seen) in enumerate(rows)],
    )
    anchors = [
        {"id": f"a{n}", "passages": passages[n], "claims": [{"text": texts[n], "supported": True}]} for n in range(2)
    ]
    write_lines(folder / "canary.jsonl", anchors)
    judge = f'[judge]\nmodel = "openai/gpt-4o-mini"\nbase_url = "{base_url}"\napi_key_env = "JUDGE_KEY"\n'
    canary = '[canary]\nanchors = "canary.jsonl"\n'
    text = config.read_text(encoding="utf-8")
    config.write_text(
        text.replace("[metrics]\n", f'{judge}{canary}[metrics]\njudged = ["faithfulness"]\n'), encoding="utf-8"
    )
    return config


def test_a_dry_run_counts_the_canary_and_needs_no_key(call: Any, tmp_path: Path) -> None:
    with JudgeServer() as server:
        config = judged_night(tmp_path, server.base_url)
        facts = json.loads(call("nightly", config, "--dry-run", "--json").out)
        shown = call("nightly", config, "--dry-run")
        assert server.requests == []
    assert {row["prompt"]: row["calls"] for row in facts["prompts"]} == {
        "split_claims/v2": FACTS, "verify_claims/v3": FACTS, "canary": 2,
    }  # fmt: skip
    assert facts["calls"] == 2 * FACTS + 2
    assert facts["usd"] == pytest.approx(facts["prompt_tokens"] * 1.5e-07 + facts["completion_tokens"] * 6e-07)
    assert "canary" in shown.out
    assert "Nothing was asked and nothing was written." in shown.out
    assert not (tmp_path / "runs").exists()


def test_a_dry_run_finds_what_a_night_would(call: Any, tmp_path: Path) -> None:
    config = judged_night(tmp_path, "http://127.0.0.1:9/v1")
    (tmp_path / "canary.jsonl").write_text("{}\n", encoding="utf-8")
    done = call("nightly", config, "--dry-run")
    assert (done.code, done.out, "canary.jsonl:1" in done.err) == (2, "", True)


def test_a_sample_is_scored_and_a_slice_that_it_lacks_is_incomplete(
    call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_KEY", "k")
    with JudgeServer() as server:
        config = judged_night(tmp_path, server.base_url)
        facts = json.loads(call("nightly", config, "--limit", "3", "--json").out)
        assert (facts["questions"], len(server.requests)) == (3, 2 * 3 + 2)
        assert facts["spent"]["judge_calls"] == 8
        gates = "".join(f'[[gate]]\nmetric="faithfulness"\nmin=0.5\nslice={{part="q{n}"}}\n' for n in range(FACTS))
        config.write_text(config.read_text(encoding="utf-8") + gates, encoding="utf-8")
        done = call("nightly", config, "--limit", "3", "--json")
        verdicts = [one["verdict"] for one in json.loads(done.out)["night"]["gates"]]
    assert (done.code, verdicts.count("incomplete"), verdicts.count("passed")) == (3, FACTS - 3, 4)


def test_kept_replies_alone_make_a_night_without_key_and_canary(
    call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with JudgeServer() as server:
        config = judged_night(tmp_path, server.base_url)
        empty = call("nightly", config, "--replay-only", "--json")
        assert empty.code == 3
        night = json.loads(empty.out)["night"]
        assert night["headline"].startswith("Incomplete: replies that are not kept: 30 of 30 questions lack outcomes.")
        monkeypatch.setenv("JUDGE_KEY", "k")
        assert call("nightly", config, "--quiet").code == 0
        monkeypatch.delenv("JUDGE_KEY")
        before = len(server.requests)
        kept = call("nightly", config, "--replay-only", "--json")
        assert (kept.code, len(server.requests)) == (0, before)
    night = json.loads(kept.out)["night"]
    assert (night["verdict"], night["canary"]) == ("green", None)


def test_another_judge_by_name_begins_its_own_series(call: Any, tmp_path: Path) -> None:
    config = judged_night(tmp_path, "http://127.0.0.1:9/v1")
    done = call("nightly", config, "--judge", "offline", "--json")
    facts = json.loads(done.out)
    assert (done.code, facts["judge"]["model"], facts["night"]["canary"]["judge"]) == (0, "offline", "offline")


def test_the_offline_judge_calls_nobody(call: Any, tmp_path: Path) -> None:
    """Neither in the gates and the history, nor in the forecast: a judge call is one that reached a judge."""
    config = judged_night(tmp_path, "http://127.0.0.1:9/v1")
    gates = '[[gate]]\nmetric = "judge_calls"\nmax = 0\n[[gate]]\nmetric = "usd"\nmax = 0\n'
    config.write_text(config.read_text(encoding="utf-8") + gates, encoding="utf-8")
    assert json.loads(call("nightly", config, "--judge", "offline", "--dry-run", "--json").out)["calls"] == 0
    done = call("nightly", config, "--judge", "offline", "--json")
    facts = json.loads(done.out)
    assert (done.code, facts["spent"]["judge_calls"], facts["spent"]["cached"]) == (0, 0, 0)
    assert [one["sentence"] for one in facts["night"]["gates"][1:]] == ["judge_calls: 0 ≤ 0", "usd: 0 ≤ 0"]
    (run,) = json.loads(call("history", "--runs", tmp_path / "runs", "--json").out)
    assert (run["judge_calls"], run["usd"]) == (0, 0.0)


def test_a_budget_that_ends_early_is_incomplete_whatever_the_floor(
    call: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGE_KEY", "k")
    with JudgeServer() as server:
        config = judged_night(tmp_path, server.base_url, more="coverage_floor = 0.5")
        text = config.read_text(encoding="utf-8")
        config.write_text(text.replace("[judge]", f"[judge]\nmax_calls = {2 * FACTS - 2}"), encoding="utf-8")
        done = call("nightly", config)
    assert done.code == 3
    assert "Incomplete: the budget is spent: 1 of 30 questions lack outcomes." in done.out


@pytest.mark.parametrize("command", ["run", "triage", "nightly"])
def test_a_blank_judge_is_refused_everywhere(call: Any, command: str) -> None:
    done = call(command, ROOT / "configs" / "nightly.toml", "--judge", " ")
    assert (done.code, done.out, done.err) == (2, "", "whichhalf: the name of the judge model is blank\n")


@pytest.mark.parametrize("command", ["validate", "run", "nightly"])
def test_a_slice_that_no_question_has_is_found_before_anything_is_asked(
    call: Any, tmp_path: Path, command: str
) -> None:
    with JudgeServer() as server:
        config = judged_night(tmp_path, server.base_url)
        text = config.read_text(encoding="utf-8").replace("[metrics]", '[metrics]\nslices = ["prat"]')
        config.write_text(text.replace('api_key_env = "JUDGE_KEY"\n', ""), encoding="utf-8")
        done = call(command, config)
        assert (done.code, server.requests) == (2, [])
    assert "no question has the tag 'prat'; there are part" in done.err


@pytest.fixture
def assistant(monkeypatch: pytest.MonkeyPatch) -> Iterator[AssistantServer]:
    """Never says the same twice."""
    monkeypatch.setenv("JUDGE_KEY", "k")
    turn = count(1)

    def reply(body: Body) -> Body:
        text = f"Fact {next(turn)} holds."
        return {"answer": text, "retrieved": [body["id"]], "context": [{"id": body["id"], "text": text}]}

    with AssistantServer(reply) as opened:
        yield opened


def live_night(folder: Path, judge: JudgeServer, assistant: AssistantServer, limits: str, more: str = "") -> Path:
    """The judged night, its outputs recorded from the assistant."""
    config = judged_night(folder, judge.base_url, more)
    text = config.read_text(encoding="utf-8").replace("[judge]\n", f"[judge]\n{limits}\n")
    live = text.replace('outputs = "outputs.jsonl"\n', f'[assistant]\nurl = "{assistant.url}"\n')
    config.write_text(live, encoding="utf-8")
    return config


LIVE_FILE = "nightly-live.jsonl"


@pytest.mark.parametrize(
    ("most", "why"), [(2 * FACTS - 10, "the budget is spent"), (2 * FACTS, "2 could not be judged: 2 budget_spent")]
)
def test_a_live_night_that_spent_its_budget_goes_on_with_the_answers_it_has(
    call: Any, tmp_path: Path, assistant: AssistantServer, most: int, why: str
) -> None:
    """In the run, and in the canary alone."""
    with JudgeServer() as judge:
        config = live_night(tmp_path, judge, assistant, f"max_calls = {most}")
        first = call("nightly", config, "--json")
        assert (first.code, len(assistant.requests), len(judge.requests)) == (3, FACTS, most)
        assert why in json.loads(first.out)["night"]["headline"]
        assert (tmp_path / "runs" / LIVE_FILE).is_file()
        second = call("nightly", config, "--json")
        assert (second.code, len(assistant.requests), len(judge.requests)) == (0, FACTS, 2 * FACTS + 2)
        facts = json.loads(second.out)
        assert any("0 asked now, 30 kept from a run that was not finished" in one for one in facts["notices"])
        assert (Path(json.loads(first.out)["run"]) / "outputs.jsonl").read_bytes() == (
            Path(facts["run"]) / "outputs.jsonl"
        ).read_bytes()
        assert not (tmp_path / "runs" / LIVE_FILE).exists()
        call("nightly", config, "--quiet")
        assert len(assistant.requests) == 2 * FACTS, "another night asks again"


def test_recording_longer_than_the_deadline_is_not_done_again(
    call: Any, tmp_path: Path, assistant: AssistantServer
) -> None:
    assistant.plan = always(slow(0.1))
    with JudgeServer() as judge:
        config = live_night(tmp_path, judge, assistant, "", more="deadline_minutes = 0.001")
        late = call("nightly", config)
        assert (late.code, len(assistant.requests), judge.requests) == (3, FACTS, [])
        assert "the deadline has passed: 30 of 30 questions lack outcomes. The same command goes on" in late.out
        text = config.read_text(encoding="utf-8")
        config.write_text(text.replace("deadline_minutes = 0.001\n", ""), encoding="utf-8")
        assert call("nightly", config, "--quiet").code == 0
    assert (len(assistant.requests), len(judge.requests)) == (FACTS, 2 * FACTS + 2)
