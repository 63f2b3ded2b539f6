"""whichhalf validate: every fault of every file at once, and nothing is written."""

import json
import tomllib
from pathlib import Path
from typing import Any


def test_all_is_well(call: Any, demo_config: Any, tmp_path: Path) -> None:
    done = call("validate", demo_config())
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "30 questions, 30 with an output; ready to run, nothing was asked"
    assert [line.partition(": ")[0] for line in lines[1:]] == [
        "metric recall@5[retrieved]",
        "metric ndcg@5[retrieved]",
        "metric judged@5[retrieved]",
        "metric faithfulness",
        "look at",
    ]
    # recall@5 is 1 for 16 questions, 0.5 for 7 and 0 for 3: deviation 0.353553;
    # 2.801585 · 0.353553 ÷ √(26 − 1.920729) = 0.2019
    assert lines[-1].startswith("look at: 26 questions can show a difference in recall@5[retrieved] of about 0.20 ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo.toml"]


def test_every_fault_of_every_file(call: Any, demo_config: Any, tmp_path: Path) -> None:
    files = {
        "golden.jsonl": '{"id": "q1", "question": "?", "relevant": [1.5]}\n{broken\n',
        "outputs.jsonl": '{"id": "q1", "contexts": []}\n',
        "corpus.jsonl": '{"id": "c1"}\n',
        "flags.csv": "id,flagged_wrong\nq1,perhaps\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    config = demo_config(
        data_golden=tmp_path / "golden.jsonl",
        data_outputs=tmp_path / "outputs.jsonl",
        data_corpus=tmp_path / "corpus.jsonl",
        triage_flags=tmp_path / "flags.csv",
        metrics_retrieval=["recall", "rr(p=1)", "rr"],
        judge_model="openai/m",
        judge_replies=tmp_path / "none.jsonl",
    )
    done = call("validate", config)
    assert (done.code, done.out) == (2, "")
    lines = done.err.splitlines()
    expected = [
        f"{tmp_path}/golden.jsonl:2: not valid JSON (Expecting property name enclosed in double quotes, column 2)",
        f"{tmp_path}/golden.jsonl:1: relevant: id must be text or a whole number, but 1.5 is a decimal number",
        f"{tmp_path}/outputs.jsonl:1: contexts: unknown key; did you mean context? "
        'Map it with [data.columns] context = "contexts"',
        f"{tmp_path}/corpus.jsonl:1: text: is missing",
        f"{tmp_path}/flags.csv:2: flagged_wrong: 'perhaps' is neither true nor false",
        "metric 'recall' needs a cut, for example recall@5",
        "metric 'rr(p=1)': unknown option 'p'; it has none",
    ]
    assert lines[:-1] == [f"whichhalf: {line}" for line in expected]
    assert lines[-1].startswith(f"whichhalf: {tmp_path}/none.jsonl: ")


def test_a_missing_key_is_found_without_opening_a_cache(call: Any, demo_config: Any, tmp_path: Path) -> None:
    done = call("validate", demo_config(judge_model="openai/m", judge_replies=None))
    assert done.code == 2
    assert done.err == "whichhalf: judge openai/m needs a key: the environment variable OPENAI_API_KEY is not set\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["demo.toml"]


def test_no_key_is_needed_where_no_judge_is_asked(call: Any, demo_config: Any) -> None:
    done = call("run", demo_config(judge_model="openai/m", judge_replies=None, metrics_judged=[]), "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_a_judged_metric_in_the_wrong_list_is_told(call: Any, demo_config: Any) -> None:
    config = demo_config(
        judge_model="openai/m", judge_replies=None, metrics_retrieval=["faithfulness"], metrics_judged=[]
    )
    done = call("validate", config)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"whichhalf: {config}: [metrics] retrieval: faithfulness belongs under judged\n"


def test_many_faults_are_cut_and_counted(call: Any, demo_config: Any, tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    rows = (f'{{"id": "q{number}", "question": "?", "key{number}": 1}}\n' for number in range(50))
    path.write_text("".join(rows), encoding="utf-8")
    done = call("validate", demo_config(data_golden=path))
    lines = done.err.splitlines()
    assert (done.code, len(lines), lines[-1]) == (2, 31, "whichhalf: and 20 more faults")


def test_a_fault_of_many_lines_is_told_once(call: Any, demo_config: Any, tmp_path: Path) -> None:
    path = tmp_path / "golden.jsonl"
    rows = [f'{{"id": "q{number}", "question": "?", "splt": "tune"}}\n' for number in range(50)]
    path.write_text("".join([*rows, '{"id": "q50", "question": "?", "relevnt": []}\n' * 2]), encoding="utf-8")
    done = call("validate", demo_config(data_golden=path))
    shared, last = done.err.splitlines()
    assert done.code == 2
    assert shared.startswith(f"whichhalf: {path}:1: splt: unknown key; ")
    assert shared.endswith(" (and on 49 more lines)")
    assert last.startswith(f"whichhalf: {path}:51: relevnt: unknown key; ")
    assert last.endswith(" (and on 1 more line)")


def test_defaults_are_toml(call: Any) -> None:
    done = call("validate", "--defaults")
    assert (done.code, done.err) == (0, "")
    assert tomllib.loads(done.out)["run"] == {
        "out": "runs",
        "cache": ".whichhalf-cache",
        "use_cache": True,
        "coverage_floor": 0.95,
    }


def test_nothing_to_validate(call: Any) -> None:
    done = call("validate")
    assert (done.code, done.out, done.err) == (2, "", "whichhalf: name a config file, or ask for --defaults\n")


def test_what_a_night_would_refuse_is_found(call: Any, demo_config: Any, tmp_path: Path) -> None:
    config = demo_config()
    night = f"\n[canary]\nanchors = '{tmp_path}/none.jsonl'\n[[gate]]\nmetric = 'recall@7'\nmin = 0.5\n"
    config.write_text(config.read_text(encoding="utf-8") + night, encoding="utf-8")
    done = call("validate", config)
    assert (done.code, done.out) == (2, "")
    gate, anchors = done.err.splitlines()
    assert gate.startswith("whichhalf: [[gate]]: gate 1: 'recall@7' is not in this run; it has recall@5[retrieved]")
    assert anchors == f"whichhalf: {tmp_path}/none.jsonl: the file does not exist"


def test_the_lines_as_json_and_not_at_all(call: Any, demo_config: Any) -> None:
    config = demo_config()
    lines = call("validate", config).out.splitlines()
    assert json.loads(call("validate", config, "--json").out) == lines
    quiet = call("validate", config, "--quiet")
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
