"""How well the offline judge, a lexical baseline, agrees with people; beside it, plain word overlap.

    python benchmarks/offline_judge.py --data ../shared/data

Answers of MTRAG (faithful = mean of the annotators >= 3, "mostly yes", on a scale of 1 to 4) and claims of
WiCE (partially supported counts as not supported; the sentences of a row are joined to one passage). Four more sets
stand in offline_judge_sets.py.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from auc_table import Measure, Row, read_rows, show
from offline_judge_sets import OTHER_SETS

from whichhalf.judging.lexical import SUPPORT_THRESHOLD, LexicalVerdict, lexical_verdict
from whichhalf.judging.statements import is_refusal, split_into_claims
from whichhalf.judging.word_overlap import word_overlap

ROOT = Path(__file__).resolve().parent.parent
MTRAG = Path("faithfulness/mtrag_human.jsonl")
WICE = Path("faithfulness/wice_claims_oracle_chunk.jsonl")
FAITHFUL_FROM = 3.0
MOST_CLAIMS = 0.5


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
    sets: dict[Path, Callable[[Sequence[Row]], None]] = {MTRAG: measure_answers, WICE: measure_claims, **OTHER_SETS}
    missing = [data / name for name in sets if not (data / name).is_file()]
    if missing:
        print(f"no such file: {', '.join(map(str, missing))}; name the folder with --data", file=sys.stderr)
        return 2
    for name, measure in sets.items():
        measure(read_rows(data / name))
        print()
    return 0


if __name__ == "__main__":
    sys.exit(main())
