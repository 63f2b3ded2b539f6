"""How well scores order labelled rows: area under the ROC curve with its interval, beside plain word overlap."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

SEED = 20240601
Row = dict[str, Any]
Numbers = NDArray[np.float64]
Statistic = Callable[..., float]
Groups = Sequence[str]


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


def interval(statistic: Statistic, groups: Groups | None, *columns: Numbers) -> tuple[float, float]:
    """Percentile interval of 95 %, 2000 resamples, seeded: of rows, or of whole groups of rows that belong together."""
    rng = np.random.default_rng(SEED)
    names = np.arange(columns[0].size) if groups is None else np.unique(np.array(groups), return_inverse=True)[1]
    members = [np.flatnonzero(names == name) for name in range(int(names.max()) + 1)]
    found = []
    for _ in range(2000):
        drawn = np.concatenate([members[one] for one in rng.integers(len(members), size=len(members))])
        found.append(statistic(*(column[drawn] for column in columns)))
    low, high = np.nanquantile(found, [0.025, 0.975])
    return float(low), float(high)


def show(labels: Numbers, baseline: Measure, measures: Sequence[Measure], groups: Groups | None = None) -> None:
    """One line a measure; `groups` names, for every row, the rows that belong together."""
    print(f"{'':34}{'AUC':>7}{'95 % interval':>17}{'AUC - overlap':>24}{'bal. acc.':>11}  at")
    for measure in (baseline, *measures):
        low, high = interval(auc, groups, labels, measure.scores)
        difference = "" if measure is baseline else compare(labels, measure.scores, baseline.scores, groups)
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


def compare(labels: Numbers, ours: Numbers, theirs: Numbers, groups: Groups | None) -> str:
    low, high = interval(lambda y, a, b: auc(y, a) - auc(y, b), groups, labels, ours, theirs)
    return f"{auc(labels, ours) - auc(labels, theirs):+.3f} [{low:+.3f}, {high:+.3f}]"


def read_rows(path: Path) -> list[Row]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]
