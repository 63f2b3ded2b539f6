"""Every command explains itself, and stays quick while it does."""

import subprocess
import sys
from typing import Any

import pytest

COMMANDS = [
    "init",
    "run",
    "answer",
    "triage",
    "nightly",
    "report",
    "compare",
    "retrieval",
    "metrics",
    "validate",
    "prompts list",
    "prompts show",
    "prompts check",
    "prompts compare",
    "cache stats",
    "cache verify",
    "cache forget",
    "cache export",
    "cache import",
    "golden freeze",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(call: Any, command: str) -> None:
    done = call(*command.split(), "--help")
    assert (done.code, done.err) == (0, "")
    lines = [line.strip() for line in done.out.splitlines()]
    assert f"Usage: whichhalf {command}" in done.out
    at = next(number for number, line in enumerate(lines) if line in {"Example:", "Examples:"})
    assert any(line.startswith(f"whichhalf {command}") for line in lines[at:])


def test_the_overview_names_every_command_and_the_exit_codes(call: Any) -> None:
    done = call("--help")
    assert done.code == 0
    for command in {command.split()[0] for command in COMMANDS}:
        assert f" {command} " in done.out
    assert "0 fine · 1 a gate failed · 2 bad usage or input, nothing was spent · 3 incomplete" in done.out


USAGE = {
    "an unknown command": (["rnu"], "rnu"),
    "an unknown option": (["run", "a.toml", "--colour"], "--colour"),
    "a missing argument": (["run"], "config"),
    "a limit of nothing": (["run", "a.toml", "--limit", "0"], "--limit"),
    "a rule that does not exist": (["triage", "run", "--flags", "f.csv", "--rule", "mine"], "textbook"),
}


@pytest.mark.parametrize(("arguments", "word"), USAGE.values(), ids=USAGE.keys())
def test_bad_usage_is_exit_code_2(call: Any, arguments: list[str], word: str) -> None:
    done = call(*arguments)
    assert (done.code, done.out) == (2, "")
    assert word in done.err


def test_help_loads_neither_the_judges_nor_their_libraries() -> None:
    code = (
        "import sys; from whichhalf.cli import main; sys.argv = ['whichhalf', '--help']\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print([one for one in ('openai', 'litellm', 'pydantic', 'diskcache') if one in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8")
    assert done.stderr.strip() == "[]"
