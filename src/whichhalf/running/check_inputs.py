"""Find out before the first judge call what would fail later."""

from collections.abc import Mapping, Sequence

from whichhalf.core.case import Case, Question
from whichhalf.core.held_quotes import scored_by_quotes
from whichhalf.core.ids import a_few
from whichhalf.core.metric import Metric
from whichhalf.core.options import STAGES, Stage
from whichhalf.errors import Fault, InputError
from whichhalf.retrieval.family import RetrievalMetric


def check_inputs(cases: Sequence[Case], metrics: Sequence[Metric]) -> list[str]:
    """Notices about what the reader should know. Raises InputError listing all that is missing."""
    faults: list[Fault] = []
    answered = [case for case in cases if case.has_output]
    for metric in metrics:
        card = metric.card
        name = str(card.name)
        if "ranking" in card.needs:
            faults += _ranking_faults(metric, answered)
            faults += _quote_faults(card.name.stage, answered)
        if "answer" in card.needs and not any(case.answer for case in answered):
            faults.append(Fault(f"{name} needs answers, and no output has one"))
        if "passage_texts" in card.needs:
            faults += _text_faults(name, answered)
        if "labels" in card.needs and not any(case.question.relevant or case.question.evidence for case in cases):
            faults.append(Fault(f"{name} needs labels, and no question has relevant passages"))
    if faults:
        raise InputError(list(dict.fromkeys(faults)))
    return [
        *(notice for stage in STAGES for notice in _ranking_notices(stage, answered, metrics)),
        *_context_notices(answered, metrics),
    ]


def check_slices(questions: Sequence[Question], tags: Sequence[str]) -> None:
    """Raises InputError for tags that no question has."""
    known = sorted({tag for question in questions for tag in question.tags})
    there = ", ".join(known) or "none"
    faults = [Fault(f"no question has the tag {tag!r}; there are {there}") for tag in tags if tag not in known]
    if faults:
        raise InputError(faults)


def _ranking_faults(metric: Metric, cases: Sequence[Case]) -> list[Fault]:
    stage = metric.card.name.stage
    if stage is None:
        return []
    if isinstance(metric, RetrievalMetric) and metric.conventions.duplicates == "error":
        repeated = _repeating(_rankings(stage, cases))
        if repeated:
            return [
                Fault(f"{len(repeated)} {stage} list(s) repeat a passage id, and duplicates = error: {a_few(repeated)}")
            ]
    silent = [case.id for case in cases if case.ranking(stage) is None]
    if not silent or (stage == "context" and len(silent) < len(cases)):
        return []
    return [
        Fault(
            f"{metric.card.name} needs the stage {stage!r}, which {len(silent)} output(s) do not log: {a_few(silent)}"
        )
    ]


def _ranking_notices(stage: Stage, cases: Sequence[Case], metrics: Sequence[Metric]) -> list[str]:
    """Cuts beyond every list, repeated ids, and ids that no label knows."""
    names = [metric.card.name for metric in metrics if metric.card.name.stage == stage]
    rankings = _rankings(stage, cases)
    longest = max(map(len, rankings.values()), default=0)
    if not names or not longest:
        return []
    notices = []
    deep = [str(name) for name in names if name.k is not None and name.k > longest]
    if deep:
        notices.append(f"{', '.join(deep)}: k is larger than the longest list, which has {longest} passages")
    repeated = _repeating(rankings)
    if repeated:
        notices.append(f"{len(repeated)} {stage} list(s) repeat a passage id: {a_few(repeated)}")
    ranked = {one for ids in rankings.values() for one in ids}
    labelled = {one for case in cases for one in case.question.relevant}
    if labelled and ranked.isdisjoint(labelled):
        notices.append(
            f"none of the {len(ranked)} {stage} passage ids is a labelled one: check that both use the same ids"
        )
    return notices


def _rankings(stage: Stage, cases: Sequence[Case]) -> dict[str, list[str]]:
    return {case.id: [passage.id for passage in case.ranking(stage) or ()] for case in cases}


def _repeating(rankings: Mapping[str, Sequence[str]]) -> list[str]:
    return [one for one, ids in rankings.items() if len(set(ids)) < len(ids)]


def _context_notices(cases: Sequence[Case], metrics: Sequence[Metric]) -> list[str]:
    names = [str(metric.card.name) for metric in metrics if "passage_texts" in metric.card.needs]
    if not names or not cases or any(case.context is not None for case in cases):
        return []
    return [f"{', '.join(names)}: no output logs its context, so there is nothing to score"]


def _text_faults(name: str, cases: Sequence[Case]) -> list[Fault]:
    bare = [(case.id, passage.id) for case in cases for passage in case.context or () if passage.text is None]
    if not bare:
        return []
    question, passage = bare[0]
    return [
        Fault(
            f"{name} needs passage texts: {len(bare)} context passage(s) have none, first {passage!r} of question "
            f"{question!r}. Give [data] corpus, or log the texts in the outputs"
        )
    ]


def _quote_faults(stage: Stage | None, cases: Sequence[Case]) -> list[Fault]:
    """Quotes can only be looked for in texts."""
    if stage is None:
        return []
    quoted = [case for case in cases if scored_by_quotes(case.question)]
    bare = [(case.id, passage.id) for case in quoted for passage in case.ranking(stage) or () if passage.text is None]
    if not bare:
        return []
    question, passage = bare[0]
    return [
        Fault(
            f"questions scored by quotes need passage texts: {len(bare)} {stage} passage(s) have none, first "
            f"{passage!r} of question {question!r}. Give [data] corpus, or log the texts in the outputs"
        )
    ]
