"""Which labels a question is scored by, and how both kinds meet in one mean."""

from collections.abc import Sequence

import pytest

from whichhalf.catalogue import Choices, build_metrics
from whichhalf.core.case import Case, EvidenceQuote, Passage, Question
from whichhalf.core.outcome import Outcome, Scored, Undefined
from whichhalf.errors import InputError
from whichhalf.retrieval.family import RetrievalMetric
from whichhalf.running.check_inputs import check_inputs
from whichhalf.running.score_rankings import ScoredRankings, score_rankings, settle_labels

CORPUS = {
    one.id: one
    for one in (
        Passage(id="c1", doc="rules", text="A loan lasts seven days and begins today."),
        Passage(id="c2", doc="rules", text="The deposit is thirty euros for everyone."),
        Passage(id="c3", doc="news", text="The shed is closed in winter."),
    )
}
LOAN, DEPOSIT = "A loan lasts seven days", "The deposit is thirty euros"


def case(one: str, quotes: Sequence[str] = (), retrieved: str = "c3 c1", **relevant: int) -> Case:
    evidence = tuple(EvidenceQuote(quote=quote) for quote in quotes)
    question = Question(id=one, text="?", evidence=evidence, relevant=relevant)
    return Case(question=question, retrieved=tuple(Passage(id=passage) for passage in retrieved.split()))


def metrics(*names: str) -> list[RetrievalMetric]:
    return [one for one in build_metrics(names, Choices()) if isinstance(one, RetrievalMetric)]


def score(cases: Sequence[Case], *names: str) -> ScoredRankings:
    return score_rankings(settle_labels(cases, CORPUS).cases, metrics(*names))


def values(outcomes: Sequence[Outcome]) -> list[float | str]:
    return [
        outcome.value
        if isinstance(outcome, Scored)
        else outcome.because
        if isinstance(outcome, Undefined)
        else "failed"
        for outcome in outcomes
    ]


def test_ids_are_used_while_the_corpus_has_them_all() -> None:
    cases = [
        case("ids only", gone=1),
        case("quotes only", [LOAN]),
        case("both", [LOAN], c3=1),
        case("one id gone", [LOAN], c3=1, gone=1),
        case("gone, but not relevant", [LOAN], c3=1, gone=0),
        case("no relevant id", [LOAN], c3=0),
    ]
    settled = settle_labels(cases, CORPUS)
    assert values(score_rankings(settled.cases, metrics("rr")).outcomes["rr[retrieved]"]) == [0, 0.5, 1, 0.5, 1, 0.5]
    first, second = settled.notices
    assert first.startswith("3 question(s) scored by evidence quotes (")
    assert first.endswith("): quotes only, one id gone, no relevant id")
    assert second == "1 of these label passage ids that the corpus does not have: one id gone"


def test_without_a_corpus_ids_count_as_there() -> None:
    cases = [case("both", [LOAN], gone=1)]
    assert settle_labels(cases, None).cases == tuple(cases)
    assert settle_labels(cases, None).notices == ()


def test_only_cases_scored_by_quotes_are_filled_with_texts() -> None:
    cases = [case("ids", [LOAN], c3=1), case("quotes", [LOAN])]
    untouched, filled = settle_labels(cases, CORPUS).cases
    assert untouched is cases[0]
    assert filled.retrieved == (CORPUS["c3"], CORPUS["c1"])


def test_a_text_that_was_logged_is_kept() -> None:
    logged = case("q", [LOAN]).model_copy(update={"retrieved": (Passage(id="c1", text="As it was.", score=0.5),)})
    (settled,) = settle_labels([logged], CORPUS).cases
    assert settled.retrieved == (Passage(id="c1", text="As it was.", doc="rules", score=0.5),)


def test_both_kinds_of_labels_meet_in_micro_mean_and_curve() -> None:
    cases = [
        case("ids", c1=1, c2=1, gone=1),  # recall@1 0, recall@2 1/3
        case("quotes", [LOAN, DEPOSIT], "c2 c3"),  # recall@1 1/2, recall@2 1/2
        case("none"),
    ]
    scored = score(cases, "recall@2", "precision@2", "hit_rate@2", "rr", "ap")
    assert values(scored.outcomes["recall@2[retrieved]"]) == [1 / 3, 1 / 2, "no_relevant_labels"]
    assert values(scored.outcomes["ap[retrieved]"]) == [1 / 6, "no_passage_labels", "no_relevant_labels"]
    assert scored.micro["recall@2[retrieved]"] == (1 + 1) / (3 + 2)
    assert scored.micro["precision@2[retrieved]"] == (1 + 1) / (2 + 2)
    assert scored.micro["hit_rate@2[retrieved]"] == (1 + 1) / (1 + 1)
    assert scored.micro["rr[retrieved]"] is None
    assert scored.curves["retrieved"].recall == pytest.approx((1 / 4, (1 / 3 + 1 / 2) / 2))


def test_a_missing_text_is_found_before_anything_is_asked() -> None:
    cases = settle_labels([case("q1", [LOAN], "c1 x1 x2"), case("q2", c1=1)], CORPUS).cases
    with pytest.raises(InputError) as raised:
        check_inputs(cases, metrics("recall@2", "rr"))
    assert str(raised.value) == (
        "questions scored by quotes need passage texts: 2 retrieved passage(s) have none, first 'x1' of question "
        "'q1'. Give [data] corpus, or log the texts in the outputs"
    )


def test_quotes_alone_are_labels_enough() -> None:
    cases = settle_labels([case("q1", [LOAN])], CORPUS).cases
    assert check_inputs(cases, metrics("recall@2")) == []
