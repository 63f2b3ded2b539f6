"""ap, ap@k: precision averaged over the ranks of the relevant passages. Its mean over questions is MAP.

    ap@k = Σ precision@i over every rank i ≤ k that holds a relevant passage ÷ |relevant|

The divisor counts every relevant passage, also those never returned and those beyond k.
Source: Buckley, Voorhees, Evaluating Evaluation Measure Stability, SIGIR 2000.
"""

from collections.abc import Iterable

from whichhalf.retrieval.family import Family, Options
from whichhalf.retrieval.judged_rankings import Floats, JudgedRankings, ratio
from whichhalf.retrieval.plain_lists import score_plain


def average_precision(retrieved: Iterable[object], relevant: Iterable[object], k: int | None = None) -> float | None:
    """In [0, 1]; None when nothing is relevant."""
    return score_plain(AVERAGE_PRECISION, retrieved, relevant, k)


def mean_precision_at_hits(rankings: JudgedRankings, k: int | None, _: Options) -> Floats:
    """(n,) precision at each hit within k, summed, ÷ all relevant."""
    precision = rankings.hit_number / rankings.hit_rank
    if k is not None:
        precision[rankings.hit_rank > k] = 0.0
    return ratio(rankings.total(rankings.hit_question, precision), rankings.relevant_count)


AVERAGE_PRECISION = Family(
    "ap",
    "Σ precision at each relevant rank{in_k} ÷ all relevant (its mean is MAP)",
    "Buckley, Voorhees 2000",
    mean_precision_at_hits,
    cut="optional",
    trec="map",
    trec_cut="map_cut_{k}",
)
