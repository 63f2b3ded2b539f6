"""Check 4 of the default rule: are the sources themselves at fault?

A golden set may record a hash of every labelled passage's text. A passage whose text is another one today may no
longer say what the reference answer says.
"""

from collections.abc import Sequence
from itertools import chain

from whichhalf.core.case import EvidenceQuote, Passage
from whichhalf.core.held_quotes import scored_by_quotes, wanted_quote
from whichhalf.core.options import STAGES
from whichhalf.core.outcome import Scored
from whichhalf.core.text_hash import text_hash
from whichhalf.triage.facts import Facts, Result, Skipped, number_of
from whichhalf.triage.findings import finding, places_in_words
from whichhalf.triage.lost_passages import first_words


def stale_source(facts: Facts) -> Result:
    """A labelled passage is not what it was when the golden set was frozen."""
    question = facts.case.question
    if not question.answerable or not facts.has_labels:
        return None
    hashes = _hashes_today(facts)
    changed = [one for one, known in question.passage_sha256.items() if hashes.get(one, known) != known]
    gone = _gone(facts)
    if changed or gone:
        parts = [f"the text of {', '.join(changed)} is no longer the one that was labelled"] if changed else []
        parts += [f"the corpus no longer holds {', '.join(gone)}"] if gone else []
        said = "; ".join(parts)
        return finding("manual", "stale_source", f"{said[0].upper()}{said[1:]}: check the labels and the reference.")
    if question.passage_sha256.keys() & hashes.keys():
        return None
    if question.passage_sha256:
        return Skipped("stale source: the texts of the labelled passages are not at hand")
    return Skipped("stale source: the golden set holds no hashes of the labelled passages")


def conflicting_passages(facts: Facts) -> Result:
    """One passage supports a claim of the answer and another one contradicts it."""
    found = number_of(facts, "context_conflict", "conflicting passages", "tells whether the passages agree")
    if not isinstance(found, Scored) or not found.verdicts:
        return None if isinstance(found, Scored) else found
    pairs = zip(found.verdicts[::2], found.verdicts[1::2], strict=True)
    told = [f"“{one.claim.text}” ({places_in_words(one)}; yet {places_in_words(other)})" for one, other in pairs]
    return finding("manual", "conflicting_passages", f"The passages disagree: {' · '.join(told)}", found.verdicts)


def _hashes_today(facts: Facts) -> dict[str, str]:
    """Passage id → hash of its text as the model saw it, or as the corpus has it."""
    stages = (facts.case.ranking(stage) or () for stage in reversed(STAGES))
    hashes: dict[str, str] = {}
    for passage in chain(*stages, facts.known or ()):
        if passage.text is not None and passage.id in facts.case.question.passage_sha256:
            hashes.setdefault(passage.id, text_hash(passage.text))
    return hashes


def _gone(facts: Facts) -> list[str]:
    """Labels that the corpus cannot serve any more: passages without their id, quotes that stand nowhere whole."""
    if facts.known is None:
        return []
    question = facts.case.question
    if scored_by_quotes(question):
        return [first_words(one.quote) for one in question.evidence if not _is_whole(one, facts.known)]
    ids = {passage.id for passage in facts.known}
    return [one for one, grade in question.relevant.items() if grade > 0 and one not in ids]


def _is_whole(label: EvidenceQuote, passages: Sequence[Passage]) -> bool:
    wanted = wanted_quote(label)
    return wanted.share(part for passage in passages for part in wanted.parts(passage)) == 1.0
