"""Questions for the tests of this folder."""

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from whichhalf.judged.claims import SplitReply
from whichhalf.judging.seam import JudgeQuestion
from whichhalf.prompting.prompt_folder import load_prompt
from whichhalf.prompting.rendered import Message, RenderedPrompt

AskAbout = Callable[..., JudgeQuestion[Any]]


class Note(BaseModel):
    """The smallest reply: a word."""

    word: str


@pytest.fixture
def ask_about() -> AskAbout:
    """A question about a text, answered by JSON such as {"word": "x"}."""

    def build(
        text: str = "a text", *, repeat: int = 0, enlarged: bool = False, version: str = "v1", system: str = "Name it."
    ) -> JudgeQuestion[Any]:
        prompt = RenderedPrompt("name_it", version, "0" * 64, (Message("system", system), Message("user", text)))
        return JudgeQuestion(prompt, {"text": text}, Note, repeat, enlarged)

    return build


@pytest.fixture
def split_question() -> AskAbout:
    """The released prompt split_claims about an answer."""

    def build(answer: str = "It opens at 9. It closes at 18.", *, repeat: int = 0) -> JudgeQuestion[SplitReply]:
        variables = {"question": "When is the shop open?", "answer": answer}
        return JudgeQuestion(load_prompt("split_claims").render(variables), variables, SplitReply, repeat)

    return build
