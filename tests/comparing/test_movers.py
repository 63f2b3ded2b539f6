"""The questions that moved: which, which way, and which claim or passage flipped."""

from typing import Any

from run_makers import a_case, a_run, judged, ranked, refused
from whichhalf import compare
from whichhalf.comparing.comparison import ClaimFlip, MetricChange, Mover, PassageMove
from whichhalf.core.case import EvidenceQuote, Passage


def movers(a: Any, b: Any, **settings: Any) -> list[Mover]:
    return list(compare(a, b, **settings).movers)


def test_largest_first_each_way_apart_and_no_more_than_asked_for() -> None:
    a = a_run({"faithfulness": [0.5, 0.5, 0.5, 0.5, 0.5, 0.5]})
    b = a_run({"faithfulness": [0.6, 1.0, 0.5, 0.0, 0.75, 0.25]})
    assert [(one.question, one.way) for one in movers(a, b, movers=2)] == [
        ("q2", "better"),
        ("q5", "better"),
        ("q4", "worse"),
        ("q6", "worse"),
    ]
    assert movers(a, b, movers=0) == []


def test_lower_is_better_for_some() -> None:
    a, b = a_run({"hallucination": [0.5, 0.0]}), a_run({"hallucination": [0.0, 0.0]})
    assert [(one.question, one.way) for one in movers(a, b)] == [("q1", "better")]


def test_halves_apart_and_metrics_of_both_stand_with_generation() -> None:
    names = ("recall@5[retrieved]", "faithfulness", "answer_correctness", "judged@5[retrieved]")
    a, b = a_run({name: [0.0] for name in names}), a_run({name: [1.0] for name in names})
    retrieval, generation = movers(a, b)
    assert (retrieval.half, [one.metric for one in retrieval.changes]) == ("retrieval", ["recall@5[retrieved]"])
    assert (generation.half, [one.metric for one in generation.changes]) == (
        "generation",
        ["faithfulness", "answer_correctness"],
    )


def test_a_reason_stands_where_there_is_no_number() -> None:
    a = a_run({"faithfulness": [0.5], "answer_correctness": [0.5]})
    b = a_run({"faithfulness": [refused()], "answer_correctness": [0.0]})
    (one,) = movers(a, b)
    assert one.changes == (
        MetricChange(metric="faithfulness", before=0.5, after="refused"),
        MetricChange(metric="answer_correctness", before=0.5, after=0.0),
    )


def test_claims_that_flipped_came_and_went() -> None:
    a = a_run(
        {"faithfulness": [judged(1 / 3, Rent_counts="supported", Pay_in_60_days=("contradicted", "c9"), Old="unsure")]}
    )
    b = a_run(
        {"faithfulness": [judged(1.0, rent_COUNTS="supported", Pay_in_60_days=("supported", "c7"), New="supported")]}
    )
    (one,) = movers(a, b)
    assert one.claims == (
        ClaimFlip(
            metric="faithfulness",
            claim="Pay in 60 days",
            before="contradicted",
            after="supported",
            before_passages=("c9",),
            after_passages=("c7",),
            quote="quote of c7",
        ),
        ClaimFlip(metric="faithfulness", claim="Old", before="unsure", after=None),
        ClaimFlip(metric="faithfulness", claim="New", before=None, after="supported"),
    )


def test_metrics_that_list_a_part_of_the_claims_tell_no_flip() -> None:
    """hallucination holds only the claims it counts: one that left the list was not taken back by the answer."""
    a = a_run({"hallucination": [judged(0.5, Made_up="not_mentioned")]})
    b = a_run({"hallucination": [judged(0.0)]})
    assert movers(a, b)[0].claims == ()


def test_a_refusal_takes_no_facts_away() -> None:
    """answer_correctness of a refusal is 0 without verdicts: the facts of the reference are still there."""
    a = a_run({"answer_correctness": [judged(0.5, Fact="supported")]})
    assert movers(a, a_run({"answer_correctness": [0.0]}))[0].claims == ()


def test_the_same_table_is_told_once() -> None:
    a = a_run({name: [judged(0.0, Fact="not_mentioned")] for name in ("context_precision", "context_recall")})
    b = a_run({name: [judged(1.0, Fact=("supported", "c1"))] for name in ("context_precision", "context_recall")})
    (one,) = movers(a, b)
    assert [(flip.metric, flip.claim) for flip in one.claims] == [("context_precision", "Fact")]


def test_relevant_passages_that_moved() -> None:
    relevant = {"c1": 1, "c2": 2, "c3": 1, "c0": 0}
    before = a_case(relevant=relevant, retrieved=ranked("c0", "c1", "c2"), context=ranked("c1"))
    after = a_case(relevant=relevant, retrieved=ranked("c1", "c2", "c3", "c0"))
    a = a_run({"rr[retrieved]": [0.5]}, [before])
    b = a_run({"rr[retrieved]": [1.0]}, [after])
    (one,) = movers(a, b)
    assert one.passages == (
        PassageMove(passage="c1", stage="retrieved", before=2, after=1),
        PassageMove(passage="c2", stage="retrieved", before=3, after=2),
        PassageMove(passage="c3", stage="retrieved", before=None, after=3),
    )


def test_passages_of_a_question_that_is_labelled_by_quotes() -> None:
    quote = EvidenceQuote(doc="rent", quote="Pay every month by bank transfer to the owner.")
    whole = Passage(id="x1", doc="rent", text=f"First. {quote.quote}")
    half = Passage(id="y1", doc="rent", text="Pay every month by bank")
    other = Passage(id="z1", doc="salary", text=quote.quote)
    a = a_run({"recall@5[retrieved]": [0.0]}, [a_case(evidence=(quote,), retrieved=(other, half))])
    b = a_run({"recall@5[retrieved]": [1.0]}, [a_case(evidence=(quote,), retrieved=(whole, other))])
    (one,) = movers(a, b)
    assert one.passages == (
        PassageMove(passage="y1", stage="retrieved", before=2, after=None),
        PassageMove(passage="x1", stage="retrieved", before=None, after=1),
    )
