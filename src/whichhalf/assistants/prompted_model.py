"""The assistant as a model with a versioned answer prompt, asked through the same cached client as the judge."""

from pydantic import JsonValue

from whichhalf.assistants.seam import AssistantIdentity, AssistantReply, AssistantRequest
from whichhalf.errors import AssistantFailed, JudgeError
from whichhalf.judging.seam import FreeText, Judge, JudgeQuestion
from whichhalf.prompting.prompt import Prompt

ANSWER = "answer"
"""Name of the prompt."""


class ModelAssistant:
    """Answers from the passages it is given; it has no search of its own."""

    takes_passages = True

    def __init__(self, judge: Judge, prompt: Prompt) -> None:
        self._judge = judge
        self._prompt = prompt
        asked = judge.identity
        settings: dict[str, JsonValue] = {
            "endpoint": asked.endpoint,
            "sampling": dict(asked.sampling),
            "prompt": f"{prompt.name}/{prompt.version}",
            "prompt_sha256": prompt.sha256,
        }
        self.identity = AssistantIdentity("model", asked.model, settings, asked.is_baseline)

    def question(self, request: AssistantRequest) -> JudgeQuestion[FreeText]:
        """What would be asked. Raises AssistantFailed when there are no passages to answer from."""
        if request.passages is None:
            raise AssistantFailed("there are no passages to answer from", reason="no_passages")
        variables: dict[str, JsonValue] = {
            "question": request.question,
            "passages": [
                {"number": number, "text": passage.text or ""}
                for number, passage in enumerate(request.passages, start=1)
            ],
            "history": [{"role": turn.role, "content": turn.content} for turn in request.history],
        }
        return JudgeQuestion(self._prompt.render(variables), variables, FreeText)

    def reply(self, request: AssistantRequest) -> AssistantReply:
        """Raises AssistantFailed for this question, JudgeUnusable when no call can succeed."""
        question = self.question(request)
        try:
            got = self._judge.ask(question)
        except JudgeError as error:
            raise AssistantFailed.from_call(error) from error
        return AssistantReply(
            got.value.text,
            context=request.passages,
            prompt=f"{self._prompt.name}/{self._prompt.version}",
            model=got.model,
            usage=got.usage,
            cost_usd=got.cost_usd,
            from_cache=got.from_cache,
            attempts=got.attempts,
            latency_seconds=None if got.from_cache else got.latency_seconds,
        )

    def close(self) -> None:
        """Holds nothing."""
