"""Note in every question what the labelled passages say today, so that a later change can be told."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whichhalf.core.case import Passage, Question
from whichhalf.core.text_hash import text_hash


@dataclass(frozen=True, slots=True)
class FrozenLabels:
    """Questions with `passage_sha256` of every relevant passage, and what stood out on the way."""

    questions: tuple[Question, ...]
    passages: int
    """Different passages whose text was noted."""
    changed: Mapping[str, tuple[str, ...]]
    """Passage whose text is another one than was noted before → questions that label it."""
    missing: Mapping[str, tuple[str, ...]]
    """Question → relevant passages that the corpus does not hold; without questions that quotes can be found for."""


def freeze_labels(questions: Sequence[Question], corpus: Mapping[str, Passage]) -> FrozenLabels:
    """Passages judged not relevant are not noted: a change in them makes no label stale."""
    hashes = {one: text_hash(passage.text) for one, passage in corpus.items() if passage.text is not None}
    needed = {one.id: [name for name, grade in one.relevant.items() if grade > 0] for one in questions}
    changed: dict[str, tuple[str, ...]] = {}
    for question in questions:
        for name in needed[question.id]:
            if name in hashes and question.passage_sha256.get(name, hashes[name]) != hashes[name]:
                changed[name] = (*changed.get(name, ()), question.id)
    frozen = tuple(
        one.model_copy(update={"passage_sha256": {name: hashes[name] for name in needed[one.id] if name in hashes}})
        for one in questions
    )
    missing = {
        one.id: tuple(name for name in needed[one.id] if name not in hashes) for one in questions if not one.evidence
    }
    return FrozenLabels(
        frozen,
        len({name for one in frozen for name in one.passage_sha256}),
        changed,
        {one: names for one, names in missing.items() if names},
    )
