"""Whom a program and the processes it begins speak to, and whose addresses they look up."""

import json
import os
from pathlib import Path
from typing import Any

_WATCH = """
import json, os, sys

def note(event, arguments):
    if event not in ("socket.connect", "socket.getaddrinfo"):
        return
    told = arguments[1] if event == "socket.connect" else arguments[0]
    with open(os.environ["WATCHED"], "a", encoding="utf-8") as file:
        file.write(json.dumps([event, told]) + "\\n")
    if (told[0] if isinstance(told, tuple) else told) not in ("127.0.0.1", "localhost"):
        raise OSError(f"spoke to {told}")

sys.addaudithook(note)
"""


def watching(folder: Path) -> dict[str, str]:
    """The environment to run it in; `folder` is for notes. Speaking to another machine fails."""
    (folder / "sitecustomize.py").write_text(_WATCH, encoding="utf-8")
    (folder / "watched.jsonl").touch()
    return {**os.environ, "PYTHONPATH": os.fspath(folder), "WATCHED": os.fspath(folder / "watched.jsonl")}


def spoken_to(folder: Path) -> set[tuple[str, int]]:
    """Host and port of every connection that was begun."""
    return {(address[0], address[1]) for event, address in _noted(folder) if event == "socket.connect"}


def looked_up(folder: Path) -> set[str]:
    """Every name whose address was asked for."""
    return {name for event, name in _noted(folder) if event == "socket.getaddrinfo"}


def _noted(folder: Path) -> list[Any]:
    return [json.loads(line) for line in (folder / "watched.jsonl").read_text(encoding="utf-8").splitlines()]
