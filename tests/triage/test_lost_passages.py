"""Where a needed passage was lost, one row a place."""

import pytest

from whichhalf.core.case import Case, EvidenceQuote, Passage, Question
from whichhalf.core.diagnosis import LostPassage
from whichhalf.core.outcome import Scored, Undefined
from whichhalf.triage.lost_passages import has_all_texts, lost_passages
from whichhalf.triage.which_half_failed import which_half_failed


def ids(text: str | None) -> tuple[Passage, ...] | None:
    return None if text is None else tuple(Passage(id=one) for one in text.split())


def build(retrieved: str | None, reranked: str | None, context: str | None, needed: str = "n") -> Case:
    return Case(
        question=Question(id="q", text="?", relevant=dict.fromkeys(needed.split(), 1)),
        retrieved=ids(retrieved),
        reranked=ids(reranked),
        context=ids(context),
    )


@pytest.mark.parametrize(
    ("retrieved", "reranked", "context", "place"),
    [
        ("a b c", None, "a b", "not_retrieved"),
        ("a b c", "a c", "a", "not_retrieved"),
        ("a n c", "a c", "a", "dropped_by_reranker"),
        ("a b n", None, "a b", "ranked_below_cut"),
        ("n a b", "a b n", "a b", "ranked_below_cut"),
        ("a b n", "a n b", "a", "cut_by_context_limit"),
        ("n a b", None, "a b", "cut_by_context_limit"),
        ("n a b", None, "", "cut_by_context_limit"),
        ("", None, "", "not_retrieved"),
        (None, "a b n", "a", "ranked_below_cut"),
        (None, None, "a", "not_retrieved"),
        ("a b n", None, None, "ranked_below_cut"),
        ("a b c", None, None, "not_retrieved"),
    ],
)
def test_the_place_of_loss(retrieved: str | None, reranked: str | None, context: str | None, place: str) -> None:
    (lost,) = lost_passages(build(retrieved, reranked, context), k=2)
    assert (lost.passage, lost.lost) == ("n", place)


@pytest.mark.parametrize(
    ("retrieved", "reranked", "context"),
    [("a b c", None, "b n"), ("a n", None, None), ("a b n", "n a", None), (None, None, "n")],
)
def test_nothing_is_lost_when_it_reached_the_model(
    retrieved: str | None, reranked: str | None, context: str | None
) -> None:
    assert lost_passages(build(retrieved, reranked, context), k=2) == []


def test_ranks_at_every_logged_stage() -> None:
    (lost,) = lost_passages(build("a b n", "a c n b", "a c"), k=2)
    assert lost == LostPassage(
        passage="n", lost="ranked_below_cut", ranks={"retrieved": 3, "reranked": 3, "context": None}
    )


def test_the_one_lost_earliest_comes_first() -> None:
    lost = lost_passages(build("a x y z", "a x b", "a", needed="x y gone"), k=2)
    assert [(one.passage, one.lost) for one in lost] == [
        ("gone", "not_retrieved"),
        ("y", "dropped_by_reranker"),
        ("x", "cut_by_context_limit"),
    ]


def test_passages_judged_not_relevant_are_not_needed() -> None:
    question = Question(id="q", text="?", relevant={"n": 0, "m": -1})
    assert lost_passages(Case(question=question, retrieved=(), context=()), k=5) == []


QUOTE = "The deposit of thirty euros is paid back by bank transfer within ten days."
TEXTS = {
    "w": f"Before. {QUOTE} After.",
    "v": f"{QUOTE} Another copy.",
    "l": "Before. The deposit of thirty euros is",  # 25 of 60 letters
    "r": "paid back by bank transfer within ten days. After.",  # 35 of 60
    "b": "Before. The deposit of thirty euros is paid back by bank transfer within ten",  # all but "days"
    "m": "A loan lasts seven days.",
    "a": "Nothing of it.",
    "c": "Nor here.",
}


def full(text: str | None) -> tuple[Passage, ...] | None:
    return None if text is None else tuple(Passage(id=one, text=TEXTS[one]) for one in text.split())


def quoted(retrieved: str | None, reranked: str | None, context: str | None, *quotes: str) -> Case:
    evidence = tuple(EvidenceQuote(quote=one) for one in quotes or [QUOTE])
    return Case(
        question=Question(id="q", text="?", evidence=evidence),
        retrieved=full(retrieved),
        reranked=full(reranked),
        context=full(context),
        answer="An answer.",
    )


WORDS = "“The deposit of thirty euros is paid back…”"


@pytest.mark.parametrize(
    ("retrieved", "reranked", "context", "lost"),
    [
        # whole in one passage
        ("w a c", None, "w", []),
        ("a c", None, "a", [(WORDS, "not_retrieved")]),
        ("a w c", "a c", "a", [("w", "dropped_by_reranker")]),
        ("a c w", None, "a c", [("w", "ranked_below_cut")]),
        ("w a c", None, "a", [("w", "cut_by_context_limit")]),
        ("a c w", None, None, [("w", "ranked_below_cut")]),
        ("a w c", None, None, []),
        ("w a v c", "a c v", "a", [("v", "ranked_below_cut")]),  # the copy that came farthest
        ("w l a", None, "l a", [("w", "cut_by_context_limit")]),  # a passage holds it whole: chunking is not at fault
        # cut by a chunk border
        ("l r a", None, "l r", []),
        ("l r a", None, "r l", []),
        ("l a r", None, "l a", [("r", "chunk_split")]),
        ("r a l", None, "r a", [("l", "chunk_split")]),
        ("l a", None, "l", [("“paid back by bank transfer within ten days”", "chunk_split")]),
        ("l a c", "a l", None, [("“paid back by bank transfer within ten days”", "chunk_split")]),
        ("b a", None, "b", []),  # a word is too little to be missed
        ("a c l r", None, "a c", [("l", "ranked_below_cut"), ("r", "ranked_below_cut")]),
        ("l a c r", "a c r", "a", [("l", "dropped_by_reranker"), ("r", "ranked_below_cut")]),
        (
            "a c l",
            None,
            "a c",
            [("“paid back by bank transfer within ten days”", "not_retrieved"), ("l", "ranked_below_cut")],
        ),
    ],
)
def test_where_a_quote_was_lost(
    retrieved: str | None, reranked: str | None, context: str | None, lost: list[tuple[str, str]]
) -> None:
    found = lost_passages(quoted(retrieved, reranked, context), k=2)
    assert [(one.passage, one.lost) for one in found] == lost


def test_known_passages_of_the_corpus_name_what_was_not_retrieved() -> None:
    def lost(case: Case, known: str) -> list[tuple[str, str]]:
        return [(one.passage, one.lost) for one in lost_passages(case, 2, full(known) or ())]

    assert lost(quoted("a c", None, "a"), "w") == [("w", "not_retrieved")]
    assert lost(quoted("a c", None, "a"), "l r") == [("l", "not_retrieved"), ("r", "not_retrieved")]
    assert lost(quoted("l a", None, "l"), "l r") == [("r", "chunk_split")]
    assert lost(quoted("l a", None, "l"), "l r w") == [("w", "not_retrieved")]  # overlapping chunks


def test_two_quotes_of_one_passage_are_one_loss_with_its_ranks() -> None:
    case = quoted("a c w", None, "a c", QUOTE, "thirty euros is paid back by bank transfer")
    assert lost_passages(case, k=2) == [
        LostPassage(passage="w", lost="ranked_below_cut", ranks={"retrieved": 3, "context": None})
    ]


def test_relevant_ids_come_before_quotes() -> None:
    case = quoted("a w", None, "a")
    case = case.model_copy(update={"question": case.question.model_copy(update={"relevant": {"a": 1}})})
    assert lost_passages(case, k=2) == []


def both_labels(retrieved: str, context: str, needed: str, quote: str = QUOTE) -> Case:
    """Labelled by ids and by a quote."""
    case = quoted(retrieved, None, context, quote)
    question = case.question.model_copy(update={"relevant": dict.fromkeys(needed.split(), 1)})
    return case.model_copy(update={"question": question})


@pytest.mark.parametrize(
    ("retrieved", "context", "needed", "lost"),
    [
        ("l a r", "l a", "l r", [("r", "chunk_split")]),
        ("l a c", "l a", "l r", [("r", "not_retrieved")]),  # the text of r is not known
        ("a c l r", "a c", "l r", [("l", "ranked_below_cut"), ("r", "ranked_below_cut")]),  # no part was seen
        ("l w r", "l", "l r", [("r", "ranked_below_cut")]),  # w holds the quote whole: chunking is not at fault
        ("l a m", "l a", "l m", [("m", "ranked_below_cut")]),  # m holds nothing of it
        ("l a r", "l r", "l r", []),
    ],
)
def test_a_quote_beside_ids_tells_what_chunking_cut(
    retrieved: str, context: str, needed: str, lost: list[tuple[str, str]]
) -> None:
    found = lost_passages(both_labels(retrieved, context, needed), k=2)
    assert [(one.passage, one.lost) for one in found] == lost


def test_the_corpus_knows_the_text_of_the_other_half() -> None:
    found = lost_passages(both_labels("l a c", "l a", "l r"), 2, full("r") or ())
    assert [(one.passage, one.lost) for one in found] == [("r", "chunk_split")]


def test_a_text_at_one_stage_serves_the_others() -> None:
    case = quoted("a w", None, "a").model_copy(update={"retrieved": ids("a w")})
    assert not has_all_texts(case)
    assert has_all_texts(case, full("w") or ())
    assert has_all_texts(case.model_copy(update={"reranked": full("w")}))


SUPPORTED = {"faithfulness": Scored(value=1.0)}


def test_the_label_of_an_answer_whose_quote_was_lost() -> None:
    found = which_half_failed(quoted("a l c r", None, "a l"), SUPPORTED, k=2)
    assert (found.half, found.reason, found.basis) == ("retrieval", "chunk_split", "labels")
    assert found.text == (
        "Needed, but not seen by the model: r (retrieved rank 4), the rest of a quote that is whole only across "
        "neighbouring passages."
    )
    absent = which_half_failed(quoted("a c", None, "a"), SUPPORTED, k=2)
    assert (absent.half, absent.reason) == ("retrieval", "not_retrieved")
    assert absent.text == f"Needed, but not seen by the model: {WORDS}, not returned by the search."
    known = which_half_failed(quoted("a c", None, "a"), SUPPORTED, k=2, known=full("w") or ())
    assert known.text == "Needed, but not seen by the model: w, not returned by the search."


def test_the_later_checks_go_on_where_the_quote_arrived() -> None:
    case = quoted("w a", None, "w")
    assert which_half_failed(case, SUPPORTED).reason == "all_checks_passed"
    assert which_half_failed(case, {"faithfulness": Undefined(because="refused")}).reason == "false_refusal"


def test_quotes_cannot_be_looked_for_without_texts() -> None:
    case = quoted("a w", None, "a").model_copy(update={"retrieved": ids("a w")})
    found = which_half_failed(case, SUPPORTED)
    assert (found.half, found.reason) == ("manual", "cannot_tell")
    assert "give [data] corpus" in found.text
    assert which_half_failed(case, SUPPORTED, rule="textbook").reason == "cannot_tell"
    arrived = case.model_copy(update={"context": full("w")})
    assert which_half_failed(arrived, SUPPORTED).reason == "all_checks_passed"


def test_the_textbook_rule_reads_quotes_too() -> None:
    half = which_half_failed(quoted("l a r", None, "l"), SUPPORTED, rule="textbook", k=2)
    assert (half.half, half.reason) == ("retrieval", "recall_below_1")
    assert half.text == f"recall@2 is 0.4167: {WORDS} not whole in the first 2 retrieved."
    both = which_half_failed(quoted("l a r", None, "l"), SUPPORTED, rule="textbook", k=3)
    assert both.reason == "check_by_hand"
