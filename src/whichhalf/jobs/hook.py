"""Tell someone of a night that is not green: a command, or a webhook."""

import json
import os
import shlex
import subprocess
from pathlib import Path

from whichhalf.running.night import Night

_SECONDS = 60


def call_hook(hook: str, night: Night, folder: Path) -> str | None:
    """Run the command with the night as JSON on stdin, or POST it to the address.

    Returns what went wrong in one sentence, None when nothing did: a hook that fails must not change a verdict. The
    command is split like a shell would split it, but no shell reads it; nothing from the run becomes part of it.
    """
    facts = {"verdict": night.verdict, "headline": night.headline, "text": night.headline, "job": night.job}
    body = json.dumps({**facts, "run": str(folder), "gates": [one.model_dump() for one in night.gates]})
    if hook.startswith(("http://", "https://")):
        return _posted(hook, body)
    environment = {**os.environ, "WHICHHALF_VERDICT": night.verdict, "WHICHHALF_RUN": str(folder)}
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
