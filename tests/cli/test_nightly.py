"""whichhalf nightly: what it tells the shell, and which options it shares with run."""

import json
from pathlib import Path
from typing import Any

import pytest

from judge_server import JudgeServer, always, error


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
