"""Replay: ask the assistant again with the passages it needed, and read what its new answers say about the label.

Two replays of a question: with the needed passages alone, and with what it had plus the needed ones that were missing.
An answer is right when its answer_correctness reaches a threshold. Pure: what to ask goes out, what came back comes in.
"""

from collections.abc import Mapping, Sequence

from whichhalf.assistants.seam import AssistantRequest
from whichhalf.core.case import Case, Passage
from whichhalf.core.diagnosis import Diagnosis, Finding, Given, Replay
from whichhalf.core.options import STAGES

THRESHOLD = "replay_correctness"
"""Name of the threshold among those of a label."""


def needed_passages(case: Case, corpus: Mapping[str, Passage]) -> tuple[Passage, ...] | None:
    """The labelled passages with their texts, best grade first; None where a label or a text is not known."""
    logged = {one.id: one for stage in STAGES for one in case.ranking(stage) or () if one.text is not None}
    grades = {one: grade for one, grade in case.question.relevant.items() if grade > 0}
    found = [corpus.get(one) or logged.get(one) for one in sorted(grades, key=lambda one: -grades[one])]
    texts = tuple(one for one in found if one is not None and one.text)
    return texts if grades and len(texts) == len(grades) else None


def plan_replays(case: Case, corpus: Mapping[str, Passage], k: int) -> dict[Given, AssistantRequest]:
    """What to ask again; empty where it could not tell anything: no answer in the corpus, no reference answer, or
    needed passages whose texts are not known."""
    question = case.question
    needed = needed_passages(case, corpus)
    if needed is None or not question.answerable or not any(map(str.strip, question.reference_answers)):
        return {}
    seen = case.context if case.context is not None else (case.ranking(case.last_ranking) or ())[:k]
    had = [corpus.get(one.id, one) if one.text is None else one for one in seen]
    missing = [one for one in needed if one.id not in {other.id for other in had}]
    given: dict[Given, tuple[Passage, ...]] = {"needed": needed}
    if missing and all(one.text for one in had):
        given["seen_and_missing"] = (*had, *missing)
    return {
        which: AssistantRequest(f"{case.id}/{which}", question.text, question.history, passages)
        for which, passages in given.items()
    }


def with_replays(diagnosis: Diagnosis, replays: Sequence[Replay], threshold: float) -> Diagnosis:
    """The label, confirmed, decided or widened by what the assistant said when it was asked again.

    - retrieval: right with the needed passages → confirmed; still wrong → generation as well
    - generation: still wrong → confirmed
    - manual, cannot_tell: right → retrieval, still wrong → generation
    """
    by = {one.given: one for one in replays}
    kept = diagnosis.model_copy(
        update={"replays": tuple(replays), "thresholds": {**diagnosis.thresholds, THRESHOLD: threshold}}
    )
    needed = by.get("needed")
    if needed is None or needed.right is None:
        return kept
    said = _in_words(needed, threshold)
    also = list(diagnosis.also)
    update: dict[str, object] = {}
    if diagnosis.half == "retrieval" and needed.right:
        update = {"basis": "replayed", "text": f"{diagnosis.text} {said}: retrieval confirmed."}
    elif diagnosis.half == "retrieval":
        also.insert(0, _finding("generation", "wrong_with_evidence", f"{said}: generation as well."))
    elif diagnosis.half == "generation" and not needed.right:
        update = {"basis": "replayed", "text": f"{diagnosis.text} {said}: generation confirmed."}
    elif diagnosis.reason == "cannot_tell":
        half, reason = ("retrieval", "right_with_evidence") if needed.right else ("generation", "wrong_with_evidence")
        update = {"half": half, "reason": reason, "basis": "replayed", "text": f"{diagnosis.text} {said}."}
    else:
        update = {"text": f"{diagnosis.text} {said}."}
    both = by.get("seen_and_missing")
    if needed.right and both is not None and both.right is False:
        text = f"{_in_words(both, threshold)}: the other passages distract it."
        also.insert(0, _finding("generation", "distracted", text))
    return kept.model_copy(update={**update, "also": tuple(also)})


def _finding(half: str, reason: str, text: str) -> Finding:
    return Finding.model_validate({"half": half, "reason": reason, "basis": "replayed", "text": text})


def _in_words(replay: Replay, threshold: float) -> str:
    given = {
        "needed": "Asked again with the needed passages alone",
        "seen_and_missing": "Asked again with what it had and the missing passages",
    }[replay.given]
    said = "answers right" if replay.right else "still answers wrong"
    return f"{given}, the assistant {said} (answer_correctness {replay.correctness:.4g}, right from {threshold:g})"
