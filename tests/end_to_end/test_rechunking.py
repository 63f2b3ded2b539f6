"""One golden set, labelled by quotes, against two chunkings of the same documents: the numbers stay comparable."""

import importlib.util
from functools import cache
from pathlib import Path

import pytest

from whichhalf.core.outcome import Scored
from whichhalf.core.run import CaseResult, Run
from whichhalf.datasets.corpus import load_corpus
from whichhalf.datasets.golden import load_golden
from whichhalf.datasets.outputs import load_outputs
from whichhalf.retrieval.quote_index import unresolved_quotes
from whichhalf.running.evaluate import evaluate
from whichhalf.running.run_folder import read_run, write_run
from whichhalf.triage.which_half_failed import which_half_failed

FOLDER = Path(__file__).parents[2] / "fixtures" / "rechunked"
GOLDEN = load_golden(FOLDER / "golden.jsonl")
KS = {"coarse": 3, "fine": 6}
"""About as many words: 3 passages of 80, or 6 of 44."""


@cache
def run_of(name: str) -> Run:
    metrics = [f"recall@{k}" for k in (1, *KS.values())] + ["rr", "ap"]
    return evaluate(
        GOLDEN,
        load_outputs(FOLDER / f"outputs_{name}.jsonl"),
        metrics,
        corpus=load_corpus(FOLDER / f"corpus_{name}.jsonl"),
    )


def result(name: str, question: str) -> CaseResult:
    return next(one for one in run_of(name).results if one.case.id == question)


def value(name: str, metric: str, question: str) -> float:
    outcome = result(name, question).outcomes[f"{metric}[retrieved]"]
    assert isinstance(outcome, Scored)
    return outcome.value


def test_the_files_are_what_the_script_writes() -> None:
    spec = importlib.util.spec_from_file_location("chunk_and_retrieve", FOLDER / "chunk_and_retrieve.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for name, text in module.written_files().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text, name


def test_no_passage_id_is_in_both_chunkings() -> None:
    assert not load_corpus(FOLDER / "corpus_coarse.jsonl").keys() & load_corpus(FOLDER / "corpus_fine.jsonl").keys()


@pytest.mark.parametrize(
    ("question", "coarse", "fine"),
    [
        ("g01", 1, 1),  # whole in both
        ("g02", 20 / 45, 1),  # "If you are late, the fee is | one euro fifty per tool and day"
        ("g04", 1, 25 / 58),  # "Outside opening hours you may | use the green return box behind the shed"
        ("g05", 1, 1),  # no document named, and a line break inside
        ("g06", 1, 35 / 56),  # "A reserved tool waits for you until five in | the afternoon of that day"
        ("g09", 38 / 44, 1),  # "it does not cover your own injuries or your own | things": the last word, alone
        ("g10", 1, 23 / 36),  # "Vans may stop in the yard for | twenty minutes": two words, not enough alone
        ("g13", 0, 0),  # the corpus says two months, not three
    ],
)
def test_recall_of_the_first_passage_by_hand(question: str, coarse: float, fine: float) -> None:
    assert value("coarse", "recall@1", question) == coarse
    assert value("fine", "recall@1", question) == fine


def test_both_halves_of_a_cut_quote_are_the_whole() -> None:
    assert value("coarse", "recall@3", "g02") == 1.0
    assert value("coarse", "rr", "g02") == 1 / 2  # the first holds less than half of it
    assert value("fine", "recall@6", "g04") == 1.0
    assert value("coarse", "recall@3", "g08") == 20 / 77  # "Our workshop team meets | every Saturday …"
    assert value("fine", "recall@6", "g08") == 1.0


def test_recall_is_comparable_across_chunkings() -> None:
    coarse, fine = (run_of(name).summary[f"recall@{k}[retrieved]"].mean for name, k in KS.items())
    assert coarse == pytest.approx(0.8556, abs=5e-5)
    assert fine == pytest.approx(0.8580, abs=5e-5)
    assert coarse == pytest.approx(fine, abs=0.01)


def test_ids_are_used_where_the_corpus_has_them_and_the_run_says_so() -> None:
    coarse, fine = run_of("coarse"), run_of("fine")
    assert any(one.startswith("12 question(s) scored by evidence quotes") for one in coarse.manifest.notices)
    assert any(one.startswith("13 question(s) scored by evidence quotes") for one in fine.manifest.notices)
    assert "1 of these label passage ids that the corpus does not have: g12" in fine.manifest.notices
    assert coarse.summary["ap[retrieved]"].scored == 1
    assert coarse.summary["ap[retrieved]"].undefined == {"no_passage_labels": 12}
    assert value("coarse", "recall@3", "g12") == 1.0
    assert value("fine", "recall@6", "g12") == pytest.approx(57 / 64)  # all but "address"


@pytest.mark.parametrize("name", KS)
def test_the_quote_that_stands_nowhere_is_listed(name: str) -> None:
    (found,) = unresolved_quotes(GOLDEN.questions, load_corpus(FOLDER / f"corpus_{name}.jsonl"))
    assert (found.question, found.share) == ("g13", 0.0)
    assert found.snippet == "Three late returns within a year lead to a pause of two months"


def test_a_saved_run_can_still_be_triaged(tmp_path: Path) -> None:
    write_run(run_of("coarse"), tmp_path / "run")
    kept = {one.case.id: one for one in read_run(tmp_path / "run").results}
    found = which_half_failed(kept["g08"].case, kept["g08"].outcomes, k=3)
    assert (found.half, found.reason) == ("retrieval", "chunk_split")
    assert [one.passage for one in found.lost] == ["coarse-repairs-2"]
    assert which_half_failed(kept["g02"].case, kept["g02"].outcomes, k=3).half != "retrieval"
