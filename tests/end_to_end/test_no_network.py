"""Nobody is spoken to but the judge, and importing the package changes nothing (bug-144, 230, 231, 232)."""

import subprocess
import sys
from pathlib import Path

from judge_server import JudgeServer
from watched_network import looked_up, spoken_to, watching

ROOT = Path(__file__).parents[2]


def python(code: str, folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A program that may speak to this machine alone."""
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**watching(folder), **variables},
        capture_output=True,
        encoding="utf-8",
        check=False,
        cwd=ROOT,
    )


def test_a_run_speaks_to_the_judge_alone(tmp_path: Path) -> None:
    fixture = ROOT / "fixtures" / "tax_assistant"
    with JudgeServer() as server:
        config = tmp_path / "run.toml"
        config.write_text(
            f"[data]\ngolden = {str(fixture / 'golden.jsonl')!r}\noutputs = {str(fixture / 'outputs.jsonl')!r}\n"
            f"corpus = {str(fixture / 'corpus.jsonl')!r}\n[metrics]\njudged = ['faithfulness', 'answer_relevance']\n"
            f"[judge]\nmodel = 'openai/judge-a'\nbase_url = '{server.base_url}'\napi_key_env = 'JUDGE_KEY'\n"
            f"[run]\nout = {str(tmp_path / 'runs')!r}\ncache = {str(tmp_path / 'cache')!r}\n",
            encoding="utf-8",
        )
        code = "from whichhalf.cli import main; main()"
        done = python(code, tmp_path, "run", str(config), "--quiet", "--limit", "5", JUDGE_KEY="k")
    assert done.returncode == 0, done.stderr
    assert {host for host, _ in spoken_to(tmp_path)} == {"127.0.0.1"}
    assert looked_up(tmp_path) <= {"127.0.0.1"}


def test_importing_speaks_to_nobody_and_leaves_event_loops_alone(tmp_path: Path) -> None:
    code = (
        "import asyncio, sys\nbefore = asyncio.get_event_loop_policy()\n"
        "import whichhalf\nfrom whichhalf import evaluate, compare\n"
        "assert asyncio.get_event_loop_policy() is before\n"
        "heavy = {'openai', 'litellm', 'scipy', 'polars', 'pandas'} & set(sys.modules)\n"
        "print(sorted(heavy))\n"
    )
    done = python(code, tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
    assert (spoken_to(tmp_path), looked_up(tmp_path)) == (set(), set())
