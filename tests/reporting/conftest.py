"""The demo's run folder for the tests of pages."""

import shutil
from pathlib import Path

import pytest

from whichhalf.jobs.evaluation import run_evaluation
from whichhalf.running.config import read_config

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def whole_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of configs/demo.toml. Shared: copy it before changing it."""
    config = read_config(ROOT / "configs" / "demo.toml")
    folder = tmp_path_factory.mktemp("demo")
    settings = config.run.model_copy(update={"out": folder / "runs", "cache": folder / "cache"})
    return run_evaluation(config.model_copy(update={"run": settings}), "demo").folder


@pytest.fixture
def demo_run(whole_demo: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return shutil.copytree(whole_demo, tmp_path / "run")
