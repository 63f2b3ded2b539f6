"""The order in which cases are scored when the budget may not reach the last of them."""

from collections.abc import Sequence
from random import Random

from whichhalf.core.case import Case


def spread_order(cases: Sequence[Case], tags: Sequence[str], seed: int) -> list[int]:
    """Positions of the cases, drawn with the seed: any first part holds every slice in about its share.

    A slice is a combination of values of the tags. Of n cases of a slice, the first part of the order that holds the
    share s of all cases holds between s·n − 2 and s·n + 2.
    """
    slices: dict[tuple[str, ...], list[int]] = {}
    for position, case in enumerate(cases):
        slices.setdefault(tuple(case.question.tags.get(tag, "") for tag in tags), []).append(position)
    random = Random(seed)
    places: list[tuple[float, int]] = []
    for _, positions in sorted(slices.items()):
        random.shuffle(positions)
        places += [((rank + random.random()) / len(positions), position) for rank, position in enumerate(positions)]
    return [position for _, position in sorted(places)]
