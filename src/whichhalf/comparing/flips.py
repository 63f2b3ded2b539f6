"""What flipped on one question: verdicts on claims, and ranks of relevant passages."""

from collections.abc import Iterator, Mapping

from whichhalf.comparing.comparison import ClaimFlip, PassageMove
from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.claim import Verdict
from whichhalf.core.held_quotes import scored_by_quotes, wanted_quote
from whichhalf.core.options import STAGES, Stage
from whichhalf.core.outcome import Outcome, Scored

WHOLE_TABLES = (
    ("faithfulness",),
    ("context_recall", "context_precision", "context_precision_ranked"),
    ("answer_correctness",),
    ("answer_precision",),
    ("answer_recall",),
)
"""Metrics whose outcomes hold a verdict on every claim, by the table they read; other metrics hold a part of these."""


def claim_flips(before: Mapping[str, Outcome], after: Mapping[str, Outcome]) -> tuple[ClaimFlip, ...]:
    """Claims judged otherwise, or made by one side only; each is told once."""
    flips: dict[tuple[str, str | None, str | None], ClaimFlip] = {}
    for table in WHOLE_TABLES:
        names = [name for name in before if name.partition("(")[0] in table]
        for name in names[:1]:
            for flip in _flips_of(name, before[name], after[name]):
                flips.setdefault((flip.claim, flip.before, flip.after), flip)
    return tuple(flips.values())


def passage_moves(before: Case, after: Case) -> tuple[PassageMove, ...]:
    """Relevant passages whose rank differs, or that only one side has, by stage."""
    return tuple(move for stage in STAGES for move in _moves(before, after, stage))


def _flips_of(metric: str, before: Outcome, after: Outcome) -> Iterator[ClaimFlip]:
    """None where a side has no verdicts: a refusal scores 0 without them, and its facts have not gone."""
    if not (isinstance(before, Scored) and isinstance(after, Scored) and before.verdicts and after.verdicts):
        return
    one, other = _by_text(before), _by_text(after)
    for text in dict.fromkeys([*one, *other]):
        was, now = one.get(text), other.get(text)
        if was is None or now is None or was.label != now.label:
            yield _flip(metric, was, now)


def _by_text(outcome: Scored) -> dict[str, Verdict]:
    """Wording that differs in space and case only is the same claim; a claim that comes twice is told once."""
    verdicts: dict[str, Verdict] = {}
    for verdict in outcome.verdicts:
        verdicts.setdefault(" ".join(verdict.claim.text.split()).casefold(), verdict)
    return verdicts


def _flip(metric: str, was: Verdict | None, now: Verdict | None) -> ClaimFlip:
    shown = now or was
    assert shown is not None
    places = [place for verdict in (now, was) if verdict for place in verdict.evidence]
    return ClaimFlip(
        metric=metric,
        claim=shown.claim.text,
        before=was.label if was else None,
        after=now.label if now else None,
        before_passages=_passages(was),
        after_passages=_passages(now),
        quote=places[0].quote if places else "",
    )


def _passages(verdict: Verdict | None) -> tuple[str, ...]:
    return tuple(place.passage for place in verdict.evidence) if verdict else ()


def _moves(before: Case, after: Case, stage: Stage) -> Iterator[PassageMove]:
    one, other = before.ranking(stage), after.ranking(stage)
    ranks, later = _ranks(one), _ranks(other)
    if one is None or other is None:
        return
    relevant = dict.fromkeys(passage.id for passage in (*one, *other) if _is_relevant(passage, before.question))
    for passage in relevant:
        if ranks.get(passage) != later.get(passage):
            yield PassageMove(passage=passage, stage=stage, before=ranks.get(passage), after=later.get(passage))


def _ranks(passages: tuple[Passage, ...] | None) -> dict[str, int]:
    """Passage → the rank of its first copy."""
    ranks: dict[str, int] = {}
    for rank, passage in enumerate(passages or (), start=1):
        ranks.setdefault(passage.id, rank)
    return ranks


def _is_relevant(passage: Passage, question: Question) -> bool:
    """By its id, its document, or half of a quote."""
    if scored_by_quotes(question):
        wanted = map(wanted_quote, question.evidence)
        return any(2 * quote.share(quote.parts(passage)) >= 1 for quote in wanted)
    return any(question.relevant.get(name or "", 0) > 0 for name in (passage.id, passage.doc))
