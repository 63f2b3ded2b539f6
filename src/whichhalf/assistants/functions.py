"""The assistant as a Python function of the user: `module:function`, called from several threads at once."""

import asyncio
import inspect
import json
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from difflib import get_close_matches
from functools import reduce
from importlib import import_module
from pathlib import Path
from typing import Any

from whichhalf.assistants.contract import read_reply, request_body
from whichhalf.assistants.seam import AssistantIdentity, AssistantReply, AssistantRequest
from whichhalf.errors import AssistantFailed, Fault, InputError

_FIELD = "[assistant] callable"


class FunctionAssistant:
    """Calls `function(request)`, where both request and reply are as in contract.py. The function may be `async`."""

    takes_passages = True

    def __init__(self, name: str, function: Callable[[Any], Any]) -> None:
        self.identity = AssistantIdentity("callable", name)
        self._function = function
        self._loop = _Loop()

    def reply(self, request: AssistantRequest) -> AssistantReply:
        """Raises AssistantFailed, also for whatever the function raises."""
        started = time.monotonic()
        returned = self._call(request)
        seconds = time.monotonic() - started
        try:
            text = json.dumps(returned, ensure_ascii=False, allow_nan=False)
        except (TypeError, ValueError, RecursionError) as error:
            message = f"{self.identity.name} returned {type(returned).__name__}, which is not JSON: {error}"
            raise AssistantFailed(message, reason="reply_unreadable") from None
        return replace(read_reply(text, request), latency_seconds=seconds)

    def close(self) -> None:
        self._loop.close()

    def _call(self, request: AssistantRequest) -> object:
        try:
            returned = self._function(request_body(request))
            return self._loop.run(returned) if inspect.isawaitable(returned) else returned
        except (Exception, SystemExit) as error:
            message = f"{self.identity.name} raised {type(error).__name__}: {error}"[:1000]
            raise AssistantFailed(message, reason="exception") from error


def load_function(name: str, folder: Path) -> FunctionAssistant:
    """Import `module:function`; `folder` is looked up after the places Python knows.

    Raises InputError when there is no such function, or it cannot be called with one argument.
    """
    module_name, _, path = name.partition(":")
    place = str(folder.resolve())
    if place not in sys.path:
        sys.path.append(place)  # at the end, so that no file beside a config takes the place of a library
    try:
        module = import_module(module_name)
        function = reduce(getattr, path.split("."), module)
    except AttributeError:
        near = get_close_matches(path, dir(module), n=1)
        message = f"{module_name} has no {path}" + (f"; did you mean {near[0]}?" if near else "")
        raise InputError(Fault(message, field=_FIELD)) from None
    except (Exception, SystemExit) as error:
        message = f"{module_name} cannot be imported, also from {folder}: {type(error).__name__}: {error}"
        raise InputError(Fault(message, field=_FIELD)) from error
    if not callable(function) or not _takes_one(function):
        raise InputError(Fault(f"{name} must be a function of one argument, the request", field=_FIELD))
    return FunctionAssistant(name, function)


def _takes_one(function: Callable[..., object]) -> bool:
    try:
        inspect.signature(function).bind({})
    except TypeError:
        return False
    except ValueError:  # built into Python: it has no signature to look at
        return True
    return True


class _Loop:
    """One event loop for all threads, so that clients an async function keeps between calls stay usable."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._guard = threading.Lock()

    def run(self, awaitable: Awaitable[object]) -> object:
        async def wait() -> object:
            return await awaitable

        return asyncio.run_coroutine_threadsafe(wait(), self._running()).result()

    def close(self) -> None:
        loop = self._loop
        if loop is not None:
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join()
            loop.close()
            self._loop = None

    def _running(self) -> asyncio.AbstractEventLoop:
        with self._guard:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
                self._thread.start()
            return self._loop
