"""whichhalf retrieval: the metric core on files."""

import json
from pathlib import Path
from typing import Any

import pytest

QRELS = "q1 0 a 1\nq1 0 b 2\nq2 0 c 1\nq3 0 d 0\n"
RUN = "q1 Q0 x 1 3 t\nq1 Q0 a 2 2 t\nq1 Q0 a 3 1 t\nq4 Q0 e 1 1 t\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text(QRELS, encoding="utf-8")
    run.write_text(RUN, encoding="utf-8")
    return qrels, run


def test_json(call: Any, files: tuple[Path, Path]) -> None:
    qrels, run = files
    done = call("retrieval", "--qrels", qrels, "--run", run, "-m", "recall@2", "-m", "rr", "--json", "--per-question")
    assert (done.code, done.err) == (0, "")
    facts = json.loads(done.out)
    assert {name: one["mean"] for name, one in facts["metrics"].items()} == {
        "recall@2[retrieved]": 0.25,
        "rr[retrieved]": 0.25,
    }
    assert facts["metrics"]["rr[retrieved]"]["undefined"] == {"no_relevant_labels": 1}
    assert (facts["without_output"], facts["without_labels"], facts["repeating"]) == (["q2", "q3"], ["q4"], ["q1"])
    assert facts["per_question"]["q1"] == {"recall@2[retrieved]": 0.5, "rr[retrieved]": 0.5}
    assert facts["per_question"]["q3"] == {"recall@2[retrieved]": None, "rr[retrieved]": None}


def test_the_terminal_lists_what_was_left_out(call: Any, files: tuple[Path, Path]) -> None:
    """bug-018, bug-038"""
    qrels, run = files
    done = call("retrieval", "--qrels", qrels, "--run", run, "-m", "rr", "--per-question")
    assert (done.code, done.err) == (0, "")
    rows = [line.split() for line in done.out.splitlines()]
    assert ["question", "rr"] in rows
    assert ["q1", "0.500"] in rows
    assert ["q3", "–"] in rows
    # number 0.1875 ÷ 0.0625 · (1.959964 ÷ 12.706205)² = 0.07138: Beta(0.51785, 0.55354)
    # the upper end is that of one pass in two, whatever 0.5 may be: √0.975 = 0.98742
    assert ["rr[retrieved]", "0.250", "0.002–0.987", "2", "1", "no_relevant_labels", "–"] in rows
    assert done.out.splitlines()[-3:] == [
        "2 question(s) with labels are not in the run, counted as 0: q2, q3",
        "1 question(s) of the run have no labels, left out: q4",
        "1 question(s) of the run repeat a passage id: q1",
    ]


def test_usual_metrics_where_none_is_named(call: Any, files: tuple[Path, Path]) -> None:
    facts = json.loads(call("retrieval", "--qrels", files[0], "--run", files[1], "--json").out)
    assert [name.removesuffix("[retrieved]") for name in facts["metrics"]] == [
        "recall@5",
        "recall@10",
        "precision@5",
        "hit_rate@5",
        "rr",
        "ap",
        "ndcg@10",
        "judged@10",
    ]


def test_json_lines_keep_their_order(call: Any, tmp_path: Path) -> None:
    golden, outputs = tmp_path / "golden.jsonl", tmp_path / "outputs.jsonl"
    golden.write_text('{"id": "q1", "question": "?", "relevant": ["a"]}', encoding="utf-8")
    row = {"id": "q1", "retrieved": ["x", "y"], "reranked": [{"id": "b", "score": 1}, {"id": "a", "score": 2}]}
    outputs.write_text(json.dumps(row), encoding="utf-8")
    facts = json.loads(call("retrieval", "--qrels", golden, "--run", outputs, "-m", "rr", "--json").out)
    assert facts["metrics"]["rr[retrieved]"]["mean"] == 0.5


TIES = {"trec": 1.0, "input": 0.5}


@pytest.mark.parametrize(("ties", "value"), TIES.items())
def test_ties(call: Any, tmp_path: Path, ties: str, value: float) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text("q 0 b 1\n", encoding="utf-8")
    run.write_text("q Q0 a 1 1.0 t\nq Q0 b 2 1.0 t\n", encoding="utf-8")
    facts = json.loads(call("retrieval", "--qrels", qrels, "--run", run, "-m", "rr", "--ties", ties, "--json").out)
    assert facts["metrics"]["rr[retrieved]"]["mean"] == value


def test_options_stand_in_the_name_or_the_contract(call: Any, files: tuple[Path, Path]) -> None:
    options = ["--gain", "linear", "--relevance-threshold", "2", "--duplicates", "collapse"]
    done = call("retrieval", "--qrels", files[0], "--run", files[1], "-m", "ndcg@5", "-m", "rr", "--json", *options)
    metrics = json.loads(done.out)["metrics"]
    assert list(metrics) == ["ndcg(gain=linear)@5[retrieved]", "judged@5[retrieved]", "rr[retrieved]"]
    assert "relevant = grade ≥ 2" in metrics["rr[retrieved]"]["contract"]
    assert "later copies are dropped first" in metrics["rr[retrieved]"]["contract"]


BAD: dict[str, tuple[str, str, list[str], str]] = {
    "files the wrong way round": (
        RUN,
        QRELS,
        [],
        "{qrels}:1: a qrels line has 4 columns, this has 6 (and on 3 more lines)",
    ),
    "no question in both": (
        "other 0 a 1\n",
        RUN,
        [],
        "no question of the run has labels: check that both use the same ids",
    ),
    "a repeated passage, refused": (
        QRELS,
        RUN,
        ["--duplicates", "error"],
        "passage 'a' is ranked more than once",
    ),
    "a judged metric": (
        QRELS,
        RUN,
        ["-m", "faithfulness"],
        "metric 'faithfulness' needs a judge; here only retrieval metrics are scored",
    ),
}


@pytest.mark.parametrize(("qrels_text", "run_text", "options", "message"), BAD.values(), ids=BAD.keys())
def test_refused(call: Any, tmp_path: Path, qrels_text: str, run_text: str, options: list[str], message: str) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    qrels.write_text(qrels_text, encoding="utf-8")
    run.write_text(run_text, encoding="utf-8")
    done = call("retrieval", "--qrels", qrels, "--run", run, *options)
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[0] == "whichhalf: " + message.format(qrels=qrels)


def test_outputs_without_retrieval(call: Any, tmp_path: Path) -> None:
    golden, outputs = tmp_path / "golden.jsonl", tmp_path / "outputs.jsonl"
    golden.write_text('{"id": "q1", "question": "?", "relevant": ["a"]}', encoding="utf-8")
    outputs.write_text('{"id": "q1", "answer": "Yes."}', encoding="utf-8")
    done = call("retrieval", "--qrels", golden, "--run", outputs)
    assert (done.code, done.err) == (2, f"whichhalf: {outputs}: output 'q1' logs no retrieved passages\n")


FIXTURE = Path(__file__).parents[2] / "fixtures" / "rankings"
LABELS = ["qrels.txt", "labels.csv", "beir/qrels/test.tsv", "beir", "golden.csv", "golden.jsonl"]
RANKINGS = ["run.txt", "ranking_scores.csv", "ranking_ranks.csv", "outputs.csv", "outputs.jsonl"]


@pytest.mark.parametrize("run", RANKINGS)
@pytest.mark.parametrize("qrels", LABELS)
def test_every_form_gives_the_same_scores(call: Any, qrels: str, run: str) -> None:
    metrics = ["-m", "recall@5", "-m", "rr", "-m", "ap", "-m", "ndcg@5", "-m", "bpref", "-m", "judged@3"]
    options = [*metrics, "--json", "--per-question"]
    trec = call("retrieval", "--qrels", FIXTURE / "qrels.txt", "--run", FIXTURE / "run.txt", *options)
    done = call("retrieval", "--qrels", FIXTURE / qrels, "--run", FIXTURE / run, *options)
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["metrics"]["recall@5[retrieved]"]["mean"] == 0.5
    assert done.out == trec.out


MIXED: dict[str, tuple[str, str, str, list[str], float]] = {
    "ties in a table go trec_eval's way": ("labels.csv", "question,passage\nq,b\n", "score", [], 1.0),
    "ties in file order": ("labels.csv", "question,passage\nq,b\n", "score", ["--ties", "input"], 0.5),
    "ties meet a golden set": ("golden.csv", "id,question,relevant\nq,?,b\n", "score", [], 1.0),
    "ties in file order meet a golden set": (
        "golden.csv",
        "id,question,relevant\nq,?,b\n",
        "score",
        ["--ties", "input"],
        0.5,
    ),
}


@pytest.mark.parametrize(("name", "labels", "number", "options", "value"), MIXED.values(), ids=MIXED.keys())
def test_ties_in_tables(
    call: Any, tmp_path: Path, name: str, labels: str, number: str, options: list[str], value: float
) -> None:
    qrels, run = tmp_path / name, tmp_path / "ranking.csv"
    qrels.write_text(labels, encoding="utf-8")
    run.write_text(f"question,passage,{number}\nq,a,0\nq,b,-0.0\nq,c,-1\n", encoding="utf-8")
    done = call("retrieval", "--qrels", qrels, "--run", run, "-m", "rr", "--json", *options)
    assert json.loads(done.out)["metrics"]["rr[retrieved]"]["mean"] == value


@pytest.mark.parametrize("labels", ["question,passage\nq,b\n", "id,question,relevant\nq,?,b\n"], ids=["pairs", "rows"])
@pytest.mark.parametrize("duplicates", ["first_copy", "collapse"])
def test_repeated_passages_in_tables(call: Any, tmp_path: Path, labels: str, duplicates: str) -> None:
    qrels, run = tmp_path / "labels.csv", tmp_path / "ranking.csv"
    qrels.write_text(labels, encoding="utf-8")
    run.write_text("question,passage,score\nq,a,1\nq,b,2\nq,a,3\n", encoding="utf-8")
    options = ["-m", "precision@2", "-m", "rr", "--json", "--duplicates", duplicates]
    facts = json.loads(call("retrieval", "--qrels", qrels, "--run", run, *options).out)
    assert [one["mean"] for one in facts["metrics"].values()] == [0.5, 0.5]
    assert facts["repeating"] == ["q"]


def test_a_question_without_labels_is_counted_apart(call: Any, tmp_path: Path) -> None:
    """In a golden set or a BEIR folder it stands there; qrels have no line for it."""
    qrels = tmp_path / "golden.csv"
    qrels.write_text("id,question,relevant\nq1,?,c12\nq2,?,\n", encoding="utf-8")
    facts = json.loads(call("retrieval", "--qrels", qrels, "--run", FIXTURE / "run.txt", "-m", "rr", "--json").out)
    assert facts["metrics"]["rr[retrieved]"]["undefined"] == {"no_relevant_labels": 1}
    assert facts["without_labels"] == []


@pytest.mark.parametrize(
    ("name", "text"),
    [("qrels.tsv", "q1\t0\tc12\t1\n"), ("qrels.csv", "# made by hand\nq1 0 c12 -1\nq1 0 c47 1\n")],
)
def test_trec_under_the_name_of_a_table(call: Any, tmp_path: Path, name: str, text: str) -> None:
    qrels = tmp_path / name
    qrels.write_text(text, encoding="utf-8")
    assert call("retrieval", "--qrels", qrels, "--run", FIXTURE / "run.txt", "-m", "rr").code == 0


def test_notices_of_the_files_stand_on_stderr(call: Any, tmp_path: Path) -> None:
    qrels, run = tmp_path / "golden.jsonl", tmp_path / "both.csv"
    qrels.write_text('{"id": 1, "question": "?", "relevant": ["a"]}', encoding="utf-8")
    run.write_text("question,passage,rank,score\n1,a,2,5\n1,b,1,4\n", encoding="utf-8")
    done = call("retrieval", "--qrels", qrels, "--run", run, "-m", "rr", "--json")
    assert json.loads(done.out)["metrics"]["rr[retrieved]"]["mean"] == 1.0
    assert done.err.splitlines() == [
        "note: golden.jsonl: 1 whole-number id(s) converted to text",
        "note: both.csv: has score and rank; the score counts",
    ]


UNREADABLE = {
    "labels as a ranking": ("labels.csv", "labels.csv", "{run}:1: needs a column 'score' or 'rank'; it has question, "),
    "a ranking as labels": ("ranking_ranks.csv", "run.txt", "{qrels}:1: labels need a column 'grade'; score and rank"),
    "a golden set as a ranking": ("qrels.txt", "golden.csv", "{run}:1: question: unknown column; there are id, "),
    "a folder as a ranking": ("qrels.txt", "beir", "{run}: cannot be read ("),
    "a folder of something else": (".", "run.txt", "{qrels}: holds no qrels/*.tsv; a golden set is a file, or a "),
    "no labels": ("missing.csv", "run.txt", "{qrels}: the file does not exist"),
    "no rankings": ("qrels.txt", "missing.txt", "{run}: the file does not exist"),
}


@pytest.mark.parametrize(("qrels", "run", "message"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_files_that_cannot_be_used(call: Any, qrels: str, run: str, message: str) -> None:
    done = call("retrieval", "--qrels", FIXTURE / qrels, "--run", FIXTURE / run)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("whichhalf: " + message.format(qrels=FIXTURE / qrels, run=FIXTURE / run))
