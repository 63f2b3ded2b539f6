"""Call the command as a shell would, and make small evaluations for it."""

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from whichhalf.cli.main import main
from whichhalf.jobs.evaluation import run_evaluation
from whichhalf.running.config import read_config

FIXTURE = Path(__file__).parents[2] / "fixtures" / "tax_assistant"


@dataclass(frozen=True, slots=True)
class Done:
    """What a command left on the terminal."""

    code: int
    out: str
    err: str


Call = Callable[..., Done]


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """call("run", path) → exit code, stdout, stderr."""
    for name in ("FORCE_COLOR", "GITHUB_ACTIONS", "PY_COLORS", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")

    def run_main(*arguments: object) -> Done:
        monkeypatch.setattr(sys, "argv", ["whichhalf", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as caught:
            main()
        printed = capsys.readouterr()
        return Done(int(caught.value.code or 0), printed.out, printed.err)

    return run_main


WriteConfig = Callable[..., Path]


@pytest.fixture
def demo_config(tmp_path: Path) -> WriteConfig:
    """Writes the demo's config with outputs into tmp_path; keys given by name, such as judge_model, are replaced."""
    return lambda **changes: write_demo(tmp_path, **changes)


def write_demo(folder: Path, **changes: Any) -> Path:
    values = {
        "data_golden": FIXTURE / "golden.jsonl",
        "data_outputs": FIXTURE / "outputs.jsonl",
        "data_corpus": FIXTURE / "corpus.jsonl",
        "metrics_retrieval": ["recall@5", "ndcg@5"],
        "metrics_judged": ["faithfulness"],
        "judge_model": "recorded/tax-expert",
        "judge_replies": FIXTURE / "replies.jsonl",
        "triage_flags": FIXTURE / "flags.csv",
        "run_out": folder / "runs",
        "run_cache": folder / "cache",
        **changes,
    }
    lines = []
    for table in ("data", "metrics", "judge", "triage", "run"):
        lines.append(f"[{table}]")
        lines += [
            f"{name.partition('_')[2]} = {value if isinstance(value, list | int | float) else repr(str(value))}"
            for name, value in values.items()
            if name.startswith(f"{table}_") and value is not None
        ]
    path = folder / "demo.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def finished_demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run folder of the demo. Shared: copy it before changing it."""
    folder = tmp_path_factory.mktemp("demo")
    return run_evaluation(read_config(write_demo(folder)), "demo").folder


@pytest.fixture
def run_folder(finished_demo: Path, tmp_path: Path) -> Path:
    """A copy of the demo's run folder."""
    return shutil.copytree(finished_demo, tmp_path / "run")
