"""Tell someone of a night that is not green: a command, or a webhook."""

import json
import os
import shlex
import subprocess
from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from whichhalf.running.night import Night, NightWord

_SECONDS = 60


def told_of_night(night: Night, folder: Path) -> dict[str, JsonValue]:
    """What a hook is told of a night that ended."""
    gates: list[JsonValue] = [one.model_dump() for one in night.gates]
    return {**_told(night.job, night.verdict, night.headline), "run": str(folder), "gates": gates}


def told_of_breaking_off(job: str, why: str) -> dict[str, JsonValue]:
    """What a hook is told of a night that broke off: there is no run folder."""
    return {**_told(job, "incomplete", f"Incomplete: {why}"), "run": "", "gates": []}


def _told(job: str, verdict: NightWord, headline: str) -> dict[str, JsonValue]:
    return {"job": job, "verdict": verdict, "headline": headline, "text": headline}  # chats show `text`


def call_hook(hook: str, told: Mapping[str, JsonValue]) -> str | None:
    """Run the command with `told` as JSON on stdin, or POST it to the address.

    Returns what went wrong in one sentence, None when nothing did: a hook that fails must not change a verdict. The
    command is split like a shell would split it, but no shell reads it; nothing from the run becomes part of it.
    """
    body = json.dumps(told)
    if hook.startswith(("http://", "https://")):
        return _posted(hook, body)
    environment = {**os.environ, "WHICHHALF_VERDICT": str(told["verdict"]), "WHICHHALF_RUN": str(told["run"])}
    try:
        done = subprocess.run(
            shlex.split(hook),
            input=body,
            encoding="utf-8",
            env=environment,
            timeout=_SECONDS,
            check=False,
            stdout=subprocess.DEVNULL,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return f"the hook could not be run: {type(error).__name__}: {error}"
    return f"the hook ended with exit code {done.returncode}" if done.returncode else None


def _posted(address: str, body: str) -> str | None:
    import httpx2

    try:
        reply = httpx2.post(
            address,
            content=body,
            headers={"Content-Type": "application/json"},
            timeout=_SECONDS,
            follow_redirects=False,
        )
    except httpx2.HTTPError as error:
        # the address may hold a token, and so may the error's own text
        return f"the webhook could not be reached ({type(error).__name__})"
    return f"the webhook answered {reply.status_code}" if reply.status_code >= 300 else None
