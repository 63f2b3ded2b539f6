"""answer_relevance: whether the answer replies to the question that was asked.

    answer_relevance = mean cosine of the real question and questions written from the answer alone, within [0, 1]

Each written question has its own evasive flag: with more than half of them flagged the value is 0, as it is for a
refusal. Blank questions are left out of the mean.
Source: Es et al., RAGAS: Automated Evaluation of Retrieval Augmented Generation, 2023.
"""

import math
from collections.abc import Sequence
from operator import mul

from whichhalf.core.case import Case
from whichhalf.core.metric import Option
from whichhalf.core.outcome import Scored, WrittenQuestion
from whichhalf.errors import EmbeddingFailed
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.claims import SPLIT_CLAIMS
from whichhalf.judged.family import JudgedFamily, NoNumber, Options
from whichhalf.judged.written_questions import WRITE_QUESTIONS
from whichhalf.judging.embedding import Vector


def answer_relevance(tables: ClaimTables, case: Case, options: Options) -> Scored:
    """Raises NoNumber on a question without an answer, EmbeddingFailed where nothing can be compared."""
    if not case.question.answerable:
        raise NoNumber("no_answer_question")
    if tables.answer_claims(case).refused:
        return Scored(value=0.0, notes=("the answer refuses",))
    written = tables.questions_from_answer(case, int(options["questions"]))
    evasive = sum(one.evasive for one in written)
    if evasive > len(written) / 2:
        note = f"{evasive} of {len(written)} written questions evasive: 0"
        return Scored(value=0.0, questions=written, notes=(note, *map(_in_words, written)))
    compared = _compare(tables, case.question.text, written)
    cosines = [one.cosine for one in compared if one.cosine is not None]
    mean = math.fsum(cosines) / len(cosines)
    note = f"mean cosine {mean:.4g} over {len(cosines)} of {len(written)} written questions"
    return Scored(value=min(max(mean, 0.0), 1.0), questions=compared, notes=(note, *map(_in_words, compared)))


def cosine(one: Vector, other: Vector) -> float:
    """Cosine of the angle between two vectors, in [-1, 1]. Raises EmbeddingFailed where there is no angle."""
    if len(one) != len(other):
        raise EmbeddingFailed(f"vectors of {len(one)} and {len(other)} numbers cannot be compared")
    product = math.fsum(map(mul, _unit(one), _unit(other)))
    return min(max(product, -1.0), 1.0)


def _unit(vector: Vector) -> Sequence[float]:
    length = math.hypot(*vector)
    if not 0.0 < length < math.inf:
        raise EmbeddingFailed("a text became a vector without a direction, which has no cosine")
    return [number / length for number in vector]


def _compare(tables: ClaimTables, question: str, written: Sequence[WrittenQuestion]) -> tuple[WrittenQuestion, ...]:
    """The written questions with their cosines; blank ones have none."""
    usable = [one.text for one in written if _says_something(one.text)]
    if not usable or not _says_something(question):
        what = "the question is blank" if usable else f"none of {len(written)} written questions can be used"
        raise EmbeddingFailed(f"{what}: there is nothing to compare")
    asked, *others = tables.embed([question, *usable])
    found = iter(others)
    return tuple(
        one.model_copy(update={"cosine": cosine(asked, next(found))}) if _says_something(one.text) else one
        for one in written
    )


def _says_something(text: str) -> bool:
    return any(map(str.isalnum, text))


def _in_words(one: WrittenQuestion) -> str:
    parts = [f"“{one.text}”" if one.text else "a blank question"]
    parts += [f"cosine {one.cosine:.4g}"] if one.cosine is not None else []
    parts += ["evasive"] if one.evasive else []
    return ", ".join(parts)


ANSWER_RELEVANCE = JudgedFamily(
    "answer_relevance",
    "generation",
    "mean cosine between the question and {questions} questions written from the answer alone, within [0, 1]",
    "Es et al. 2023 (RAGAS)",
    answer_relevance,
    needs=("answer",),
    conventions="more than half of them evasive = 0; a refusal = 0; blank ones left out; embeddings of {embedding}",
    prompts=(SPLIT_CLAIMS, WRITE_QUESTIONS),
    options={"questions": Option("3", low=1, high=20, whole=True)},
)
