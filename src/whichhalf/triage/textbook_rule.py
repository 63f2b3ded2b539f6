"""The textbook rule: recall@k of the search first, then faithfulness against a floor.

Source: the function of this name in the source document, to the letter. 0.8 is a team's choice there, not a standard.
"""

from collections.abc import Callable

from whichhalf.core.case import Case
from whichhalf.core.held_quotes import scored_by_quotes, wanted_quote
from whichhalf.core.outcome import Scored
from whichhalf.triage.facts import Facts, Result, Skipped
from whichhalf.triage.findings import cannot_tell, finding, quoted
from whichhalf.triage.lost_passages import first_words, has_all_texts
from whichhalf.triage.retrieval_checks import NO_TEXTS

TEXTBOOK_FLOOR = 0.8


def _no_answer(facts: Facts) -> Result:
    if facts.has_labels:
        return None
    return finding("manual", "no_answer_question", "The question has no labelled passage: check whether it refused.")


def _recall(facts: Facts) -> Result:
    case = facts.case
    if case.retrieved is None and case.has_output:
        return cannot_tell("The search result was not logged.")
    if scored_by_quotes(case.question):
        return _quote_recall(case, facts.k)
    first = {passage.id for passage in (case.retrieved or ())[: facts.k]}
    needed = [passage for passage, grade in case.question.relevant.items() if grade > 0]
    missing = [passage for passage in needed if passage not in first]
    if not missing:
        return None
    recall = (len(needed) - len(missing)) / len(needed)
    text = f"recall@{facts.k} is {recall:.4g}: {', '.join(missing)} not among the first {facts.k} retrieved."
    return finding("retrieval", "recall_below_1", text)


def _quote_recall(case: Case, k: int) -> Result:
    """The same for a question labelled by quotes, each of which may be found in part."""
    first = (case.retrieved or ())[:k]
    labels = case.question.evidence
    shares = [
        quote.share(part for passage in first for part in quote.parts(passage)) for quote in map(wanted_quote, labels)
    ]
    if min(shares) == 1.0:
        return None
    if not has_all_texts(case):
        return cannot_tell(NO_TEXTS)
    missing = [first_words(label.quote) for label, share in zip(labels, shares, strict=True) if share < 1.0]
    recall = sum(shares) / len(shares)
    text = f"recall@{k} is {recall:.4g}: {', '.join(missing)} not whole in the first {k} retrieved."
    return finding("retrieval", "recall_below_1", text)


def _faithfulness(facts: Facts) -> Result:
    outcome = facts.outcome("faithfulness")
    if outcome is None:
        return Skipped("faithfulness was not asked for")
    if isinstance(outcome, Scored):
        if outcome.value >= facts.floor:
            return None
        bare = [verdict for verdict in outcome.verdicts if verdict.label != "supported"]
        text = f"faithfulness is {outcome.value:.4g}, below {facts.floor:g}: {quoted(bare)}"
        return finding("generation", "faithfulness_below_floor", text, bare)
    if facts.refused is not None:  # no claims, or a refusal: counts as 1 here
        return None
    return cannot_tell(f"{facts.no_word_of('faithfulness').capitalize()} clears the answer.")


CHECKS: tuple[Callable[[Facts], Result], ...] = (_no_answer, _recall, _faithfulness)
NOTHING_FOUND = finding("manual", "check_by_hand", "Recall and faithfulness are fine: look at the label or the note.")
