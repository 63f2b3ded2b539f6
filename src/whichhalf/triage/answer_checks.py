"""Checks 5 and 6 of the default rule: did the model say what the passages do not, or leave the question?"""

import math

from whichhalf.core.outcome import Scored
from whichhalf.triage.facts import Facts, Result, number_of
from whichhalf.triage.findings import counted, finding, quoted
from whichhalf.triage.numbers_differ import numbers_alone


def contradicts_context(facts: Facts) -> Result:
    """Check 5: a passage says the opposite of what the answer says."""
    outcome = number_of(facts, "faithfulness", "unsupported claims", "clears the answer")
    if not isinstance(outcome, Scored):
        return outcome
    against = [verdict for verdict in outcome.verdicts if verdict.label == "contradicted"]
    if not against:
        return None
    only_numbers = all(map(numbers_alone, against))
    text = f"The passages contradict {counted(against)}{', in a number alone' if only_numbers else ''}: "
    return finding(
        "generation",
        "contradicts_context",
        text + quoted(against),
        against,
        detail="numbers_differ" if only_numbers else "",
    )


def unsupported_claims(facts: Facts) -> Result:
    """Check 5: the answer says more than the passages."""
    outcome = facts.outcome("faithfulness")
    if not isinstance(outcome, Scored) or outcome.value >= facts.floor:
        return None  # why there is no number was said by the check before
    bare = [verdict for verdict in outcome.verdicts if verdict.label in ("not_mentioned", "unsure")]
    if not bare:
        return None
    text = f"No passage the model saw supports {counted(bare)}: {quoted(bare)}"
    return finding("generation", "unsupported_claims", text, bare)


def misled_by_passage(facts: Facts) -> Result:
    """Check 5: a claim the reference does not bear out comes from passages that hold none of its facts."""
    outcome = number_of(
        facts, "noise_sensitivity_irrelevant", "misled by a passage", "tells whether a passage misled the model"
    )
    if not isinstance(outcome, Scored) or not outcome.verdicts:
        return None if isinstance(outcome, Scored) else outcome
    text = f"Passages without a fact of the reference answer led to {counted(outcome.verdicts)} that it does not "
    return finding("generation", "misled_by_passage", f"{text}bear out: {quoted(outcome.verdicts)}", outcome.verdicts)


def off_topic(facts: Facts) -> Result:
    """Check 6: the answer does not address the question. A low cosine is proof only where the config sets a line: it
    hangs on the embedding model."""
    outcome = number_of(facts, "answer_relevance", "answer off topic", "tells whether it replies at all")
    if not isinstance(outcome, Scored):
        return outcome
    evasive = sum(one.evasive for one in outcome.questions)
    cosines = [one.cosine for one in outcome.questions if one.cosine is not None]
    line = facts.off_topic_cosine
    if evasive > len(outcome.questions) / 2:
        text = f"The answer is evasive on {evasive} of {len(outcome.questions)} questions that were written from it."
    elif line is not None and cosines and (mean := math.fsum(cosines) / len(cosines)) < line:
        text = f"Questions written from the answer have a mean cosine of {mean:.3g} with the real one, below {line:g}."
    else:
        return None
    return finding("generation", "off_topic", text, judged=True)


def incomplete(facts: Facts) -> Result:
    """Check 6: facts that were in the passages are not in the answer."""
    outcome = number_of(facts, "context_utilization", "incomplete answer", "tells whether facts were left out")
    if not isinstance(outcome, Scored):
        return outcome
    left_out = [verdict for verdict in outcome.verdicts if verdict.label != "supported"]
    if not left_out:
        return None
    text = f"The passages held {counted(left_out, 'fact')} that the answer leaves out: {quoted(left_out)}"
    return finding("generation", "incomplete", text, left_out)
