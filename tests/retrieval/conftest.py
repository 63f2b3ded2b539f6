"""One ranking, one question, one metric by its name: what most tests of this folder need."""

from collections.abc import Callable, Mapping, Sequence

import pytest

from whichhalf.catalogue import Choices, build_metric
from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.options import Duplicates
from whichhalf.core.outcome import Outcome, Scored
from whichhalf.retrieval.family import Conventions


def score_ranking(
    name: str,
    retrieved: Sequence[str],
    grades: Mapping[str, int],
    *,
    relevance_threshold: int = 1,
    duplicates: Duplicates = "first_copy",
) -> Outcome:
    question = Question(id="q", text="?", relevant=dict(grades))
    case = Case(question=question, retrieved=tuple(Passage(id=one) for one in retrieved))
    return build_metric(name, Choices(conventions=Conventions(relevance_threshold, duplicates))).score(case)


@pytest.fixture
def outcome() -> Callable[..., Outcome]:
    """(name, retrieved, grades, **conventions) → the outcome of the metric of that name."""
    return score_ranking


@pytest.fixture
def value() -> Callable[..., float]:
    """The same, where a number is expected."""

    def scored(
        name: str,
        retrieved: Sequence[str],
        grades: Mapping[str, int],
        *,
        relevance_threshold: int = 1,
        duplicates: Duplicates = "first_copy",
    ) -> float:
        found = score_ranking(name, retrieved, grades, relevance_threshold=relevance_threshold, duplicates=duplicates)
        assert isinstance(found, Scored), found
        return found.value

    return scored
