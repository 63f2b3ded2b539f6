"""The worked values of the three documents the metrics were defined from, recomputed in full precision."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from whichhalf import (
    average_precision,
    hit_rate_at_k,
    ndcg_at_k,
    precision_at_k,
    recall_at_k,
    reciprocal_rank,
)
from whichhalf.core.metric import MetricName
from whichhalf.running.evaluate_ranking import evaluate_ranking

FILE = Path(__file__).parents[3] / "shared" / "expected" / "source_values.json"
FIRST, SECOND, THIRD = "000_6772155bb54e9d37.txt", "003_ccf861d1d3509c79.txt", "004_acad152f76ddb338.txt"


class Row(NamedTuple):
    source: str
    name: str
    retrieved: str
    grades: dict[str, int]
    metric: str
    value: float


ROWS = [
    Row(FIRST, "example 1", "A B C D E", {"A": 1, "C": 1}, "recall@5", 1.0),
    Row(FIRST, "example 1", "A B C D E", {"A": 1, "C": 1}, "precision@5", 0.4),
    Row(FIRST, "example 1", "A B C D E", {"A": 1, "C": 1}, "precision@1", 1.0),
    Row(FIRST, "example 2", "X Y A C", {"A": 1, "C": 1}, "rr", 0.3333333333333333),
    Row(FIRST, "example 2", "X Y A C", {"A": 1, "C": 1}, "recall@4", 1.0),
    Row(FIRST, "example 3", "A B C D E", {"A": 1, "C": 1}, "ndcg@5", 0.9197207891481876),
    Row(FIRST, "example 3, relevant pushed down", "B A C D E", {"A": 1, "C": 1}, "ndcg@5", 0.6934264036172708),
    Row(FIRST, "example 3, equal documents swapped", "C B A D E", {"A": 1, "C": 1}, "ndcg@5", 0.9197207891481876),
    Row(FIRST, "example 4 graded", "A B C D", {"A": 3, "B": 2, "D": 1, "C": 0}, "ndcg@4", 0.992619504174702),
    Row(FIRST, "example 5 query 1", "A B C D E", {"A": 1, "C": 1}, "recall@5", 1.0),
    Row(FIRST, "example 5 query 1", "A B C D E", {"A": 1, "C": 1}, "precision@5", 0.4),
    Row(FIRST, "example 5 query 1", "A B C D E", {"A": 1, "C": 1}, "rr", 1.0),
    Row(FIRST, "example 5 query 1", "A B C D E", {"A": 1, "C": 1}, "ap@5", 0.8333333333333333),
    Row(FIRST, "example 5 query 1", "A B C D E", {"A": 1, "C": 1}, "ndcg@5", 0.9197207891481876),
    Row(FIRST, "example 5 query 2", "C D B E A", {"B": 1}, "recall@5", 1.0),
    Row(FIRST, "example 5 query 2", "C D B E A", {"B": 1}, "precision@5", 0.2),
    Row(FIRST, "example 5 query 2", "C D B E A", {"B": 1}, "rr", 0.3333333333333333),
    Row(FIRST, "example 5 query 2", "C D B E A", {"B": 1}, "ap@5", 0.3333333333333333),
    Row(FIRST, "example 5 query 2", "C D B E A", {"B": 1}, "ndcg@5", 0.5),
    Row(FIRST, "example 5 query 3", "A B C D E", {"D": 1, "E": 1}, "recall@5", 1.0),
    Row(FIRST, "example 5 query 3", "A B C D E", {"D": 1, "E": 1}, "precision@5", 0.4),
    Row(FIRST, "example 5 query 3", "A B C D E", {"D": 1, "E": 1}, "rr", 0.25),
    Row(FIRST, "example 5 query 3", "A B C D E", {"D": 1, "E": 1}, "ap@5", 0.325),
    Row(FIRST, "example 5 query 3", "A B C D E", {"D": 1, "E": 1}, "ndcg@5", 0.5012658353418871),
    Row(SECOND, "recall example", "c3 c12 c7 c4 c9", {"c12": 1, "c4": 1}, "recall@5", 1.0),
    Row(SECOND, "recall example", "c3 c12 c7 c4 c9", {"c12": 1, "c4": 1}, "recall@2", 0.5),
    # the source prints 0.869; its own formula gives 0.936, which is the right value
    Row(
        SECOND,
        "graded example [3,0,1,2,0]",
        "p1 p2 p3 p4 p5",
        {"p1": 3, "p2": 0, "p3": 1, "p4": 2, "p5": 0},
        "ndcg@5",
        0.9360403422435027,
    ),
    Row(THIRD, "rent question", "c08 c12 c33 c91 c05", {"c12": 1, "c47": 1}, "recall@5", 0.5),
    Row(THIRD, "rent question", "c08 c12 c33 c91 c05", {"c12": 1, "c47": 1}, "precision@5", 0.2),
    Row(THIRD, "rent question", "c08 c12 c33 c91 c05", {"c12": 1, "c47": 1}, "rr", 0.5),
    Row(THIRD, "rent question", "c08 c12 c33 c91 c05", {"c12": 1, "c47": 1}, "hit_rate@5", 1.0),
    Row(THIRD, "rent question", "c08 c12 c33 c91 c05", {"c12": 1, "c47": 1}, "ndcg@5", 0.38685280723454163),
    Row(THIRD, "retriever A", "c12 c08 c33 c91 c47", {"c12": 1, "c47": 1}, "ndcg@5", 0.8503449055347546),
    Row(THIRD, "retriever B", "c08 c33 c91 c12 c47", {"c12": 1, "c47": 1}, "ndcg@5", 0.5012658353418871),
    Row(
        THIRD,
        "graded, linear gain",
        "c08 c12 c33 c91 c05",
        {"c12": 2, "c47": 1},
        "ndcg(gain=linear)@5",
        0.4796249331362629,
    ),
    Row(THIRD, "graded, exponential gain", "c08 c12 c33 c91 c05", {"c12": 2, "c47": 1}, "ndcg@5", 0.52129602861432),
    # a trap on purpose: with labels cut to what came back the same ranking looks better than its honest 0.387
    Row(
        THIRD,
        "the label-scope trap (labels cut to what came back)",
        "c08 c12 c33 c91 c05",
        {"c12": 1},
        "ndcg@5",
        0.6309297535714575,
    ),
]
EXAMPLE_5 = {"query 1": ("A B C D E", "A C"), "query 2": ("C D B E A", "B"), "query 3": ("A B C D E", "D E")}
EXAMPLE_5_MEANS = {
    "recall@5": 1.0,
    "precision@5": 0.3333333333333333,
    "rr": 0.5277777777777778,
    "ap@5": 0.4972222222222222,
    "ndcg@5": 0.6403288748300249,
}
MRR_2_1_NONE_4 = 0.4375
MRR_1_3_2 = 0.611111111111111
MEANS = {
    f"example 5 of {FIRST}": EXAMPLE_5_MEANS,
    f"MRR over first hits at 2, 1, none, 4 ({THIRD})": MRR_2_1_NONE_4,
    f"MRR over first hits at 1, 3, 2 ({SECOND})": MRR_1_3_2,
}


def by_function(row: Row) -> float | None:
    """The row through the plain function of its metric."""
    name = MetricName.parse(row.metric)
    retrieved = row.retrieved.split()
    relevant = {one for one, grade in row.grades.items() if grade > 0}
    if name.family == "rr":
        return reciprocal_rank(retrieved, relevant, name.k)
    if name.family == "ap":
        return average_precision(retrieved, relevant, name.k)
    assert name.k is not None
    if name.family == "ndcg":
        gain = dict(name.options).get("gain", "exponential")
        return ndcg_at_k(retrieved, row.grades, name.k, "linear" if gain == "linear" else "exponential")
    functions = {"recall": recall_at_k, "precision": precision_at_k, "hit_rate": hit_rate_at_k}
    return functions[name.family](retrieved, relevant, name.k)


def called(row: Row) -> str:
    return f"{row.name}-{row.metric}"


@pytest.mark.parametrize("row", ROWS, ids=called)
def test_plain_function(row: Row) -> None:
    assert by_function(row) == pytest.approx(row.value, abs=1e-12)


@pytest.mark.parametrize("row", ROWS, ids=called)
def test_metric_by_name(row: Row, value: Callable[..., float]) -> None:
    assert value(row.metric, row.retrieved.split(), row.grades) == pytest.approx(row.value, abs=1e-12)


def test_means_of_example_5() -> None:
    qrels = {query: dict.fromkeys(relevant.split(), 1) for query, (_, relevant) in EXAMPLE_5.items()}
    run = {query: retrieved.split() for query, (retrieved, _) in EXAMPLE_5.items()}
    means = evaluate_ranking(qrels, run, list(EXAMPLE_5_MEANS)).means
    assert list(means.values()) == pytest.approx(list(EXAMPLE_5_MEANS.values()), abs=1e-12)
    assert list(means) == [f"{name}[retrieved]" for name in EXAMPLE_5_MEANS]


@pytest.mark.parametrize(
    ("first_hits", "mean"), [((2, 1, None, 4), MRR_2_1_NONE_4), ((1, 3, 2), MRR_1_3_2)], ids=["third", "second"]
)
def test_mean_reciprocal_rank(first_hits: tuple[int | None, ...], mean: float) -> None:
    qrels = {str(query): {"hit": 1} for query, _ in enumerate(first_hits)}
    run = {
        str(query): [f"x{i}" for i in range(1, rank)] + ["hit"] if rank else ["x1", "x2"]
        for query, rank in enumerate(first_hits)
    }
    assert evaluate_ranking(qrels, run, ["rr"]).means["rr[retrieved]"] == pytest.approx(mean, abs=1e-12)


@pytest.mark.skipif(not FILE.exists(), reason="the file of recomputed values lies outside the project")
def test_the_table_is_the_file() -> None:
    expected = json.loads(FILE.read_text(encoding="utf-8"))
    rows = [
        Row(row["source"], row["name"], " ".join(row["retrieved"]), row["grades"], row["metric"], row["value"])
        for row in expected["rows"]
    ]
    assert rows == ROWS
    assert expected["means"] == MEANS
