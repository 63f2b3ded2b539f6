"""Near-duplicates: the same words in nearly the same order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.datasets.near_duplicates import near_duplicates, representatives

FEE = "The late fee is Rs 3,500 when the yearly income is above Rs 4 lakh, and it does not grow by the month at all."


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        (FEE, True),
        (FEE.upper().replace(",", ""), False),  # 3,500 and 3500 are two words and one
        (FEE.replace(" at all", ""), True),  # 21 of 23 runs of four words are shared
        ("  " + FEE.casefold().replace(". ", ".\n"), True),
        (FEE.replace("late fee", "notice"), True),  # 20 of 25
        (FEE.replace("yearly income", "turnover"), False),  # 18 of 27
        ("The late fee is Rs 3,500.", False),
        ("A refund earns interest of 0.4 % a month when the return was filed in time and verified.", False),
        ("", False),
    ],
)
def test_pairs(other: str, alike: bool) -> None:
    assert near_duplicates({"a": FEE, "b": other}) == ([("a", "b")] if alike else [])


def test_short_texts_are_compared_whole() -> None:
    assert near_duplicates({"a": "Late fee?", "b": "late fee", "c": "Late fees?"}) == [("a", "b")]


def test_pairs_keep_the_order_of_the_texts() -> None:
    texts = {"z": FEE, "m": "Something else entirely stands here today.", "a": FEE, "b": FEE}
    assert near_duplicates(texts) == [("z", "a"), ("z", "b"), ("a", "b")]


def test_texts_without_words_are_never_alike() -> None:
    assert near_duplicates({"a": "!!!", "b": "...", "c": ""}) == []


@given(st.lists(st.text("ab ", min_size=1, max_size=30), max_size=8))
def test_equal_texts_are_always_found(texts: list[str]) -> None:
    named = {f"{number}-{copy}": text for number, text in enumerate(texts) for copy in (1, 2)}
    found = set(near_duplicates(named))
    for number, text in enumerate(texts):
        assert ((f"{number}-1", f"{number}-2") in found) is bool(text.split())


def test_each_group_is_led_back_to_its_earliest_text() -> None:
    texts = {"z": FEE, "m": "Something else entirely stands here today.", "a": FEE, "b": FEE.casefold()}
    assert representatives(texts) == {"a": "z", "b": "z"}
