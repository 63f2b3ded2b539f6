"""Real answers and a real ranking, kept beside the project; values against those of other tools."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval

from whichhalf.judging.offline import NOTICE

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SHARED = ROOT.parent / "shared" / "data"
ANSWERS = SHARED / "faithfulness" / "mtrag_human.jsonl"
RANKING = SHARED / "retrieval" / "clapnq_dev_bm25"


def needs(path: Path) -> pytest.MarkDecorator:
    place = f"../{path.relative_to(ROOT.parent)}"
    return pytest.mark.skipif(not path.exists(), reason=f"{place} is not beside the project")


def whichhalf(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from whichhalf.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, encoding="utf-8", timeout=300)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """The config beside this file, with its paths made absolute and its results kept in tmp_path."""
    text = (HERE / "mtrag.toml").read_text(encoding="utf-8")
    places = {"../../../shared/data": SHARED, "../../runs": tmp_path / "runs", "../../.whichhalf-cache": tmp_path / "c"}
    for written, place in places.items():
        assert written in text
        text = text.replace(written, place.as_posix())
    path = tmp_path / "mtrag.toml"
    path.write_text(text, encoding="utf-8")
    return path


@needs(ANSWERS)
def test_every_real_answer_is_accounted_for(config: Path, tmp_path: Path) -> None:
    done = whichhalf("run", config, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    facts = json.loads(done.stdout)
    assert facts["questions"] == 324
    assert facts["notices"] == [NOTICE]
    assert facts["judge"]["is_baseline"] is True
    summary = facts["metrics"]["faithfulness"]
    assert summary["failed"] == {}
    assert set(summary["undefined"]) <= {"refused", "no_claims"}
    assert summary["scored"] + sum(summary["undefined"].values()) == 324
    assert summary["scored"] >= 200

    [folder] = (tmp_path / "runs").iterdir()
    lines = (folder / "cases.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    outcomes = [json.loads(line)["outcomes"]["faithfulness"] for line in lines]
    scored = [outcome for outcome in outcomes if outcome["kind"] == "scored"]
    assert len(outcomes) == 324
    assert len(scored) == summary["scored"]
    assert sum(outcome["value"] for outcome in scored) / len(scored) == pytest.approx(summary["mean"], abs=1e-12)
    assert not (tmp_path / "c").exists()


@needs(ANSWERS)
def test_the_terminal_says_that_the_judge_is_a_baseline(config: Path) -> None:
    done = whichhalf("run", config, "--limit", 20)
    assert (done.returncode, done.stderr) == (0, "")
    assert "mtrag · 20 questions · offline judge: a lexical baseline, no judge model" in done.stdout
    assert NOTICE in " ".join(done.stdout.split())


@needs(ANSWERS)
def test_our_own_shape_is_asked_for_with_a_hint(config: Path, tmp_path: Path) -> None:
    text = config.read_text(encoding="utf-8")
    config.write_text(
        text.replace('context = "contexts"', "").replace('split   = ""', "").replace('meta    = ""', ""),
        encoding="utf-8",
    )
    done = whichhalf("run", config)
    assert (done.returncode, done.stdout) == (2, "")
    hint = 'contexts: unknown key; did you mean context? Map it with [data.columns] context = "contexts"'
    [told] = [line for line in done.stderr.splitlines() if hint in line]
    assert told.endswith(" more lines)"), "a fault of the whole file is told once"
    assert not (tmp_path / "runs").exists()


SAME = {
    "recall@5": "recall_5",
    "recall@10": "recall_10",
    "precision@5": "P_5",
    "precision@10": "P_10",
    "hit_rate@5": "success_5",
    "rr": "recip_rank",
    "ap": "map",
    "ap@5": "map_cut_5",
    "ndcg@5": "ndcg_cut_5",
    "ndcg@10": "ndcg_cut_10",
}


@pytest.fixture(scope="module")
def ours() -> dict[str, Any]:
    names = [part for name in SAME for part in ("-m", name)]
    options = ["--gain", "linear", "--json", "--per-question"]
    done = whichhalf("retrieval", "--qrels", RANKING / "qrels.txt", "--run", RANKING / "run_bm25.txt", *names, *options)
    assert (done.returncode, done.stderr) == (0, "")
    facts: dict[str, Any] = json.loads(done.stdout)
    assert (len(facts["per_question"]), facts["without_output"], facts["without_labels"]) == (300, [], [])
    return facts


def value(row: dict[str, float], name: str) -> float:
    family, _, cut = name.partition("@")
    at = f"@{cut}" if cut else ""
    return row.get(f"{family}{at}[retrieved]", row.get(f"{family}(gain=linear){at}[retrieved]", -1.0))


@needs(RANKING)
def test_every_value_equals_the_one_recorded_from_trec_eval(ours: dict[str, Any]) -> None:
    expected = json.loads((RANKING / "run_bm25.expected.json").read_text(encoding="utf-8"))["levels"]["1"]
    rows: dict[str, dict[str, float]] = expected["per_query"]
    assert ours["per_question"].keys() == rows.keys()
    recorded = {name: theirs for name, theirs in SAME.items() if theirs in next(iter(rows.values()))}
    assert len(recorded) == len(SAME)
    far = [
        (question, name)
        for question, row in rows.items()
        for name, theirs in recorded.items()
        if abs(value(ours["per_question"][question], name) - row[theirs]) > 5e-7
    ]
    assert far == []
    means = {name: one["mean"] for name, one in ours["metrics"].items()}
    for name, theirs in recorded.items():
        assert abs(value(means, name) - expected["mean_over_queries_in_run_and_qrels"][theirs]) <= 5.1e-5


@needs(RANKING)
def test_every_value_equals_that_of_pytrec_eval(ours: dict[str, Any]) -> None:
    qrels: dict[str, dict[str, int]] = {}
    for line in (RANKING / "qrels.txt").read_text(encoding="utf-8").splitlines():
        question, _, passage, grade = line.split()
        qrels.setdefault(question, {})[passage] = int(grade)
    run: dict[str, dict[str, float]] = {}
    for line in (RANKING / "run_bm25.txt").read_text(encoding="utf-8").splitlines():
        question, _, passage, _, score, *_ = line.split()
        run.setdefault(question, {})[passage] = float(score)
    measures = {"recall.5,10", "P.5,10", "success.5", "recip_rank", "map", "map_cut.5", "ndcg_cut.5,10"}
    theirs = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    assert theirs.keys() == ours["per_question"].keys()
    far = [
        (question, name)
        for question, row in theirs.items()
        for name, measure in SAME.items()
        if abs(value(ours["per_question"][question], name) - row[measure]) > 1e-9
    ]
    assert far == []
