"""A ranking seen through the labels of its question: what every retrieval metric is computed from."""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

from whichhalf.core.ids import id_text
from whichhalf.core.options import Duplicates
from whichhalf.errors import InputError


@dataclass(frozen=True, slots=True)
class LabelledRanking:
    """Ranks start at 1. Built once for a question, shared by all its metrics."""

    length: int
    """Positions in the ranking, duplicates included unless they were collapsed."""
    judged: tuple[tuple[int, int], ...]
    """(rank, grade) of every labelled passage that came back, first copies only, best rank first."""
    hits: tuple[int, ...]
    """Ranks of the relevant ones among them."""
    relevant_count: int
    """All relevant passages of the question, found or not."""
    grades: tuple[int, ...]
    """All positive grades of the question, found or not, highest first."""
    duplicate_count: int
    """Positions that repeat an earlier id."""


def label_ranking(
    ids: Sequence[str],
    grades: Mapping[str, int],
    *,
    relevance_threshold: int = 1,
    duplicates: Duplicates = "first_copy",
) -> LabelledRanking:
    """Look every id up once.

    A repeated id keeps its position but only its first copy earns credit (`first_copy`); `collapse` drops later
    copies before ranks are counted; `error` raises InputError naming the id.
    """
    distinct = dict.fromkeys(ids)
    duplicate_count = len(ids) - len(distinct)
    if duplicate_count and duplicates == "error":
        seen: set[str] = set()
        repeated = next(one for one in ids if one in seen or seen.add(one))  # type: ignore[func-returns-value]
        raise InputError(f"passage {repeated!r} is ranked more than once")
    if duplicate_count and duplicates == "collapse":
        ids = list(distinct)
    judged = [(rank, grades[one]) for rank, one in enumerate(ids, start=1) if one in grades]
    if duplicate_count and duplicates == "first_copy":
        judged = _first_copies(ids, judged)
    return LabelledRanking(
        length=len(ids),
        judged=tuple(judged),
        hits=tuple(rank for rank, grade in judged if grade >= relevance_threshold),
        relevant_count=sum(grade >= relevance_threshold for grade in grades.values()),
        grades=tuple(sorted((grade for grade in grades.values() if grade > 0), reverse=True)),
        duplicate_count=duplicate_count,
    )


def _first_copies(ids: Sequence[str], judged: list[tuple[int, int]]) -> list[tuple[int, int]]:
    first: dict[str, tuple[int, int]] = {}
    for rank, grade in judged:
        first.setdefault(ids[rank - 1], (rank, grade))
    return list(first.values())


def label_plain(retrieved: Iterable[object], relevant: Iterable[object] | Mapping[object, int]) -> LabelledRanking:
    """Label a plain list by a plain set, list or map of grades.

    Raises InputError for unusable ids or grades, and for a set or a map in place of the list: neither has ranks.
    """
    if isinstance(retrieved, str | bytes | Set | Mapping | None):
        raise InputError(f"a list of ids is needed, best first, not a {type(retrieved).__name__}")
    if isinstance(relevant, str | bytes | None):
        raise InputError(f"a set, list or map of relevant ids is needed, not a {type(relevant).__name__}")
    ids = [id_text(one, "a retrieved id") for one in retrieved]
    grades: dict[str, int] = {}
    for one, grade in relevant.items() if isinstance(relevant, Mapping) else ((one, 1) for one in relevant):
        passage = id_text(one, "a relevant id")
        if isinstance(grade, bool) or not isinstance(grade, int):
            raise InputError(f"the grade of {passage!r} must be a whole number, not {grade!r}")
        if grades.setdefault(passage, grade) != grade:
            raise InputError(f"passage {passage!r} has two grades, {grades[passage]} and {grade}")
    return label_ranking(ids, grades)


def checked_k(k: int) -> int:
    """k itself. Raises InputError unless it is a whole number of at least 1."""
    if isinstance(k, bool) or not isinstance(k, int) or k < 1:
        raise InputError(f"k must be a whole number of at least 1, not {k!r}")
    return k
