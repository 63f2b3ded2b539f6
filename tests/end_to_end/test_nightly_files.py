"""The files that docs/nightly.md offers: the config runs on the fixtures, and the workflow is one that GitHub takes."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from whichhalf.jobs.nightly import run_night
from whichhalf.running.config import read_config

ROOT = Path(__file__).parents[2]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for folder in ("configs", "fixtures"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    return tmp_path


def test_the_config_gives_a_green_night_and_an_unchanged_one_asks_nothing(tree: Path) -> None:
    config = read_config(tree / "configs" / "nightly.toml")
    first, second = run_night(config, "nightly"), run_night(config, "nightly")
    assert (first.night.verdict, second.night.verdict) == ("green", "green")
    assert second.finished.run.cost.judge_calls == 0
    assert second.night.baseline == first.finished.folder.name
    canary = second.night.canary
    assert canary is not None
    assert (canary.judged, canary.flipped, canary.moved) == (61, (), False)


@pytest.mark.parametrize("path", sorted((ROOT / "configs" / "ci").glob("*.yml")), ids=lambda path: path.name)
def test_workflows_follow_the_schema(path: Path) -> None:
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(path)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_workflow_check_can_fail(tmp_path: Path) -> None:
    path = tmp_path / "broken.yml"
    path.write_text("on: push\njobs: {one: {steps: 3}}\n", encoding="utf-8")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows", str(path)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
