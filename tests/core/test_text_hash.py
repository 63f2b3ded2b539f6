"""The same text has the same hash, and another text another."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from whichhalf.core.text_hash import text_hash


def test_the_hash_is_a_plain_sha256_cut_short() -> None:
    assert text_hash("Free up to Rs 60 per meal.") == hashlib.sha256(b"Free up to Rs 60 per meal.").hexdigest()[:16]


def test_white_space_and_unicode_form_do_not_matter_a_digit_does() -> None:
    assert text_hash(" Caf\u00e9\r\n  60 ") == text_hash("Cafe\u0301 60")
    assert text_hash("Rs 60") != text_hash("Rs 50")


@given(st.text())
def test_any_text_has_one(text: str) -> None:
    assert len(text_hash(text)) == 16
    assert text_hash(" ".join(text.split())) == text_hash(text)
