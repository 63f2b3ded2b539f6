"""refusal_rate and no_answer_accuracy: declining where there is an answer, and where there is none.

refusal_rate       on questions with an answer: 1 if the answer declines, else 0
no_answer_accuracy on questions without one: 1 if the answer declines, else 0
"""

from whichhalf.core.case import Case
from whichhalf.core.outcome import Scored
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.claims import SPLIT_CLAIMS
from whichhalf.judged.family import JudgedFamily, NoNumber, Options


def refusal_rate(tables: ClaimTables, case: Case, _: Options) -> Scored:
    """0 or 1. Raises NoNumber on a question without an answer."""
    if not case.question.answerable:
        raise NoNumber("no_answer_question")
    return Scored(value=float(tables.answer_claims(case).refused))


def no_answer_accuracy(tables: ClaimTables, case: Case, _: Options) -> Scored:
    """0 or 1. Raises NoNumber on a question with an answer."""
    if case.question.answerable:
        raise NoNumber("answerable_question")
    return Scored(value=float(tables.answer_claims(case).refused))


REFUSAL_RATE = JudgedFamily(
    "refusal_rate",
    "generation",
    "1 if the answer declines, else 0, on questions that have an answer",
    "own",
    refusal_rate,
    needs=("answer",),
    higher_is_better=False,
    prompts=(SPLIT_CLAIMS,),
)
NO_ANSWER_ACCURACY = JudgedFamily(
    "no_answer_accuracy",
    "generation",
    "1 if the answer declines, else 0, on questions that have no answer",
    "own",
    no_answer_accuracy,
    needs=("answer",),
    prompts=(SPLIT_CLAIMS,),
)
