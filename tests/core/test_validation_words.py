"""No word of the library that checks files reaches a person; our own sentences do."""

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError, field_validator
from pydantic_core import ErrorDetails

from whichhalf.core.outcome import Outcome
from whichhalf.core.record import Record
from whichhalf.core.validation_words import in_plain_words


def first_fault(kind: Any, value: object) -> ErrorDetails:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(value)
    return caught.value.errors(include_url=False)[0]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"kind": "guessed"}, "its 'kind' must be 'scored', 'undefined' or 'failed'"),
        ({"value": 0.5}, "its 'kind' is missing"),
        ({}, "its 'kind' is missing"),
    ],
)
def test_an_outcome_of_no_known_kind(value: object, words: str) -> None:
    assert in_plain_words(first_fault(Outcome, value)) == words


class Even(Record):
    number: int

    @field_validator("number")
    @classmethod
    def _even(cls, number: int) -> int:
        if number % 2:
            raise ValueError(f"{number} is odd")
        return number


def test_our_own_sentence_is_kept() -> None:
    assert in_plain_words(first_fault(Even, {"number": 3})) == "3 is odd"


def test_a_choice_of_words() -> None:
    assert in_plain_words(first_fault(Literal["a", "b"], "c")) == "must be 'a' or 'b'"


@given(st.text())
def test_a_fault_without_words_of_its_own_says_nothing_of_the_library(kind: str) -> None:
    message = "Input should be a valid thing"
    fault = ErrorDetails(type=f"{kind}_of_tomorrow", loc=("a",), msg=message, input=None)
    assert in_plain_words(fault) == "has a value or a form that is not allowed here"
