"""The SDK is begun early only where it is asked for certain; what is odd about a config is left to its reader."""

from pathlib import Path

import pytest

from whichhalf.running import early_start
from whichhalf.running.early_start import begin_early

PAID = "[judge]\nmodel = 'openai/judge-a'\n[metrics]\njudged = ['faithfulness']\n"


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models whose SDK was begun."""
    models: list[str] = []
    monkeypatch.setattr(early_start, "begin_to_load", models.append)
    return models


def write(folder: Path, text: str) -> Path:
    config = folder / "run.toml"
    config.write_text(text, encoding="utf-8")
    return config


def test_a_first_run_with_a_judge_that_costs_begins_it(tmp_path: Path, begun: list[str]) -> None:
    begin_early(write(tmp_path, PAID))
    begin_early(write(tmp_path, PAID), "mistral/judge-b")
    assert begun == ["openai/judge-a", "mistral/judge-b"]


@pytest.mark.parametrize("where", ["", "[run]\ncache = 'kept'\n"], ids=["usual", "named"])
def test_kept_replies_may_be_all_that_is_needed(where: str, tmp_path: Path, begun: list[str]) -> None:
    (tmp_path / ("kept" if where else ".whichhalf-cache")).mkdir()
    begin_early(write(tmp_path, PAID + where))
    assert begun == []


@pytest.mark.parametrize(
    "text",
    [
        PAID.replace("openai/judge-a", "offline"),
        PAID.replace("openai/judge-a", "recorded/demo"),
        PAID.replace("['faithfulness']", "[]"),
        "[metrics]\njudged = ['faithfulness']\n",
        "[judge]\nmodel = 'openai/judge-a'\n[metrics]\nretrieval = ['recall@3']\n",
        PAID.replace("'openai/judge-a'", "5"),
        "judge = 5\nmetrics = []",
        "run = 5\n" + PAID,
        PAID + "[run]\ncache = 5\n",
        "no toml",
        "\ud800".encode("utf-16", "surrogatepass").decode("latin-1"),
    ],
    ids=range(11),
)
def test_anything_else_begins_nothing_and_is_no_error(text: str, tmp_path: Path, begun: list[str]) -> None:
    begin_early(write(tmp_path, text))
    begin_early(tmp_path / "nowhere.toml")
    begin_early(tmp_path)
    assert begun == []
