"""judged@k: the share of the first positions that hold a labelled passage, whatever its grade.

    judged@k = |labelled ∩ first k| ÷ min(k, returned), 0 when nothing came back

It says how far the other numbers can be trusted: what was never labelled counts as not relevant there.
Source: as in ir_measures (MacAvaney, Macdonald, Ounis, ECIR 2022).
"""

import numpy as np

from whichhalf.retrieval.family import Family, Options
from whichhalf.retrieval.judged_rankings import Floats, JudgedRankings, ratio


def judged(rankings: JudgedRankings, k: int | None, _: Options) -> Floats:
    """(n,) of the first k; of everything returned when k is None."""
    seen = rankings.question if k is None else rankings.question[rankings.rank <= k]
    positions = rankings.lengths if k is None else np.minimum(rankings.lengths, k)
    return ratio(rankings.count(seen), positions)


JUDGED = Family(
    "judged",
    "labelled{in_k} ÷ positions filled there",
    "MacAvaney, Macdonald, Ounis 2022",
    judged,
    cut="optional",
    higher_is_better=None,
    own_unjudged="any grade counts as judged",
)
