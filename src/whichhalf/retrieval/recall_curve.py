"""The recall curve: mean recall at every k, where it flattens, and the k that is worth its price.

The knee is the point farthest above the straight line from the first point of the curve to its last.
Source: Satopää, Albrecht, Irwin, Raghavan, Finding a "Kneedle" in a Haystack, 2011.
"""

from collections.abc import Sequence

import numpy as np

from whichhalf.core.run import RecallCurve
from whichhalf.retrieval.judged_rankings import JudgedRankings

ENOUGH = 0.95


def recall_curve(rankings: JudgedRankings, by_quotes: Sequence[Sequence[float]] = ()) -> RecallCurve | None:
    """Means over the questions with labels; None when there are none or nothing was returned.

    `by_quotes` holds recall@1, recall@2, … of the questions labelled by quotes, which `rankings` has without labels.
    """
    questions = int((rankings.relevant_count > 0).sum()) + len(by_quotes)
    longest = int(rankings.lengths.max(initial=0))
    if not questions or not longest:
        return None
    share = 1.0 / rankings.relevant_count[rankings.hit_question]
    gains = np.bincount(rankings.hit_rank - 1, share, minlength=longest).astype(np.float64, copy=False)
    for recalls in by_quotes:
        gains[: len(recalls)] += np.diff(recalls, prepend=0.0)
    recall = np.minimum(np.cumsum(gains) / questions, 1.0)
    height = recall - np.linspace(recall[0], recall[-1], longest)
    farthest = np.flatnonzero(height >= height.max() - 1e-12)  # a straight line has no knee before it stops rising
    reached = recall >= ENOUGH * recall[-1] - 1e-12
    return RecallCurve(
        recall=tuple(recall.tolist()),
        knee=int(farthest[np.argmax(recall[farthest])]) + 1,
        enough=int(np.argmax(reached)) + 1,
    )
