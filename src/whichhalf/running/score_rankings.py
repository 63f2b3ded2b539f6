"""Score all rankings of a run at once: retrieval metrics are arithmetic over columns, not case by case."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from whichhalf.core.case import Case, Passage
from whichhalf.core.held_quotes import scored_by_quotes
from whichhalf.core.ids import a_few
from whichhalf.core.outcome import Outcome, Scored
from whichhalf.core.run import RecallCurve
from whichhalf.retrieval.evidence import QuotedRanking
from whichhalf.retrieval.family import Conventions, RetrievalMetric
from whichhalf.retrieval.judged_rankings import JudgedRankings
from whichhalf.retrieval.recall_curve import recall_curve

_MEANING = (
    "recall = mean share of a quote's letters and digits held by the passages together; "
    "relevant = holds at least half of a quote"
)


@dataclass(frozen=True, slots=True)
class ScoredRankings:
    """What the retrieval metrics of a run say."""

    outcomes: dict[str, list[Outcome]]
    """Metric → outcomes in the order of the cases."""
    micro: dict[str, float | None]
    """Metric → micro mean over its scored cases; None where it is no ratio of counts."""
    curves: dict[str, RecallCurve]
    """Stage → recall curve."""


def score_rankings(cases: Sequence[Case], metrics: Sequence[RetrievalMetric]) -> ScoredRankings:
    """Every stage meets its labels once, whatever the number of metrics.

    A question with quotes and relevant ids is scored by its ids: see `settle_labels`.
    """
    conventions = {metric.stage: metric.conventions for metric in metrics}
    rankings = {stage: one.judge(cases, stage) for stage, one in conventions.items()}
    by_quotes = [number for number, case in enumerate(cases) if scored_by_quotes(case.question)]
    quoted = {
        stage: {number: one.look_for_quotes(cases[number], stage) for number in by_quotes}
        for stage, one in conventions.items()
    }
    outcomes: dict[str, list[Outcome]] = {}
    micro: dict[str, float | None] = {}
    for metric in metrics:
        judged = rankings[metric.stage]
        found = metric.score_all(cases, judged)
        for number, ranking in quoted[metric.stage].items():
            found[number] = metric.score_quotes(cases[number], ranking)
        outcomes[str(metric.name)] = found
        micro[str(metric.name)] = _micro_mean(metric, found, judged, quoted[metric.stage])
    curves: dict[str, RecallCurve] = {
        stage: curve
        for stage, judged in rankings.items()
        if (
            curve := recall_curve(
                _counted(judged, cases, conventions[stage]), [one.recalls for one in quoted[stage].values()]
            )
        )
    }
    return ScoredRankings(outcomes, micro, curves)


def _counted(judged: JudgedRankings, cases: Sequence[Case], conventions: Conventions) -> JudgedRankings:
    """The rankings that enter the means: all, or only those of questions with output."""
    return judged.only(np.array([case.has_output for case in cases])) if conventions.missing == "skip" else judged


@dataclass(frozen=True, slots=True)
class SettledLabels:
    """Cases of which each is scored by its passage ids or by its quotes, and what the reader should know of that."""

    cases: tuple[Case, ...]
    notices: tuple[str, ...]


def settle_labels(cases: Sequence[Case], corpus: Mapping[str, Passage] | None) -> SettledLabels:
    """Decide what every question with quotes is scored by: its ids while the corpus, where one is given, has them all;
    else its quotes.

    A case scored by quotes comes back without its outdated ids, and with the texts of its passages as far as the
    corpus has them; other cases are not touched.
    """
    settled = tuple(_settled(case, corpus) for case in cases)
    by_quotes = [case.id for case in settled if scored_by_quotes(case.question)]
    outdated = [new.id for old, new in zip(cases, settled, strict=True) if old.question is not new.question]
    notices = []
    if by_quotes:
        notices.append(f"{len(by_quotes)} question(s) scored by evidence quotes ({_MEANING}): {a_few(by_quotes)}")
    if outdated:
        notices.append(f"{len(outdated)} of these label passage ids that the corpus does not have: {a_few(outdated)}")
    return SettledLabels(settled, tuple(notices))


def _settled(case: Case, corpus: Mapping[str, Passage] | None) -> Case:
    question = case.question
    if not question.evidence:
        return case
    if corpus is not None and any(grade > 0 and one not in corpus for one, grade in question.relevant.items()):
        question = question.model_copy(update={"relevant": {}})
    if not scored_by_quotes(question):
        return case
    stages = {"retrieved": case.retrieved, "reranked": case.reranked, "context": case.context}
    texts = {
        stage: tuple(_with_text(passage, corpus or {}) for passage in passages)
        for stage, passages in stages.items()
        if passages is not None
    }
    return case.model_copy(update={"question": question, **texts})


def _with_text(passage: Passage, corpus: Mapping[str, Passage]) -> Passage:
    known = corpus.get(passage.id)
    if known is None or (passage.text is not None and passage.doc is not None):
        return passage
    text = known.text if passage.text is None else passage.text
    return passage.model_copy(update={"text": text, "doc": passage.doc or known.doc})


def _micro_mean(
    metric: RetrievalMetric, found: Sequence[Outcome], judged: JudgedRankings, quoted: Mapping[int, QuotedRanking]
) -> float | None:
    """Over the scored cases; a quote weighs as much as a labelled passage."""
    scored = np.array([isinstance(outcome, Scored) for outcome in found], bool)
    if not quoted or metric.family.ratio is None:
        return metric.micro_mean(judged, scored)
    by_ids = scored.copy()
    by_ids[list(quoted)] = False
    above, below = (column[by_ids] for column in metric.family.ratio(judged, metric.name.k))
    ratios = [one.ratio(metric.family.name, metric.name.k) for number, one in quoted.items() if scored[number]]
    total = float(below.sum()) + sum(one[1] for one in ratios)
    return (float(above.sum()) + sum(one[0] for one in ratios)) / total if total else None
