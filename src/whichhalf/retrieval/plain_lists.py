"""The six plain functions' way in: one ranking as a list, labels as a set, a list or a map of grades."""

from collections.abc import Iterable, Mapping, Set

from whichhalf.core.ids import id_text
from whichhalf.errors import InputError
from whichhalf.retrieval.family import Family, Options
from whichhalf.retrieval.judged_rankings import judge_lists


def score_plain(
    family: Family,
    retrieved: Iterable[object],
    relevant: Iterable[object] | Mapping[object, int],
    k: int | None,
    options: Options | None = None,
) -> float | None:
    """The value in [0, 1]; None where it is undefined.

    Raises InputError for unusable ids, grades or k, and for a set or a map in place of the list: neither has ranks.
    """
    if isinstance(retrieved, str | bytes | Set | Mapping | None):
        raise InputError(f"a list of ids is needed, best first, not a {type(retrieved).__name__}")
    if isinstance(relevant, str | bytes | None):
        raise InputError(f"a set, list or map of relevant ids is needed, not a {type(relevant).__name__}")
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
        raise InputError(f"k must be a whole number of at least 1, not {k!r}")
    ids = [id_text(one, "a retrieved id") for one in retrieved]
    rankings = judge_lists([ids], [plain_grades(relevant)])
    defined = rankings.has_gain if family.graded else rankings.relevant_count > 0
    return float(family.values(rankings, k, options or {})[0]) if defined[0] else None


def plain_grades(relevant: Iterable[object] | Mapping[object, int]) -> dict[str, int]:
    """Labels as a map from id to grade. Raises InputError for unusable ids or grades, or two grades for one id."""
    grades: dict[str, int] = {}
    for one, grade in relevant.items() if isinstance(relevant, Mapping) else ((one, 1) for one in relevant):
        passage = id_text(one, "a relevant id")
        if isinstance(grade, bool) or not isinstance(grade, int):
            raise InputError(f"the grade of {passage!r} must be a whole number, not {grade!r}")
        if grades.setdefault(passage, grade) != grade:
            raise InputError(f"passage {passage!r} has two grades, {grades[passage]} and {grade}")
    return grades
