"""Turn scored passages into a ranking, with the rule for ties said aloud."""

from collections.abc import Sequence
from math import isnan
from operator import itemgetter
from typing import get_args

from whichhalf.core.options import Ties
from whichhalf.errors import InputError

TIES: tuple[Ties, ...] = get_args(Ties)


def order_by_score(scored: Sequence[tuple[str, float]], ties: Ties = "input") -> list[str]:
    """Ids, higher score first.

    Equal scores keep their input order (`input`), or go by id, descending, as in trec_eval (`trec`; the rank column
    of a run file plays no part there). Raises InputError for a score that is not a number.
    """
    if ties not in TIES:
        raise InputError(f"ties is one of {', '.join(TIES)}, not {ties!r}")
    for one, score in scored:
        if isnan(score):
            raise InputError(f"the score of passage {one!r} is not a number")
    if ties == "trec":
        return [one for one, _ in sorted(scored, key=itemgetter(1, 0), reverse=True)]
    return [one for one, _ in sorted(scored, key=itemgetter(1), reverse=True)]
