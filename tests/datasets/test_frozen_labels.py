"""What is noted of the labelled passages, and what stands out."""

from typing import Any

from whichhalf.core.case import EvidenceQuote, Passage, Question
from whichhalf.core.text_hash import text_hash
from whichhalf.datasets.frozen_labels import freeze_labels

CORPUS = {"a": Passage(id="a", text="The fee is Rs 50."), "b": Passage(id="b", text="Refunds take 14 days.")}
FEE, REFUNDS = text_hash("The fee is Rs 50."), text_hash("Refunds take 14 days.")


def question(name: str, relevant: dict[str, int], **more: Any) -> Question:
    return Question(id=name, text="?", relevant=relevant, **more)


def test_relevant_passages_are_noted_and_others_are_not() -> None:
    found = freeze_labels([question("q1", {"a": 2, "b": 0}), question("q2", {"b": 1, "a": -1})], CORPUS)
    assert [one.passage_sha256 for one in found.questions] == [{"a": FEE}, {"b": REFUNDS}]
    assert (found.passages, found.changed, found.missing) == (2, {}, {})


def test_a_text_that_changed_since_the_last_time_is_told() -> None:
    """And noted anew, as is one whose label went."""
    old = {"a": "0123456789abcdef", "gone": "0123456789abcdef"}
    rows = [question("q1", {"a": 1}, passage_sha256=old), question("q2", {"a": 1}, passage_sha256={"a": FEE})]
    found = freeze_labels([*rows, question("q3", {"a": 1}, passage_sha256=old)], CORPUS)
    assert found.changed == {"a": ("q1", "q3")}
    assert [one.passage_sha256 for one in found.questions] == [{"a": FEE}] * 3
    assert found.passages == 1


def test_labels_that_the_corpus_does_not_hold_are_listed() -> None:
    corpus = {**CORPUS, "bare": Passage(id="bare")}
    assert freeze_labels([question("q1", {"a": 1, "x": 1, "bare": 1, "y": 0})], corpus).missing == {"q1": ("x", "bare")}


def test_a_question_with_quotes_does_not_need_its_ids() -> None:
    quoted = question("q1", {"x": 1}, evidence=(EvidenceQuote(quote="Rs 50"),))
    found = freeze_labels([quoted], CORPUS)
    assert (found.questions, found.missing) == ((quoted,), {})
