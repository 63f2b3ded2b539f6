"""whichhalf run: what it prints, what it leaves behind, and what it tells the shell."""

import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from whichhalf.datasets.corpus import load_corpus
from whichhalf.datasets.golden import load_golden
from whichhalf.datasets.outputs import load_outputs
from whichhalf.errors import JudgeUnusable
from whichhalf.judging.key import reply_key
from whichhalf.judging.offline import NOTICE
from whichhalf.judging.recorded_replies import read_recorded
from whichhalf.judging.seam import Judge, JudgeQuestion, Reply, T
from whichhalf.judging.settings import JudgeSettings
from whichhalf.judging.stack import build_judge
from whichhalf.running.evaluate import evaluate
from whichhalf.running.run_folder import read_run

HALVES = {"retrieval": 8, "generation": 3, "manual": 1}
SCORED = 25
"""Answers of the demo that make claims: 30, less five refusals."""


def strict(text: str) -> Any:
    def refuse(name: str) -> object:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text, parse_constant=refuse)


def one_run_folder(tmp_path: Path) -> Path:
    [folder] = (tmp_path / "runs").iterdir()
    return folder


def test_json_is_strict_and_alone_on_stdout(call: Any, demo_config: Any, tmp_path: Path) -> None:
    done = call("run", demo_config(), "--json")
    assert (done.code, done.err) == (0, "")
    facts = strict(done.out)
    about_metrics = ["metrics", "slices", "curves", "judge_noise"]
    assert list(facts) == ["run", "questions", *about_metrics, "judge", "notices", "cost", "spent", "triage"]
    assert facts["questions"] == 30
    assert list(facts["metrics"]) == ["recall@5[retrieved]", "ndcg@5[retrieved]", "judged@5[retrieved]", "faithfulness"]
    assert facts["metrics"]["faithfulness"]["scored"] == SCORED
    assert {half: facts["triage"][half] for half in HALVES} == HALVES
    assert facts["judge"]["model"] == "recorded/tax-expert"
    folder = one_run_folder(tmp_path)
    assert facts["run"] == str(folder)
    summary = strict((folder / "summary.json").read_text(encoding="utf-8"))
    assert summary["metrics"] == facts["metrics"]
    assert summary["triage"] == HALVES


def test_the_terminal_shows_numbers_meanings_and_halves(call: Any, demo_config: Any, tmp_path: Path) -> None:
    done = call("run", demo_config())
    assert (done.code, done.err) == (0, "")
    assert "demo · 30 questions · judge recorded/tax-expert" in done.out
    assert "recall@5[retrieved]" in done.out
    assert "0.750" in done.out
    assert "Which half failed? 12 answers marked wrong, 5 checked and found right" in done.out
    for half, count in HALVES.items():
        assert f"  {half}".ljust(14) + str(count) in done.out
    assert done.out.endswith(f"Run folder: {one_run_folder(tmp_path)}\n")
    assert not (tmp_path / "cache").exists()


def test_quiet_prints_nothing(call: Any, demo_config: Any, tmp_path: Path) -> None:
    done = call("run", demo_config(), "--quiet")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert one_run_folder(tmp_path).name.startswith("demo-")


def test_runs_within_one_second_get_a_folder_each(call: Any, demo_config: Any, tmp_path: Path) -> None:
    for _ in range(3):
        assert call("run", demo_config(metrics_judged=[]), "--quiet").code == 0
    assert len(list((tmp_path / "runs").iterdir())) == 3


def test_processes_that_start_together_get_a_folder_each(demo_config: Any, tmp_path: Path) -> None:
    config = str(demo_config(metrics_judged=[], triage_flags=None))
    command = [sys.executable, "-c", "from whichhalf.cli import main; main()", "run", config, "--quiet"]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    assert [(one.communicate(timeout=60), one.returncode) for one in started] == [((b"", b""), 0)] * 4
    folders = list((tmp_path / "runs").iterdir())
    assert len(folders) == 4
    for folder in folders:
        assert len(read_run(folder).results) == 30


def test_another_judge_by_name(call: Any, demo_config: Any) -> None:
    facts = strict(call("run", demo_config(), "--judge", "offline", "--json").out)
    assert facts["judge"]["model"] == "offline"
    assert NOTICE in facts["notices"]
    shown = call("run", demo_config(), "--judge", "offline").out
    assert "offline judge: a lexical baseline, no judge model" in shown
    assert NOTICE in " ".join(shown.split())


def seed_that_draws(number: int) -> int:
    return next(seed for seed in range(1000) if Random(seed).sample(range(30), 1) == [number])


def test_a_limit_scores_a_sample_and_says_so(call: Any, demo_config: Any) -> None:
    done = call("run", demo_config(data_seed=seed_that_draws(0)), "--limit", "1", "--json")
    facts = strict(done.out)
    assert (done.code, facts["questions"]) == (0, 1)
    assert f"a sample of 1 of 30 questions, drawn with seed {seed_that_draws(0)}" in facts["notices"]
    assert [answer["id"] for answer in facts["triage"]["answers"]] == ["q01"]
    assert facts["triage"]["unknown"] == []


def test_a_sample_without_flagged_answers_is_no_error(call: Any, demo_config: Any) -> None:
    done = call("run", demo_config(data_seed=seed_that_draws(1)), "--limit", "1", "--json")
    assert (done.code, done.err) == (0, "")
    triage = strict(done.out)["triage"]
    assert {half: triage[half] for half in HALVES} == {"retrieval": 0, "generation": 0, "manual": 0}


FIXTURE = Path(__file__).parents[2] / "fixtures" / "tax_assistant"


class Listening:
    """Passes questions on and keeps the keys of those that ask for verdicts."""

    def __init__(self, inner: Judge) -> None:
        self.identity = inner.identity
        self.keys: list[str] = []
        self._inner = inner

    def ask(self, question: JudgeQuestion[T]) -> Reply[T]:
        if question.prompt.name == "verify_claims":
            self.keys.append(reply_key(self.identity, question))
        return self._inner.ask(question)


@pytest.fixture(scope="module")
def verdict_keys() -> list[str]:
    """Keys of the replies that decide faithfulness in the demo, one an answer."""
    settings = JudgeSettings(model="recorded/tax-expert")
    judge = Listening(build_judge(settings, recorded=read_recorded(FIXTURE / "replies.jsonl")))
    golden, outputs = load_golden(FIXTURE / "golden.jsonl"), load_outputs(FIXTURE / "outputs.jsonl")
    corpus = load_corpus(FIXTURE / "corpus.jsonl")
    evaluate(golden, outputs, ["faithfulness"], judge=judge, corpus=corpus, concurrency=1)
    assert len(set(judge.keys)) == SCORED
    return judge.keys


def replies_without(folder: Path, keys: list[str]) -> Path:
    """The recorded replies of the demo but for some."""
    lines = (FIXTURE / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if json.loads(line)["key"] not in keys]
    assert len(lines) - len(kept) == len(keys)
    path = folder / "replies.jsonl"
    path.write_text("\n".join(kept), encoding="utf-8")
    return path


@pytest.mark.parametrize("options", [[], ["--json"], ["--quiet"]])
def test_coverage_under_the_floor_is_exit_code_3_with_its_reason(
    call: Any, demo_config: Any, tmp_path: Path, verdict_keys: list[str], options: list[str]
) -> None:
    """bug-227, bug-249: what was done is saved, and the reason counted."""
    replies = replies_without(tmp_path, verdict_keys[:3])
    done = call("run", demo_config(judge_replies=replies), *options)
    assert done.code == 3
    assert done.err == (
        f"whichhalf: faithfulness: {SCORED - 3} of {SCORED} cases scored, under the coverage floor 0.95; "
        "lost: 3 reply_not_recorded\n"
    )
    if options == ["--json"]:
        assert strict(done.out)["metrics"]["faithfulness"]["failed"] == {"reply_not_recorded": 3}
    summary = strict((one_run_folder(tmp_path) / "summary.json").read_text(encoding="utf-8"))
    assert summary["metrics"]["faithfulness"]["failed"] == {"reply_not_recorded": 3}


def test_one_lost_reply_is_shown_beside_the_mean(
    call: Any, demo_config: Any, tmp_path: Path, verdict_keys: list[str]
) -> None:
    replies = replies_without(tmp_path, verdict_keys[:1])
    done = call("run", demo_config(judge_replies=replies))
    assert (done.code, done.err) == (0, "")
    rows = [line.split() for line in done.out.splitlines()]
    [place] = [number for number, line in enumerate(rows) if line[:1] == ["faithfulness"] and str(SCORED - 1) in line]
    row = rows[place] + rows[place + 1]  # the cells are long, and go on below
    assert [word for word in row if word in {"1", "reply_not_recorded"}] == ["1", "reply_not_recorded"]
    assert "(0.897" in row


def test_a_coverage_floor_of_zero_accepts_everything(
    call: Any, demo_config: Any, tmp_path: Path, verdict_keys: list[str]
) -> None:
    replies = replies_without(tmp_path, verdict_keys[:3])
    assert call("run", demo_config(judge_replies=replies, run_coverage_floor=0.0), "--quiet").code == 0


def test_a_judge_that_cannot_be_used_is_exit_code_3(
    call: Any, demo_config: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """bug-161"""

    def unusable(*_: object, **__: object) -> None:
        raise JudgeUnusable("the judge's quota is exhausted: pay first")

    monkeypatch.setattr("whichhalf.judging.caching.CachingJudge.ask", unusable)
    done = call("run", demo_config())
    assert (done.code, done.out) == (3, "")
    assert done.err == (
        "whichhalf: the judge's quota is exhausted: pay first; judge replies had so far are kept, and the same command "
        "goes on from there\n"
    )
    assert not (tmp_path / "runs").exists()


def test_ctrl_c_is_exit_code_3(call: Any, demo_config: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """bug-164"""

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("whichhalf.judging.caching.CachingJudge.ask", interrupt)
    done = call("run", demo_config())
    assert (done.code, done.out) == (3, "")
    assert done.err == (
        "whichhalf: stopped; judge replies had so far are kept, and the same command goes on from there\n"
    )


def test_a_full_disk_is_one_message(
    call: Any, demo_config: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    done = call("run", demo_config())
    assert (done.code, done.out) == (3, "")
    assert done.err.startswith(f"whichhalf: {tmp_path / 'runs' / 'demo-'}")
    assert done.err.endswith(": No space left on device\n")


def test_an_unwritable_folder_is_found_first(call: Any, demo_config: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = call("run", demo_config(run_out=tmp_path / "file" / "runs"))
    assert done.code == 2
    said = "[run] out: is not a folder that can be written; allow it, or name another"
    assert done.err == f"whichhalf: {tmp_path / 'file'}: {said}\n"


def test_flags_of_other_questions_are_found_first(call: Any, demo_config: Any, tmp_path: Path) -> None:
    flags = tmp_path / "flags.csv"
    flags.write_text("id\nother\n", encoding="utf-8")
    done = call("run", demo_config(triage_flags=flags))
    assert done.code == 2
    assert done.err == (f"whichhalf: {flags}: no flagged id is a question: flags have 'other', the golden set 'q01'\n")
    assert not (tmp_path / "runs").exists()


def test_the_split_is_obeyed(call: Any, demo_config: Any, tmp_path: Path) -> None:
    rows = [
        {"id": one, "question": "?", "relevant": ["c1"], "split": split}
        for one, split in (("a", "tune"), ("b", "held_out"), ("c", None))
    ]
    golden, outputs = tmp_path / "golden.jsonl", tmp_path / "outputs.jsonl"
    golden.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    outputs.write_text("\n".join(json.dumps({"id": one, "retrieved": ["c1"]}) for one in "abc"), encoding="utf-8")
    for split, count in (("tune", 2), ("held_out", 2), ("all", 3)):
        config = demo_config(
            data_golden=golden,
            data_outputs=outputs,
            data_corpus=None,
            data_split=split,
            metrics_retrieval=["rr"],
            metrics_judged=[],
            triage_flags=None,
        )
        facts = strict(call("run", config, "--json").out)
        assert facts["questions"] == count
        left_out = [f"1 question(s) left out: [data] split is '{split}'"] if count == 2 else []
        assert facts["notices"] == left_out


def test_replay_only_asks_nobody(call: Any, demo_config: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("whichhalf.judging.provider.Provider.ask", lambda *_: pytest.fail("a judge was called"))
    config = demo_config(judge_model="openai/m", judge_base_url="http://127.0.0.1:9/v1", judge_replies=None)
    done = call("run", config, "--replay-only", "--json")
    assert done.code == 3
    failed = strict(done.out)["metrics"]["faithfulness"]["failed"]
    assert failed == {"reply_not_recorded": 30}
    assert "0 of 30 cases scored" in done.err
    assert not (tmp_path / "cache").exists(), "it only reads"


def test_a_blank_judge_is_refused(call: Any, demo_config: Any, tmp_path: Path) -> None:
    done = call("run", demo_config(), "--judge", " ")
    assert (done.code, done.out, done.err) == (2, "", "whichhalf: the name of the judge model is blank\n")
    assert [path.name for path in tmp_path.iterdir()] == ["demo.toml"]


def test_one_reply_that_is_not_kept_makes_a_replay_incomplete(call: Any, demo_config: Any, tmp_path: Path) -> None:
    """Also where coverage stays above the floor: whoever asks for kept replies alone wants the whole of a run."""
    first = call("run", demo_config(), "--json")
    calls = (Path(json.loads(first.out)["run"]) / "calls.jsonl").read_text(encoding="utf-8").splitlines()
    missing = next(row["key"] for row in map(json.loads, calls) if row["prompt"] == "verify_claims")
    lines = (FIXTURE / "replies.jsonl").read_text(encoding="utf-8").splitlines()
    replies = tmp_path / "replies.jsonl"
    replies.write_text("\n".join(line for line in lines if missing not in line), encoding="utf-8")
    done = call("run", demo_config(judge_replies=replies), "--replay-only", "--quiet")
    assert (done.code, done.out) == (3, "")
    said = "replies that are not kept: 1 of 30 questions lack outcomes; without --replay-only the judge is asked"
    assert done.err == f"whichhalf: {said}\n"
