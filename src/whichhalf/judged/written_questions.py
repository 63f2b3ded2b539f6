"""Have the judge write the questions that an answer replies to, without showing it the real one."""

from typing import Any

from pydantic import BaseModel, JsonValue, field_validator

from whichhalf.core.outcome import WrittenQuestion
from whichhalf.judging.seam import Judge, JudgeQuestion
from whichhalf.prompting.prompt_folder import PromptSet

WRITE_QUESTIONS = "write_questions"


class _Question(BaseModel):
    question: str
    evasive: bool

    @field_validator("question", mode="before")
    @classmethod
    def _none_is_blank(cls, value: Any) -> Any:
        return "" if value is None else value


class QuestionsReply(BaseModel):
    """What write_questions asks for."""

    questions: list[_Question]


def write_questions(
    judge: Judge, prompts: PromptSet, answer: str, count: int, repeat: int = 0
) -> tuple[WrittenQuestion, ...]:
    """At most `count` questions, in the judge's order; some may be blank. Raises JudgeError."""
    variables: dict[str, JsonValue] = {"answer": answer, "count": count}
    prompt = prompts[WRITE_QUESTIONS].render(variables)
    reply = judge.ask(JudgeQuestion(prompt, variables, QuestionsReply, repeat)).value
    return tuple(
        WrittenQuestion(text=" ".join(one.question.split()), evasive=one.evasive) for one in reply.questions[:count]
    )
