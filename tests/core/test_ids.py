"""Ids are text; what is not text or a whole number would be a silent mismatch."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.core.ids import id_text
from whichhalf.errors import InputError


@given(st.text().filter(str.strip))
def test_text_is_kept_to_the_letter(text: str) -> None:
    assert id_text(text) == text


@given(st.integers())
def test_whole_numbers_become_their_digits(number: int) -> None:
    assert id_text(number) == str(number)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (1.0, "1.0 is a decimal number"),
        (float("nan"), "nan is a decimal number"),
        (True, "True is a boolean"),
        (False, "False is a boolean"),
        (None, "None is null"),
        ("", "'' is blank"),
        (" \n", r"' \n' is blank"),
        (["a"], "['a'] is a list"),
        (b"a", "b'a' is a bytes"),
        ({"id": "a"}, "{'id': 'a'} is a dict"),
    ],
)
def test_anything_else_is_refused_by_its_kind(value: object, kind: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"the passage must be text or a whole number, but {kind}")):
        id_text(value, "the passage")
