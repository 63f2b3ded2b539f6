"""A case knows its stages, and tells a stage that was not logged from an empty one."""

import pytest
from pydantic import ValidationError

from whichhalf.core.case import Case, EvidenceQuote, Passage, Question

QUESTION = Question(id="q", text="?")


def test_not_logged_is_not_empty() -> None:
    case = Case(question=QUESTION, retrieved=(Passage(id="a"),), context=())
    assert case.ranking("retrieved") == (Passage(id="a"),)
    assert case.ranking("reranked") is None
    assert case.ranking("context") == ()


def test_the_last_ranking_is_reranked_where_logged() -> None:
    assert Case(question=QUESTION, retrieved=()).last_ranking == "retrieved"
    assert Case(question=QUESTION, retrieved=(), reranked=()).last_ranking == "reranked"


def test_unknown_keys_and_numbers_that_are_none_are_refused() -> None:
    with pytest.raises(ValidationError, match="extra_forbidden"):
        Passage.model_validate({"id": "a", "txt": "…"})
    with pytest.raises(ValidationError, match="finite"):
        Passage(id="a", score=float("nan"))
    with pytest.raises(ValidationError, match="at least 1 character"):
        EvidenceQuote(quote="")
