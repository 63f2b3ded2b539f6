"""The assistant as a function: found by name, called from threads, and blamed for what it raises."""

import asyncio
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from whichhalf.assistants.functions import FunctionAssistant, load_function
from whichhalf.assistants.seam import AssistantRequest
from whichhalf.core.case import Passage
from whichhalf.errors import AssistantFailed, InputError

REQUEST = AssistantRequest("q1", "When?")


@pytest.fixture
def module(tmp_path: Path) -> Iterator[Path]:
    """A folder with a module of the user's; gone from Python's memory afterwards."""
    path = list(sys.path)
    text = (
        "def ask(request):\n    return 'You asked ' + request['question']\n"
        "def none():\n    return 'x'\n"
        "number = 5\n"
        "class Bot:\n    def ask(self, request):\n        return {'answer': 'from a method'}\n"
        "bot = Bot()\n"
    )
    (tmp_path / "my_own_bot.py").write_text(text, encoding="utf-8")
    (tmp_path / "my_broken_bot.py").write_text("raise RuntimeError('no index')", encoding="utf-8")
    yield tmp_path
    sys.path[:] = path
    for name in ("my_own_bot", "my_broken_bot"):
        sys.modules.pop(name, None)


def test_a_function_is_found_in_the_folder(module: Path) -> None:
    assistant = load_function("my_own_bot:ask", module)
    reply = assistant.reply(REQUEST)
    assert reply.answer == "You asked When?"
    assert reply.latency_seconds is not None
    assert (assistant.identity.kind, assistant.identity.name) == ("callable", "my_own_bot:ask")
    assert load_function("my_own_bot:bot.ask", module).reply(REQUEST).answer == "from a method"


MISSING = {
    "no module": ("my_own_bto:ask", "my_own_bto cannot be imported"),
    "no function": ("my_own_bot:akk", "my_own_bot has no akk; did you mean ask?"),
    "no argument": ("my_own_bot:none", "must be a function of one argument, the request"),
    "no function at all": ("my_own_bot:number", "must be a function of one argument, the request"),
    "a module that fails": ("my_broken_bot:ask", "cannot be imported, also from"),
}


@pytest.mark.parametrize(("name", "said"), MISSING.values(), ids=MISSING.keys())
def test_what_cannot_be_called_is_an_input_error(module: Path, name: str, said: str) -> None:
    with pytest.raises(InputError, match="callable") as caught:
        load_function(name, module)
    assert said in str(caught.value)


def test_the_folder_never_takes_the_place_of_a_library(module: Path) -> None:
    (module / "json.py").write_text("raise RuntimeError('planted')", encoding="utf-8")
    load_function("my_own_bot:ask", module)
    assert sys.path[-1] == str(module)


def exits(_: object) -> str:
    raise SystemExit(7)


def breaks(_: object) -> str:
    raise ValueError("no luck")


@pytest.mark.parametrize(
    ("function", "said"), [(breaks, "raised ValueError: no luck"), (exits, "raised SystemExit: 7")]
)
def test_what_it_raises_is_a_failure(function: Any, said: str) -> None:
    with pytest.raises(AssistantFailed, match=said) as caught:
        FunctionAssistant("bot:ask", function).reply(REQUEST)
    assert caught.value.reason == "exception"


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (None, "neither text nor a map with an answer, but null"),
        (5, "but 5"),
        (object(), "bot:ask returned object, which is not JSON"),
        ({"answer": "x", "cost_usd": float("nan")}, "which is not JSON"),
        ({"answer": {"a", "set"}}, "which is not JSON"),
    ],
)
def test_what_it_returns_must_be_text_or_a_map(returned: object, said: str) -> None:
    with pytest.raises(AssistantFailed) as caught:
        FunctionAssistant("bot:ask", lambda _: returned).reply(REQUEST)
    assert caught.value.reason == "reply_unreadable"
    assert said in str(caught.value)


def test_it_is_given_passages() -> None:
    seen: list[Any] = []

    def ask(request: Any) -> dict[str, Any]:
        seen.append(request)
        return {"answer": request["passages"][0]["text"], "context": tuple(one["id"] for one in request["passages"])}

    request = AssistantRequest("q1", "When?", passages=(Passage(id="c1", text="At 9."),))
    assert FunctionAssistant("bot:ask", ask).reply(request).answer == "At 9."
    assert seen == [{"id": "q1", "question": "When?", "history": [], "passages": [{"id": "c1", "text": "At 9."}]}]


def test_an_async_function_keeps_one_loop_for_all_threads() -> None:
    """bug-143, bug-145: also when the caller has a running loop of its own."""
    loops: set[int] = set()

    async def ask(request: Any) -> str:
        await asyncio.sleep(0)
        loops.add(id(asyncio.get_running_loop()))
        return str(request["id"])

    assistant = FunctionAssistant("bot:ask", ask)

    async def caller() -> list[str]:
        with ThreadPoolExecutor(4) as pool:
            requests = [AssistantRequest(f"q{number}", "?") for number in range(20)]
            return [reply.answer for reply in pool.map(assistant.reply, requests)]

    try:
        assert asyncio.run(caller()) == [f"q{number}" for number in range(20)]
        assert assistant.reply(REQUEST).answer == "q1"
        assert len(loops) == 1
    finally:
        assistant.close()
