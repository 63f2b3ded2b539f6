"""whichhalf compare on two runs of the tax assistant that differ in the answer prompt, and on bad input."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from whichhalf.jobs.evaluation import run_evaluation
from whichhalf.running.config import read_config

FIXTURE = Path(__file__).parents[2] / "fixtures" / "tax_assistant"
CONFIG = """
[data]
golden = "{fixture}/golden.jsonl"
outputs = "{fixture}/{outputs}"
corpus = "{fixture}/corpus.jsonl"
[metrics]
retrieval = ["recall@5"]
judged = ["faithfulness", "answer_correctness"]
slices = ["topic"]
[judge]
model = "{model}"
replies = "{fixture}/replies.jsonl"
[run]
out = "{folder}/runs"
"""


def make_run(folder: Path, outputs: str, model: str = "recorded/tax-expert") -> Path:
    path = folder / "config.toml"
    path.write_text(CONFIG.format(fixture=FIXTURE.as_posix(), outputs=outputs, folder=folder.as_posix(), model=model))
    return run_evaluation(read_config(path), "run").folder.rename(folder / Path(outputs).stem)


@pytest.fixture(scope="module")
def v1(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("v1"), "outputs.jsonl")


@pytest.fixture(scope="module")
def v2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("v2"), "outputs_v2.jsonl")


@pytest.fixture
def compared(call: Any, v1: Path, v2: Path) -> Any:
    done = call("compare", v1, v2, "--json")
    assert (done.code, done.err) == (0, "")
    (one,) = json.loads(done.out)["comparisons"]
    return one


def test_it_names_exactly_what_changed(compared: Any) -> None:
    assert [(one["what"], one["a"], one["b"], one["questions"]) for one in compared["changed"]] == [
        ("answer prompt", "answer/v1", "answer/v2", 30),
        ("answers", "", "", 11),
    ]
    assert (compared["warnings"], compared["pairing"]) == ([], {"paired": 30, "only_a": [], "only_b": []})


def test_the_words_are_those_worked_by_hand(compared: Any) -> None:
    """faithfulness: q01 +1/4, q06 +1/2, q13 +1/4, q20 +1/2, q26 -1/5: 4 of 32 sign patterns reach their sum of 1.3.

    answer_correctness: nine up, q26 down by 1/9: besides the pattern seen, turning q25 (1/15), q01 (3/28) or q26
    (1/9) reaches its sum: 2 · 4 of 1024. Holm over these two, since recall is the same on every pair.
    """
    found = {one["metric"]: one for one in compared["metrics"]}
    faithfulness = found["faithfulness"]
    assert faithfulness["paired"]["n"] == 24
    assert faithfulness["paired"]["difference"] == pytest.approx(1.3 / 24, abs=1e-12)
    assert faithfulness["paired"]["p"] == pytest.approx(4 / 32, abs=1e-12)
    assert faithfulness["verdict"] == "not enough data"
    assert {one["reason"]: one["questions"] for one in faithfulness["left_out"]} == {
        "refused in both": ["q17", "q27", "q28", "q29", "q30"],
        "refused in B": ["q22"],
    }
    correctness = found["answer_correctness"]
    assert (correctness["paired"]["wins"], correctness["paired"]["ties"], correctness["paired"]["losses"]) == (9, 16, 1)
    assert correctness["paired"]["p"] == pytest.approx(8 / 1024, abs=1e-12)
    assert correctness["p_adjusted"] == pytest.approx(16 / 1024, abs=1e-12)
    assert correctness["verdict"] == "better"
    recall = found["recall@5[retrieved]"]
    assert (recall["paired"]["difference"], recall["p_adjusted"]) == (0.0, None)
    assert [one["half"] for one in compared["metrics"]] == ["retrieval", "generation", "both"]


def test_the_movers_are_the_answers_that_were_edited(compared: Any) -> None:
    assert [(one["question"], one["way"], one["half"]) for one in compared["movers"]] == [
        ("q06", "better", "generation"),
        ("q20", "better", "generation"),
        ("q07", "better", "generation"),
        ("q26", "worse", "generation"),
    ]
    demand, *_, renting = compared["movers"]
    assert ("60 days" in demand["answer_a"], "45 days" in demand["answer_b"]) == (True, True)
    flips = {one["claim"]: (one["before"], one["after"]) for one in demand["claims"]}
    assert flips["A demand notice has to be paid within 60 days of its date."] == ("contradicted", None)
    assert flips["A demand notice must be paid within 45 days of its date."] == ("contradicted", "supported")
    assert {one["claim"]: (one["before"], one["after"]) for one in renting["claims"]} == {
        "The rent agreement of a let flat has to be sent to the tax office with the return.": (None, "not_mentioned")
    }


def test_the_terminal_tells_it_in_words(call: Any, v1: Path, v2: Path) -> None:
    done = call("compare", v1, v2)
    assert (done.code, done.err) == (0, "")
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert "• answer prompt: answer/v1 → answer/v2 (all questions)" in lines
    rows = {line.split()[0]: line for line in lines if line.count(" / ") == 2}
    assert "better 9 / 16 / 1" in rows["answer_correctness"]
    assert "0.125 not enough data 4 / 19 / 1" in rows["faithfulness"]
    assert "no pair differs 0 / 26 / 0" in rows["recall@5[retrieved]"]
    assert "B − A by topic" in done.out
    assert "better, worse: p < 0.05 after Holm" in done.out
    assert call("compare", v1, v2, "--quiet").out == ""


def test_the_baseline_may_be_named(call: Any, v1: Path, v2: Path) -> None:
    for arguments in ([v1, v2, "--baseline", v2], [v1, "--baseline", v2]):
        (one,) = json.loads(call("compare", *arguments, "--json").out)["comparisons"]
        assert (one["name_a"], one["name_b"]) == ("outputs_v2", "outputs")
        assert one["metrics"][2]["verdict"] == "worse"


def test_more_than_two_runs_against_the_first(call: Any, v1: Path, v2: Path, tmp_path: Path) -> None:
    third = shutil.copytree(v2, tmp_path / "outputs_v2")
    first, second = json.loads(call("compare", v1, v2, third, "--json").out)["comparisons"]
    assert [first["name_a"], first["name_b"], second["name_b"]] == ["outputs", str(v2), str(third)]
    assert first["metrics"][2]["p_adjusted"] == pytest.approx(32 / 1024, abs=1e-12)  # four tests together


def test_another_judge_is_refused(call: Any, v1: Path, tmp_path: Path) -> None:
    other = make_run(tmp_path, "outputs_v2.jsonl", "offline")
    done = call("compare", v1, other)
    assert (done.code, done.out) == (2, "")
    assert "outputs and outputs_v2 must not be compared: judge model asked: recorded/tax-expert in A, offline in B" in (
        done.err
    )
    anyway = call("compare", v1, other, "--anyway")
    assert anyway.code == 0
    assert "Compared all the same, although" in anyway.out


def test_lost_pairs_end_with_3(call: Any, v1: Path, v2: Path, tmp_path: Path) -> None:
    """Five of thirty outcomes failed: the rest is shown, without a word, and the shell is told."""
    lost = shutil.copytree(v2, tmp_path / "lost")
    rows = [json.loads(line) for line in (lost / "cases.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows[:5]:
        row["outcomes"]["faithfulness"] = {"kind": "failed", "stage": "s", "error": "reply_cut", "message": "m"}
    (lost / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = call("compare", v1, lost)
    assert done.code == 3
    assert "faithfulness, outputs and lost: 79% of the definable pairs scored, floor 95%" in done.err
    assert call("compare", v1, lost, "--coverage-floor", "0.5").code == 0


BAD: dict[str, tuple[list[str], str]] = {
    "one run": (["{v1}"], "a comparison needs two runs"),
    "a folder that is no run": (["{v1}", "{nowhere}"], "is no run folder"),
    "a tag that no question has": (["{v1}", "{v2}", "--slice", "tpoic"], "no question has the tag 'tpoic'"),
    "a tag to cluster by that no question has": (["{v1}", "{v2}", "--cluster", "doc"], "have no tag 'doc'"),
    "two forms at once": (["{v1}", "{v2}", "--json", "--markdown"], "--json and --markdown"),
    "a margin of nothing": (["{v1}", "{v2}", "--margin", "0"], "--margin"),
}


@pytest.mark.parametrize(("arguments", "said"), BAD.values(), ids=BAD.keys())
def test_bad_usage_is_one_clear_message(
    call: Any, v1: Path, v2: Path, tmp_path: Path, arguments: list[str], said: str
) -> None:
    done = call("compare", *(one.format(v1=v1, v2=v2, nowhere=tmp_path) for one in arguments))
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_run_with_itself_has_no_empty_table(call: Any, run_folder: Path) -> None:
    for form in ([], ["--markdown"]):
        done = call("compare", run_folder, run_folder, "--slice", "topic", *form)
        assert done.code == 0
        assert "by topic" not in done.out.lower()
