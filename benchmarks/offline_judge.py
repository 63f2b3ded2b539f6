"""How well the offline judge, a lexical baseline, agrees with people; beside it, plain word overlap.

    python benchmarks/offline_judge.py --data ../shared/data

Answers of MTRAG (faithful = mean of the annotators >= 3, "mostly yes", on a scale of 1 to 4) and claims of
WiCE (partially supported counts as not supported; the sentences of a row are joined to one passage).
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import bootstrap, rankdata

from whichhalf.judging.lexical import SUPPORT_THRESHOLD, LexicalVerdict, lexical_verdict
from whichhalf.judging.statements import is_refusal, split_into_claims
from whichhalf.judging.word_overlap import word_overlap

ROOT = Path(__file__).resolve().parent.parent
MTRAG = Path("faithfulness/mtrag_human.jsonl")
WICE = Path("faithfulness/wice_claims_oracle_chunk.jsonl")
FAITHFUL_FROM = 3.0
MOST_CLAIMS = 0.5
SEED = 20240601
Row = dict[str, Any]
Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Measure:
    """One score for every row; `cut` is built in, or None where the best cut is picked afterwards."""

    name: str
    scores: Numbers
    cut: float | None


def auc(labels: Numbers, scores: Numbers) -> float:
    """Chance that a positive row scores higher than a negative one; a tie counts one half."""
    positives = float(labels.sum())
    negatives = labels.size - positives
    if not positives or not negatives:
        return float("nan")
    above = float(rankdata(scores)[labels == 1].sum()) - positives * (positives + 1) / 2
    return above / (positives * negatives)


def balanced_accuracy(labels: Numbers, scores: Numbers, cut: float) -> float:
    called = scores >= cut
    return (float(called[labels == 1].mean()) + float((~called[labels == 0]).mean())) / 2


def interval(statistic: Callable[..., float], *columns: Numbers) -> tuple[float, float]:
    """Percentile interval of 95 %, 2000 resamples of rows, seeded."""
    found = bootstrap(
        columns, statistic, paired=True, vectorized=False, n_resamples=2000, method="percentile",
        rng=np.random.default_rng(SEED),
    ).confidence_interval  # fmt: skip
    return float(found.low), float(found.high)


def show(labels: Numbers, baseline: Measure, measures: Sequence[Measure]) -> None:
    print(f"{'':34}{'AUC':>7}{'95 % interval':>17}{'AUC - overlap':>24}{'bal. acc.':>11}  at")
    for measure in (baseline, *measures):
        low, high = interval(auc, labels, measure.scores)
        difference = "" if measure is baseline else compare(labels, measure.scores, baseline.scores)
        if measure.cut is None:
            cut = max(np.unique(measure.scores), key=lambda c: balanced_accuracy(labels, measure.scores, c))
            place = f">= {cut:.3f}, the best on these rows (optimistic)"
        else:
            cut, place = measure.cut, f">= {measure.cut:.2f}, built in"
        print(
            f"{measure.name:34}{auc(labels, measure.scores):7.3f}"
            f"{f'[{low:.3f}, {high:.3f}]':>17}{difference:>24}"
            f"{balanced_accuracy(labels, measure.scores, cut):11.3f}  {place}"
        )


def compare(labels: Numbers, ours: Numbers, theirs: Numbers) -> str:
    low, high = interval(lambda y, a, b: auc(y, a) - auc(y, b), labels, ours, theirs)
    return f"{auc(labels, ours) - auc(labels, theirs):+.3f} [{low:+.3f}, {high:+.3f}]"


def measure_answers(rows: Sequence[Row]) -> None:
    labels, shares, means, overlaps = [], [], [], []
    refused = 0
    for row in rows:
        claims = [] if is_refusal(row["answer"]) else split_into_claims(row["answer"])
        passages = [context["text"] for context in row["contexts"]]
        refused += not claims
        if claims:
            verdicts = [lexical_verdict(claim, passages) for claim in claims]
            labels.append(fmean(row["labels"]["faithfulness"]["annotators"]) >= FAITHFUL_FROM)
            shares.append(fmean(verdict.label == "supported" for verdict in verdicts))
            means.append(fmean(verdict.score for verdict in verdicts))
            overlaps.append(word_overlap(row["answer"], passages))
    y = np.array(labels, dtype=float)
    print(f"MTRAG, faithfulness of answers: {len(rows)} rows, {refused} without a claim left out")
    cut = f"cut: mean of annotators >= {FAITHFUL_FROM:g}"
    print(f"classes: {int(y.sum())} faithful, {int(y.size - y.sum())} not ({cut})")
    show(
        y,
        Measure("plain overlap", np.array(overlaps), None),
        [
            Measure("offline judge, share of claims", np.array(shares), MOST_CLAIMS),
            Measure("offline judge, mean score", np.array(means), SUPPORT_THRESHOLD),
        ],
    )


def measure_claims(rows: Sequence[Row]) -> None:
    passages = ["\n\n".join(context["text"] for context in row["contexts"]) for row in rows]
    claims = [row["answer"] for row in rows]
    verdicts = [lexical_verdict(claim, [passage]) for claim, passage in zip(claims, passages, strict=True)]
    overlaps = [word_overlap(claim, [passage]) for claim, passage in zip(claims, passages, strict=True)]
    y = np.array([row["labels"]["supported"] for row in rows], dtype=float)
    print(f"WiCE, support of claims: {len(rows)} rows")
    negatives = int(y.size - y.sum())
    print(f"classes: {int(y.sum())} supported, {negatives} not (partially supported counted as not)")
    show(
        y,
        Measure("plain overlap", np.array(overlaps), None),
        [Measure("offline judge, score", np.array([v.score for v in verdicts]), SUPPORT_THRESHOLD)],
    )
    show_evidence(rows, verdicts)


def show_evidence(rows: Sequence[Row], verdicts: Sequence[LexicalVerdict]) -> None:
    labels: list[str] = [verdict.label for verdict in verdicts]
    names = ("supported", "contradicted", "not_mentioned")
    print("verdicts: " + ", ".join(f"{labels.count(name)} {name}" for name in names))
    hits, chances = [], []
    for row, verdict in zip(rows, verdicts, strict=True):
        marked = row["labels"]["context_relevance"]
        gold = [context["text"] for context in row["contexts"] if marked[context["id"]]]
        if verdict.label == "supported":
            hits += [any(quote in text for text in gold) for _, quote in verdict.evidence]
            chances.append(len(gold) / len(row["contexts"]))
    print(
        f"evidence: {sum(hits)} of {len(hits)} quoted sentences lie in a sentence marked as supporting"
        f" (a sentence drawn blindly: {fmean(chances):.2f})"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    default = ROOT.parent / "shared" / "data"
    parser.add_argument("--data", type=Path, default=default, help="folder of labelled data")
    data: Path = parser.parse_args().data
    missing = [data / name for name in (MTRAG, WICE) if not (data / name).is_file()]
    if missing:
        print(f"no such file: {', '.join(map(str, missing))}; name the folder with --data", file=sys.stderr)
        return 2
    measure_answers(read_rows(data / MTRAG))
    print()
    measure_claims(read_rows(data / WICE))
    return 0


def read_rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


if __name__ == "__main__":
    sys.exit(main())
