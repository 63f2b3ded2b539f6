"""`[assistant]`: one kind, and no key that says nothing to it."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from whichhalf.assistants.opening import open_assistant
from whichhalf.assistants.settings import AssistantSettings
from whichhalf.errors import InputError
from whichhalf.prompting.prompt_folder import PromptSet


def test_the_kind_is_the_key_that_is_there() -> None:
    assert AssistantSettings().kind is None
    assert AssistantSettings(callable="bot:ask").kind == "callable"
    assert AssistantSettings(url="http://127.0.0.1/ask").kind == "url"
    assert AssistantSettings(model="offline").kind == "model"


def test_what_was_written_can_be_read_again() -> None:
    settings = AssistantSettings(url="http://127.0.0.1/ask", request={"question": "q"}, timeout_seconds=5)
    assert AssistantSettings.model_validate(settings.model_dump(mode="json")) == settings


FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "two kinds": ({"callable": "bot:ask", "model": "offline"}, "callable and model are two assistants: keep one"),
    "no kind": ({"temperature": 0.5}, "temperature says nothing without callable, url or model"),
    "another kind's key": ({"callable": "bot:ask", "temperature": 0.5}, "temperature says nothing to a callable"),
    "a folder for a url": ({"url": "http://h/a", "folder": "x"}, "folder says nothing to a url"),
    "no colon": ({"callable": "bot.ask"}, "String should match pattern"),
    "code for a name": ({"callable": "bot:ask()"}, "String should match pattern"),
    "a password in the url": ({"url": "http://me:secret@host/ask"}, "String should match pattern"),
    "another scheme": ({"url": "file:///etc/passwd"}, "String should match pattern"),
    "a field we do not send": ({"url": "http://h/a", "request": {"query": "q"}}, "there is no field query"),
    "a field we do not read": ({"url": "http://h/a", "reply": {"text": "t"}}, "there is no field text"),
    "a header with a line end": ({"url": "http://h/a", "key_header": "X\r\nY"}, "String should match pattern"),
}


@pytest.mark.parametrize(("given", "said"), FAULTS.values(), ids=FAULTS.keys())
def test_faults(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        AssistantSettings.model_validate(given)
    assert said in str(caught.value)
    assert "secret" not in str(caught.value.errors(include_input=False))


def test_no_assistant_cannot_be_opened() -> None:
    with pytest.raises(InputError, match="no assistant is set"), open_assistant(AssistantSettings(), PromptSet()):
        pass


def test_recorded_replies_need_their_file() -> None:
    settings = AssistantSettings(model="recorded/bot")
    with (
        pytest.raises(InputError, match=r"set \[assistant\] replies"),
        open_assistant(settings, PromptSet()),
    ):
        pass
    assert settings.folder == Path()
