"""Make the assistant that a config names, and give back what it holds."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

from whichhalf.assistants.endpoint import HttpAssistant
from whichhalf.assistants.functions import load_function
from whichhalf.assistants.prompted_model import ANSWER, ModelAssistant
from whichhalf.assistants.seam import Assistant
from whichhalf.assistants.settings import AssistantSettings
from whichhalf.errors import InputError
from whichhalf.judging.recorded_replies import read_recorded
from whichhalf.judging.reply_store import ReplyStore
from whichhalf.judging.stack import build_judge
from whichhalf.prompting.prompt_folder import PromptSet

BASELINE_NOTICE = (
    "The offline assistant is an extractive baseline, no model: it copies the sentences that share most words with "
    "the question."
)


@contextmanager
def open_assistant(
    settings: AssistantSettings, prompts: PromptSet, store: ReplyStore | None = None, *, replay_only: bool = False
) -> Iterator[Assistant]:
    """Raises InputError when there is no assistant, or its key or function is missing. Nothing is asked.

    What a function of the user prints goes to stderr: stdout is for results.
    """
    with redirect_stdout(sys.stderr):
        assistant = _build(settings, prompts, store, replay_only)
        try:
            yield assistant
        finally:
            assistant.close()


def _build(settings: AssistantSettings, prompts: PromptSet, store: ReplyStore | None, replay_only: bool) -> Assistant:
    if settings.callable is not None:
        return load_function(settings.callable, settings.folder)
    if settings.url is not None:
        return HttpAssistant(settings)
    if settings.model is None:
        raise InputError("no assistant is set: write an [assistant] table with callable, url or model")
    recorded = read_recorded(settings.replies) if settings.replies else None
    judge = build_judge(settings.as_judge, store=store, recorded=recorded, replay_only=replay_only, who="the assistant")
    return ModelAssistant(judge, prompts[ANSWER])
