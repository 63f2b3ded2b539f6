"""The extractive answer: copied sentences, chosen by hand here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.judging.extractive import NO_ANSWER, extract_answer
from whichhalf.judging.statements import is_refusal

PASSAGES = ["The shop sells bread. It is closed on Sundays.", "Bread costs 3 euros. Milk costs 1 euro."]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What does bread cost?", "Bread costs 3 euros."),
        ("Is the shop closed on Sundays?", "The shop sells bread. It is closed on Sundays."),
        ("Who won the match yesterday evening?", NO_ANSWER),
        ("?", NO_ANSWER),
    ],
)
def test_sentences_with_the_words_of_the_question(question: str, answer: str) -> None:
    assert extract_answer(question, PASSAGES) == answer


def test_nothing_to_copy_is_a_refusal() -> None:
    assert extract_answer("What does bread cost?", []) == NO_ANSWER
    assert is_refusal(NO_ANSWER)


@given(st.text(max_size=60), st.lists(st.text(max_size=80), max_size=4))
def test_every_word_is_copied(question: str, passages: list[str]) -> None:
    answer = extract_answer(question, passages)
    text = " ".join(passages).split()
    assert answer == NO_ANSWER or set(answer.split()) <= set(text) | {part for one in passages for part in one.split()}
