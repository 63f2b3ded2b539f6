"""Checks 1 to 3 of the default rule: was there an answer to be found, did its passages reach the model, and did the
model decline all the same?"""

from whichhalf.core.held_quotes import scored_by_quotes
from whichhalf.core.outcome import Scored
from whichhalf.triage.facts import Facts, Result, Skipped
from whichhalf.triage.findings import cannot_tell, finding, lost_in_words
from whichhalf.triage.lost_passages import has_all_texts, lost_passages

NO_TEXTS = (
    "The question is labelled by quotes, which cannot be looked for in passages without text: give [data] corpus."
)


def no_answer(facts: Facts) -> Result:
    """Check 1: the corpus holds no answer."""
    if facts.case.question.answerable:
        return None
    if facts.refused is None:
        return cannot_tell(f"The question has no answer, and {facts.no_word_of('faithfulness')} tells of a refusal.")
    if facts.refused:
        text = "There is no answer to be found, and the assistant said so."
        return finding("manual", "refused_as_it_should", text, judged=True)
    return finding(
        "generation", "missed_refusal", "There is no answer to be found, yet the assistant gave one.", judged=True
    )


def evidence_lost(facts: Facts) -> Result:
    """Check 2: a needed passage did not reach the model; 2b and 2c where there are no labels."""
    case = facts.case
    if not case.question.answerable:
        return None
    if not facts.has_labels:
        return _facts_missing(facts)
    if case.context is None and case.ranking(case.last_ranking) is None:
        return cannot_tell("Neither the search result nor the context was logged.")
    known = facts.known or ()
    lost = lost_passages(case, facts.k, known)
    if not lost:
        return None
    if scored_by_quotes(case.question) and not has_all_texts(case, known):
        return cannot_tell(NO_TEXTS)
    declined = " The assistant declined, as it should without them." if facts.refused else ""
    text = f"Needed, but not seen by the model: {lost_in_words(lost)}.{declined}"
    return finding("retrieval", lost[0].lost, text, lost=lost)


def false_refusal(facts: Facts) -> Result:
    """Check 3: the assistant declined although it had what it needed."""
    if not facts.case.question.answerable:
        return None
    if facts.refused is None and facts.outcome("faithfulness") is None:
        return Skipped("false refusal: faithfulness was not asked for")
    if not facts.refused or evidence_lost(facts) is not None:
        return None
    text = "The assistant declined, though it had every needed passage."
    return finding("generation", "false_refusal", text, judged=True)


def _facts_missing(facts: Facts) -> Result:
    """What the judge says where there are no labels; nothing may pass unseen."""
    if not facts.case.question.reference_answers:
        return cannot_tell("There are neither labels nor a reference answer, so retrieval cannot be cleared.")
    recall = facts.outcome("context_recall")
    if not isinstance(recall, Scored):
        return cannot_tell(f"There are no labels, and {facts.no_word_of('context_recall')} clears retrieval.")
    if recall.value == 1.0:
        return None
    missing = [verdict for verdict in recall.verdicts if verdict.label != "supported"]
    text = f"{len(missing)} fact(s) of the reference answer stand in no passage the model saw."
    return finding("retrieval", "facts_missing", text, missing, judged=True)
