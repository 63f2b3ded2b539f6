"""Turn scored passages into a ranking, with the rule for ties said aloud."""

from collections.abc import Sequence
from operator import itemgetter

from whichhalf.core.options import Ties


def order_by_score(scored: Sequence[tuple[str, float]], ties: Ties = "input") -> list[str]:
    """Ids, higher score first.

    Equal scores keep their input order (`input`), or go by id, descending, as in trec_eval (`trec`; the rank column
    of a run file plays no part there).
    """
    if ties == "trec":
        return [one for one, _ in sorted(scored, key=itemgetter(1, 0), reverse=True)]
    return [one for one, _ in sorted(scored, key=itemgetter(1), reverse=True)]
