"""Every reason a label can have is put into plain words."""

from typing import get_args

import pytest

from whichhalf.core.diagnosis import HALVES, LossPlace
from whichhalf.reporting.reason_words import LOSS_WORDS, REASONS, words_of

BY_HALF = {
    "retrieval": "not_retrieved dropped_by_reranker ranked_below_cut cut_by_context_limit chunk_split facts_missing "
    "recall_below_1",
    "generation": "missed_refusal false_refusal contradicts_context numbers_differ unsupported_claims "
    "misled_by_passage off_topic incomplete faithfulness_below_floor",
    "manual": "refused_as_it_should cannot_tell stale_source conflicting_passages all_checks_passed check_by_hand "
    "no_answer_question",
}


@pytest.mark.parametrize("half", HALVES)
def test_the_whole_table_of_definitions(half: str) -> None:
    """The table of which_half_failed, with the three reasons of the textbook rule."""
    assert {reason for reason, words in REASONS.items() if words.half == half} == set(BY_HALF[half].split())


def test_places_of_loss_are_reasons_too() -> None:
    assert set(get_args(LossPlace)) == set(LOSS_WORDS) <= set(REASONS)


def test_each_half_watches_metrics_of_its_own() -> None:
    assert words_of("not_retrieved").fix.watch.startswith("recall@k")
    assert "ndcg@k" in words_of("ranked_below_cut").fix.watch
    assert words_of("unsupported_claims").fix.watch == "faithfulness"
    assert words_of("off_topic").fix.watch == "answer_relevance"


def test_a_reason_of_another_version_is_shown_as_such() -> None:
    assert words_of("brand_new", "generation").half == "generation"
    assert words_of("brand_new").plain == "This reason has no explanation yet."
