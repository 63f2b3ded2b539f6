"""A golden set that grows by the failures an expert confirmed.

A question that is not there yet is appended as it stands in the run. One that is there keeps its labels, and is marked.
Both carry the tag `confirmed_failure` with the half the expert named, so that a later run can break its means down by
it, and say in `origin` where this comes from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whichhalf.core.case import Question
from whichhalf.triage.expert_verdicts import ExpertVerdict
from whichhalf.triage.flagged import FlaggedAnswer

TAG = "confirmed_failure"


@dataclass(frozen=True, slots=True)
class Growth:
    """A grown golden set, and what became of every labelled answer."""

    questions: tuple[Question, ...]
    """Those there were, in their order, then the added ones."""
    added: tuple[str, ...]
    marked: tuple[str, ...]
    """Were in the golden set, and are now marked as a confirmed failure."""
    present: tuple[str, ...]
    """Were marked before, and stay as they are."""
    skipped: Mapping[str, str]
    """Id → why it was left out."""

    @property
    def is_new(self) -> bool:
        return bool(self.added or self.marked)


def grow(
    golden: Sequence[Question],
    asked: Mapping[str, Question],
    answers: Sequence[FlaggedAnswer],
    verdicts: Sequence[ExpertVerdict],
    run: str,
) -> Growth:
    """`asked` are the questions of the run by id; `run` is its name.

    A failure is confirmed where the expert names retrieval or generation, whether or not the label agrees.
    """
    questions = {question.id: question for question in golden}
    ids = {question.text: question.id for question in golden}
    given = {one.id: one for one in verdicts}
    added: list[str] = []
    marked: list[str] = []
    present: list[str] = []
    skipped: dict[str, str] = {}
    for answer in answers:
        name = answer.flag.id
        question, verdict = asked[name], given.get(name, ExpertVerdict(id=name))
        known = questions.get(name)
        why_not = _unfit(question, known, ids.get(question.text), verdict)
        if why_not:
            skipped[name] = why_not
        elif known is not None and TAG in known.tags:
            present.append(name)
        else:
            (marked if known is not None else added).append(name)
            questions[name] = _marked(known or question, answer, verdict, run)
    return Growth(tuple(questions.values()), tuple(added), tuple(marked), tuple(present), skipped)


def _unfit(question: Question, known: Question | None, same: str | None, verdict: ExpertVerdict) -> str:
    """Why a question is left out; empty where it is not."""
    if verdict.expert_half is None:
        return "no verdict yet"
    if verdict.expert_half == "manual":
        return "the expert confirmed neither half"
    if known is not None:
        return "" if known.text == question.text else "the golden set has another question under this id"
    if same is not None:
        return f"the golden set asks it as {same}"
    if question.answerable and not (question.relevant or question.evidence or question.reference_answers):
        return "it has neither labels nor a reference answer, so nothing could score it"
    return ""


def _marked(question: Question, answer: FlaggedAnswer, verdict: ExpertVerdict, run: str) -> Question:
    label = f"{answer.diagnosis.half}: {answer.diagnosis.reason}"
    facts = {
        "run": run,
        "flagged_by": answer.flag.by,
        "flag_note": answer.flag.note,
        "label": label,
        "expert_half": str(verdict.expert_half),
        "expert_note": verdict.expert_note,
    }
    origin = {**{key: value for key, value in facts.items() if value}, **question.origin}
    tags = {**question.tags, TAG: str(verdict.expert_half)}
    return question.model_copy(update={"origin": origin, "tags": tags})
