"""The labels of flagged answers as plain data for a page."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from whichhalf.core.case import Passage
from whichhalf.core.claim import Verdict
from whichhalf.core.diagnosis import HALVES, Diagnosis
from whichhalf.core.run import Run
from whichhalf.reporting.case_view import CaseView, known_texts, view_case
from whichhalf.reporting.charts import Bar, bar_chart
from whichhalf.reporting.fixes import FixRow, fails_both_ways, fix_rows
from whichhalf.reporting.reason_words import Fix, ReasonWords, words_of
from whichhalf.reporting.run_words import judge_in_words
from whichhalf.triage.flagged import Flag, FlaggedAnswer, count_halves
from whichhalf.triage.lost_passages import lost_passages


@dataclass(frozen=True, slots=True)
class TriageCard:
    flag: Flag
    others: tuple[Flag, ...]
    """What other experts said of the same answer."""
    diagnosis: Diagnosis
    words: ReasonWords
    detail: str
    """In plain words; empty where the reason says it all."""
    also: tuple[tuple[str, str, str, Fix], ...]
    """Half, reason, what was found, and its fix, for what later checks would have said."""
    claims: tuple[Verdict, ...]
    """What the label rests on and its text does not quote."""
    case: CaseView


@dataclass(frozen=True, slots=True)
class TriageView:
    title: str
    created: str
    judge: str
    rule: str
    verdict: str
    halves: Markup
    reasons: Markup
    fixes: tuple[FixRow, ...]
    both_ways: tuple[str, ...]
    """Answers that fail in both halves; each is counted once, under its label."""
    skipped: tuple[str, ...]
    cards: tuple[TriageCard, ...]
    contracts: Mapping[str, str]


def view_triage(title: str, run: Run, answers: Sequence[FlaggedAnswer], corpus: Mapping[str, Passage]) -> TriageView:
    """`corpus` gives the texts of passages that no search returned; it may be empty."""
    texts = known_texts(run.results, corpus)
    results = {result.case.id: result for result in run.results}
    counts = count_halves(answers)
    cards = []
    for answer in answers:
        diagnosis, result = answer.diagnosis, results[answer.flag.id]
        k = int(diagnosis.thresholds["k"])
        lost = diagnosis.lost or lost_passages(result.case, k)
        cards.append(_card(answer, view_case(result, lost, texts, k)))
    return TriageView(
        title=title,
        created=run.manifest.created,
        judge=judge_in_words(run),
        rule=_rule(answers),
        verdict=triage_in_words(answers),
        halves=bar_chart("By half", [Bar(half, counts[half], half) for half in HALVES]),
        reasons=_reason_chart(answers),
        fixes=fix_rows(answers),
        both_ways=tuple(answer.flag.id for answer in answers if fails_both_ways(answer.diagnosis)),
        skipped=tuple(dict.fromkeys(what for answer in answers for what in answer.diagnosis.skipped)),
        cards=tuple(cards),
        contracts=run.manifest.metrics,
    )


def triage_in_words(answers: Sequence[FlaggedAnswer]) -> str:
    """One sentence with the count of every half."""
    counts = count_halves(answers)
    who = "1 answer was marked wrong" if len(answers) == 1 else f"{len(answers)} answers were marked wrong"
    return (
        f"{who}: {counts['retrieval']} failed in retrieval, {counts['generation']} in generation, "
        f"and {counts['manual']} must be looked at by a person."
    )


def _card(answer: FlaggedAnswer, case: CaseView) -> TriageCard:
    diagnosis = answer.diagnosis
    return TriageCard(
        answer.flag,
        answer.others,
        diagnosis,
        words_of(diagnosis.reason, diagnosis.half),
        words_of(diagnosis.detail).plain if diagnosis.detail else "",
        tuple((one.half, one.reason, one.text, words_of(one.reason, one.half).fix) for one in diagnosis.also),
        tuple(one for one in diagnosis.verdicts if one.claim.text not in diagnosis.text),
        case,
    )


def _reason_chart(answers: Sequence[FlaggedAnswer]) -> Markup:
    counts = Counter((answer.diagnosis.half, answer.diagnosis.reason) for answer in answers)
    return bar_chart(
        "By reason",
        [Bar(f"{reason.replace('_', ' ')} ({half})", count, half) for (half, reason), count in counts.most_common()],
    )


def _rule(answers: Sequence[FlaggedAnswer]) -> str:
    if not answers:
        return "no answer is flagged"
    first = answers[0].diagnosis
    return f"{first.rule} ({', '.join(f'{name} {value:g}' for name, value in first.thresholds.items())})"
