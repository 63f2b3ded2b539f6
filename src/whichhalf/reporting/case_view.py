"""One answer as plain data for a page: what was asked, found and said, with marks where the judge found support."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from whichhalf.catalogue import half_of
from whichhalf.core.case import Case, EvidenceQuote, Passage, Turn
from whichhalf.core.claim import Evidence, Verdict
from whichhalf.core.diagnosis import LostPassage
from whichhalf.core.held_quotes import scored_by_quotes, wanted_quote
from whichhalf.core.options import STAGES
from whichhalf.core.outcome import Failed, Outcome, Scored
from whichhalf.core.quotes import Span, find_quote
from whichhalf.core.run import CaseResult
from whichhalf.reporting.marked_text import Mark, Piece, marked
from whichhalf.reporting.reason_words import LOSS_WORDS

Texts = Mapping[str, Passage]
"""Passage id → the passage with its text, from anywhere it is known."""


@dataclass(frozen=True, slots=True)
class SeenPassage:
    rank: int
    id: str
    doc: str | None
    relevant: bool
    """Labelled as needed, or holds at least half of a quote that is."""
    pieces: tuple[Piece, ...]
    """Its text; empty where the text is not known."""


@dataclass(frozen=True, slots=True)
class MissingPassage:
    id: str
    where: str
    """Where it was lost, in words."""
    ranks: tuple[tuple[str, int | None], ...]
    """Stage and rank there, None where it is absent; only stages that were logged."""
    text: str | None
    doc: str | None


@dataclass(frozen=True, slots=True)
class OutcomeRow:
    metric: str
    half: str
    value: float | None
    words: str
    """Why there is no value, and notes."""


@dataclass(frozen=True, slots=True)
class ClaimTable:
    """Claims as they were judged, with all the metrics that were counted from them or from a part of them."""

    metrics: tuple[str, ...]
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class CaseView:
    id: str
    question: str
    history: tuple[Turn, ...]
    references: tuple[str, ...]
    needed: tuple[EvidenceQuote, ...]
    """Words of the documents that answer the question, where it is labelled by quotes."""
    answer: tuple[Piece, ...]
    """Empty when there is none."""
    seen: tuple[SeenPassage, ...]
    """What the model saw, in order."""
    seen_is_logged: bool
    """False when the first passages of the last ranking stand for a context that was not logged."""
    unseen: tuple[tuple[int, str, bool], ...]
    """Rank, id, and whether it is labelled relevant: returned by the last ranking, not shown to the model."""
    missing: tuple[MissingPassage, ...]
    outcomes: tuple[OutcomeRow, ...]
    claims: tuple[ClaimTable, ...]


def view_case(result: CaseResult, lost: Sequence[LostPassage], texts: Texts, k: int) -> CaseView:
    """`lost` did not reach the model though it was needed; `k` cuts the last ranking where no context was logged."""
    case = result.case
    verdicts = _verdicts_on_answer(result.outcomes)
    last = case.ranking(case.last_ranking) or ()
    seen = case.context if case.context is not None else last[:k]
    ids = {passage.id for passage in seen}
    relevant = _needed_ids(case, [*seen, *last])
    return CaseView(
        id=case.id,
        question=case.question.text,
        history=case.question.history,
        references=case.question.reference_answers,
        needed=case.question.evidence,
        answer=_marked_answer(case, verdicts),
        seen=tuple(
            SeenPassage(rank, one.id, one.doc, one.id in relevant, _marked_passage(one, texts, verdicts))
            for rank, one in enumerate(seen, start=1)
        ),
        seen_is_logged=case.context is not None,
        unseen=tuple((rank, one.id, one.id in relevant) for rank, one in enumerate(last, start=1) if one.id not in ids),
        missing=tuple(_missing(one, texts) for one in lost),
        outcomes=tuple(_outcome_row(name, outcome) for name, outcome in result.outcomes.items()),
        claims=claim_tables(result.outcomes),
    )


def claim_tables(outcomes: Mapping[str, Outcome]) -> tuple[ClaimTable, ...]:
    """Each table once, under the names of the metrics that share it; a part of another is not shown again."""
    found = {name: one.verdicts for name, one in outcomes.items() if isinstance(one, Scored) and one.verdicts}
    whole = {verdicts for verdicts in found.values() if not any(set(verdicts) < set(one) for one in found.values())}
    return tuple(
        ClaimTable(tuple(name for name, part in found.items() if set(part) <= set(verdicts)), verdicts)
        for verdicts in dict.fromkeys(found.values())
        if verdicts in whole
    )


def known_texts(results: Sequence[CaseResult], corpus: Mapping[str, Passage]) -> dict[str, Passage]:
    """Every passage whose text stands anywhere in the run, else in the corpus."""
    logged = (passage for one in results for stage in STAGES for passage in one.case.ranking(stage) or ())
    return {**corpus, **{passage.id: passage for passage in logged if passage.text is not None}}


def _needed_ids(case: Case, passages: Iterable[Passage]) -> set[str]:
    question = case.question
    if not scored_by_quotes(question):
        return {passage for passage, grade in question.relevant.items() if grade > 0}
    quotes = [wanted_quote(label) for label in question.evidence]
    return {one.id for one in passages if any(quote.share(quote.parts(one)) >= 0.5 for quote in quotes)}


def _verdicts_on_answer(outcomes: Mapping[str, Outcome]) -> tuple[Verdict, ...]:
    """The claims of the answer as checked against the passages."""
    found = next((one for name, one in outcomes.items() if name.partition("(")[0] == "faithfulness"), None)
    return found.verdicts if isinstance(found, Scored) else ()


def _marked_answer(case: Case, verdicts: Sequence[Verdict]) -> tuple[Piece, ...]:
    answer = case.answer or ""
    places = [(verdict, find_quote(verdict.claim.quote, answer)) for verdict in verdicts]
    return marked(answer, [Mark(span, one.label, str(one.claim.id)) for one, span in places if span]) if answer else ()


def _marked_passage(passage: Passage, texts: Texts, verdicts: Sequence[Verdict]) -> tuple[Piece, ...]:
    text = passage.text if passage.text is not None else getattr(texts.get(passage.id), "text", None)
    if not text:
        return ()
    marks = [
        Mark(span, "quote" if verdict.label == "supported" else "against", str(verdict.claim.id))
        for verdict in verdicts
        for place in verdict.evidence
        if place.passage == passage.id and (span := _place(place, text))
    ]
    return marked(text, marks)


def _place(evidence: Evidence, text: str) -> Span | None:
    """Where the quote stands; looked for again where the text is not the one the judge read."""
    span = Span(evidence.start, evidence.start + len(evidence.quote))
    return (
        span if evidence.quote and text[span.start : span.end] == evidence.quote else find_quote(evidence.quote, text)
    )


def _missing(lost: LostPassage, texts: Texts) -> MissingPassage:
    known = texts.get(lost.passage)
    return MissingPassage(
        lost.passage,
        LOSS_WORDS[lost.lost],
        tuple(lost.ranks.items()),
        known.text if known else None,
        known.doc if known else None,
    )


def _outcome_row(name: str, outcome: Outcome) -> OutcomeRow:
    if isinstance(outcome, Scored):
        return OutcomeRow(name, half_of(name), outcome.value, "; ".join(outcome.notes))
    if isinstance(outcome, Failed):
        return OutcomeRow(name, half_of(name), None, f"failed: {outcome.error}: {outcome.message}")
    return OutcomeRow(name, half_of(name), None, "; ".join([f"undefined: {outcome.because}", *outcome.notes]))
