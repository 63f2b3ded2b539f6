"""The documents tell the truth: every command in them runs, and the demo prints what the README shows."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
COMMAND = re.compile(r"`(whichhalf [^`]+)`")
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}(_[A-Z])?\b")


def block_after(mark: str, text: str) -> str:
    match = re.search(rf"<!-- {mark} -->\n```\w*\n(.*?)\n```", text, re.DOTALL)
    assert match is not None, f"README has no block marked {mark!r}"
    return match[1]


def inline_commands() -> list[str]:
    found = dict.fromkeys(
        command for path in DOCUMENTS for command in COMMAND.findall(path.read_text(encoding="utf-8"))
    )
    return [command for command in found if not PLACEHOLDER.search(command)]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for folder in ("configs", "fixtures"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    scripts = Path(sys.executable).parent
    environment = {**os.environ, "PATH": f"{scripts}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
    return subprocess.run(
        command, shell=True, cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )


def test_the_documents_name_commands() -> None:
    assert len(inline_commands()) >= 8


@pytest.mark.parametrize("command", inline_commands())
def test_every_command_runs(command: str, tree: Path) -> None:
    done = shell(command, tree)
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_the_demo_prints_what_the_readme_shows(tree: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    command = block_after("demo", readme).rpartition("&& ")[2].removeprefix(".venv/bin/")
    done = shell(command, tree)
    assert done.returncode == 0, done.stderr
    printed = "\n".join(line.rstrip() for line in done.stdout.strip().splitlines())
    shown = block_after("demo output", readme)
    assert re.sub(r"demo-\d{4}-\S+", "demo-<time>", printed) == shown


def test_the_python_example_runs_and_gives_the_values_it_states(tree: Path) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    stated = re.findall(r"^(\w.*?)  # ([^;\n]+)", code, re.MULTILINE)
    assert len(stated) == 3
    checks = "".join(f"\nassert {expression} == {value.strip()}, {expression}" for expression, value in stated)
    done = subprocess.run(
        [sys.executable, "-c", code + checks], cwd=tree, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
