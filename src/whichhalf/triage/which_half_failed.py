"""which_half_failed: name the guilty half of an answer that an expert marked wrong.

Checks run in a fixed order. The first that finds something gives the label; what later checks find is kept as
`also`. A check whose metric was not asked for is skipped and listed; one whose metric gave no number although it
could have decided ends in `manual: cannot_tell`. Everything here is a pure function of a case and its outcomes.
"""

from collections.abc import Callable, Mapping, Sequence

from whichhalf.core.case import Case, Passage
from whichhalf.core.diagnosis import Diagnosis, Finding
from whichhalf.core.options import Rule
from whichhalf.core.outcome import Outcome
from whichhalf.triage import textbook_rule
from whichhalf.triage.answer_checks import (
    contradicts_context,
    incomplete,
    misled_by_passage,
    off_topic,
    unsupported_claims,
)
from whichhalf.triage.facts import Facts, Result, Skipped
from whichhalf.triage.findings import finding
from whichhalf.triage.retrieval_checks import evidence_lost, false_refusal, no_answer
from whichhalf.triage.source_checks import conflicting_passages, stale_source

DEFAULT_FLOOR = 1.0

_CHECKS: Mapping[Rule, tuple[Callable[[Facts], Result], ...]] = {
    "default": (
        no_answer,
        evidence_lost,
        false_refusal,
        stale_source,
        conflicting_passages,
        contradicts_context,
        unsupported_claims,
        misled_by_passage,
        off_topic,
        incomplete,
    ),
    "textbook": textbook_rule.CHECKS,
}
_NOTHING_FOUND: Mapping[Rule, Finding] = {
    "default": finding(
        "manual",
        "all_checks_passed",
        "Every check that ran passed: the label, the note or the question may be wrong.",
    ),
    "textbook": textbook_rule.NOTHING_FOUND,
}


def which_half_failed(
    case: Case,
    outcomes: Mapping[str, Outcome],
    *,
    rule: Rule = "default",
    k: int = 5,
    faithfulness_floor: float | None = None,
    off_topic_cosine: float | None = None,
    known: Sequence[Passage] | None = None,
) -> Diagnosis:
    """Label an answer that is known to be wrong.

    `outcomes` maps metric names to outcomes, as in a run. `k` is how many passages the model sees; it is used where
    the context was not logged, and by the textbook rule. An answer whose faithfulness is below `faithfulness_floor`
    (by default 1.0, textbook 0.8) has too many unsupported claims; one whose questions have a mean cosine below
    `off_topic_cosine` is off topic. `known` holds the passages of the corpus that the labels name or quote, retrieved
    or not, so that a lost one can be named and a label that the corpus no longer holds be told; None without a corpus.
    """
    floor = faithfulness_floor
    if floor is None:
        floor = textbook_rule.TEXTBOOK_FLOOR if rule == "textbook" else DEFAULT_FLOOR
    facts = Facts(case, outcomes, k, floor, off_topic_cosine, known)
    results = [check(facts) for check in _CHECKS[rule]]
    found = [result for result in results if isinstance(result, Finding)]
    label = found[0] if found else _NOTHING_FOUND[rule]
    line = {} if off_topic_cosine is None else {"off_topic_cosine": off_topic_cosine}
    return Diagnosis(
        **dict(label),
        also=tuple(found[1:]),
        skipped=tuple(result.what for result in results if isinstance(result, Skipped)),
        rule=rule,
        thresholds={"k": k, "faithfulness_floor": floor, **line},
    )
