"""Find out before the first judge call what would fail later."""

from collections.abc import Sequence

from whichhalf.core.case import Case
from whichhalf.core.metric import Metric
from whichhalf.errors import Fault, InputError


def check_inputs(cases: Sequence[Case], metrics: Sequence[Metric]) -> list[str]:
    """Notices about what the reader should know. Raises InputError listing all that is missing."""
    faults: list[Fault] = []
    notices: list[str] = []
    answered = [case for case in cases if case.has_output]
    for metric in metrics:
        card = metric.card
        name = str(card.name)
        if "ranking" in card.needs:
            faults += _ranking_faults(metric, answered)
            notices += _short_rankings(metric, answered)
        if "answer" in card.needs and not any(case.answer for case in answered):
            faults.append(Fault(f"{name} needs answers, and no output has one"))
        if "passage_texts" in card.needs:
            faults += _text_faults(name, answered)
        if "labels" in card.needs and not any(case.question.relevant for case in cases):
            faults.append(Fault(f"{name} needs labels, and no question has relevant passages"))
    if faults:
        raise InputError(list(dict.fromkeys(faults)))
    return notices


def _ranking_faults(metric: Metric, cases: Sequence[Case]) -> list[Fault]:
    stage = metric.card.name.stage
    if stage is None:
        return []
    silent = [case.id for case in cases if case.ranking(stage) is None]
    if not silent or (stage == "context" and len(silent) < len(cases)):
        return []
    return [
        Fault(
            f"{metric.card.name} needs the stage {stage!r}, which {len(silent)} output(s) do not log: {_some(silent)}"
        )
    ]


def _short_rankings(metric: Metric, cases: Sequence[Case]) -> list[str]:
    stage, k = metric.card.name.stage, metric.card.name.k
    if stage is None or k is None:
        return []
    longest = max((len(case.ranking(stage) or ()) for case in cases), default=0)
    return [f"{metric.card.name}: k is {k}, yet the longest list has {longest} passages"] if 0 < longest < k else []


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


def _some(ids: list[str]) -> str:
    return ", ".join(ids[:5]) + (f" and {len(ids) - 5} more" if len(ids) > 5 else "")
