"""Real and synthetic TREC sets, read from outside the project: the numbers of trec_eval, question by question."""

import json
from pathlib import Path

import pytest

from whichhalf.jobs.ranking import score_ranking_files
from whichhalf.retrieval.family import Conventions

DATA = Path(__file__).parents[3] / "shared" / "data" / "retrieval"
FILES = sorted(DATA.glob("*/*.expected.json"))
OURS = {
    "map": "ap",
    "Rprec": "r_precision",
    "bpref": "bpref",
    "recip_rank": "rr",
    "recip_rank_cut_10": "rr@10",
    "ndcg": "ndcg",
    "set_P": "set_precision",
    "set_recall": "set_recall",
    "set_F": "set_f1",
    **{f"P_{k}": f"precision@{k}" for k in (1, 3, 5, 10, 20)},
    **{f"recall_{k}": f"recall@{k}" for k in (1, 3, 5, 10, 20, 100)},
    **{f"ndcg_cut_{k}": f"ndcg@{k}" for k in (1, 3, 5, 10, 20, 100)},
    **{f"map_cut_{k}": f"ap@{k}" for k in (5, 10)},
    **{f"success_{k}": f"hit_rate@{k}" for k in (1, 3, 5, 10)},
}
"""trec_eval's name → ours, with linear gain."""
SIX_DECIMALS = 5.1e-7
FOUR_DECIMALS = 5.1e-5
"""recip_rank_cut_10 and the means are given with four."""

pytestmark = pytest.mark.skipif(not FILES, reason=f"the shared data is not there: {DATA}")


def qrels_of(expected: Path, level: str) -> Path:
    names = ["qrels.rel_level" if level != "1" else "qrels.test", "qrels.txt"]
    return next(path for name in names if (path := expected.parent / name).exists())


CASES = [(path, level) for path in FILES for level in json.loads(path.read_text(encoding="utf-8")).get("levels", {})]


@pytest.mark.parametrize(("path", "level"), CASES, ids=lambda value: getattr(value, "stem", value))
def test_every_question_and_every_mean(path: Path, level: str) -> None:
    expected = json.loads(path.read_text(encoding="utf-8"))["levels"][level]
    run = path.with_name(path.name.replace(".expected.json", ".txt"))
    conventions = Conventions(relevance_threshold=int(level))
    scores = score_ranking_files(
        qrels_of(path, level), run, list(OURS.values()), gain="linear", conventions=conventions
    )
    compared = 0
    for question, row in expected["per_query"].items():
        found = {name.removesuffix("[retrieved]"): value for name, value in scores.per_question[question].items()}
        for theirs, value in row.items():
            if theirs.startswith("num_"):
                continue
            name = OURS[theirs].replace("ndcg", "ndcg(gain=linear)")
            tolerance = FOUR_DECIMALS if theirs == "recip_rank_cut_10" else SIX_DECIMALS
            # a question without relevant labels is 0 there and undefined here
            assert (found[name] or 0.0) == pytest.approx(value, abs=tolerance), (question, theirs)
            compared += 1
    assert compared == len(expected["per_query"]) * len(OURS)
    assert scores.per_question.keys() >= expected["per_query"].keys()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_means_over_all_labelled_questions(path: Path) -> None:
    """trec_eval -c: a question missing from the run is 0 and in the mean, as here."""
    expected = json.loads(path.read_text(encoding="utf-8"))["levels"]["1"]["mean_over_all_qrels_queries_flag_c"]
    run = path.with_name(path.name.replace(".expected.json", ".txt"))
    scores = score_ranking_files(qrels_of(path, "1"), run, list(OURS.values()), gain="linear")
    means = {name.removesuffix("[retrieved]"): value for name, value in scores.means.items()}
    undefined = {len(summary.undefined) for summary in scores.summary.values()}
    assert undefined == {0}
    for theirs, value in expected.items():
        if not theirs.startswith("num_"):
            name = OURS[theirs].replace("ndcg", "ndcg(gain=linear)")
            assert means[name] == pytest.approx(value, abs=FOUR_DECIMALS), theirs
