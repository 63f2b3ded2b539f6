"""answer_precision, answer_recall and answer_correctness: the answer against the reference answer.

    answer_precision   = |claims of the answer supported by the reference| ÷ |claims of the answer|
    answer_recall      = |facts of the reference supported by the answer| ÷ |facts of the reference|
    answer_correctness = harmonic mean of the two, 0 when both are 0

A refusal of a question that has an answer is not correct: recall and correctness are 0, precision is undefined.
Source: Ru et al., RAGChecker, 2024 (overall precision, recall, F1).
"""

from whichhalf.core.case import Case
from whichhalf.core.outcome import Scored
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.family import JudgedFamily, NoNumber, Options, share_scored
from whichhalf.judged.references import is_reference, match_reference

_SAME = Scored(value=1.0, notes=("the answer is the reference answer, word for word",))
_REFUSED = Scored(value=0.0, notes=("the answer refuses",))


def answer_precision(tables: ClaimTables, case: Case, _: Options) -> Scored:
    return _SAME if is_reference(case) else share_scored(match_reference(tables, case).claims)


def answer_recall(tables: ClaimTables, case: Case, _: Options) -> Scored:
    if is_reference(case):
        return _SAME
    try:
        return share_scored(match_reference(tables, case).facts)
    except NoNumber as reason:
        return _zero_for_refusal(reason)


def answer_correctness(tables: ClaimTables, case: Case, _: Options) -> Scored:
    if is_reference(case):
        return _SAME
    try:
        match = match_reference(tables, case)
    except NoNumber as reason:
        return _zero_for_refusal(reason)
    parts = f"answer_precision {match.precision:.4g}, answer_recall {match.recall:.4g}"
    return Scored(value=match.f1, verdicts=match.claims + match.facts, notes=(parts,))


def _zero_for_refusal(reason: NoNumber) -> Scored:
    if reason.because == "refused":
        return _REFUSED
    raise reason


_SOURCE = "Ru et al. 2024 (RAGChecker)"
_CONVENTIONS = "unsure = not supported; of several reference answers the one best met"

ANSWER_PRECISION = JudgedFamily(
    "answer_precision",
    "both",
    "claims of the answer that the reference answer supports ÷ claims of the answer",
    _SOURCE,
    answer_precision,
    needs=("answer", "reference_answer"),
    conventions=f"{_CONVENTIONS}; a refusal is undefined",
)
ANSWER_RECALL = JudgedFamily(
    "answer_recall",
    "both",
    "facts of the reference answer that the answer supports ÷ facts of the reference answer",
    _SOURCE,
    answer_recall,
    needs=("answer", "reference_answer"),
    conventions=f"{_CONVENTIONS}; a refusal = 0",
)
ANSWER_CORRECTNESS = JudgedFamily(
    "answer_correctness",
    "both",
    "harmonic mean of answer_precision and answer_recall, 0 when both are 0",
    _SOURCE,
    answer_correctness,
    needs=("answer", "reference_answer"),
    conventions=f"{_CONVENTIONS}; a refusal = 0",
)
