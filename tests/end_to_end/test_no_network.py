"""Nobody is spoken to but the judge, and importing the package changes nothing (bug-144, 230, 231, 232)."""

import os
import subprocess
import sys
from pathlib import Path

from judge_server import JudgeServer

ROOT = Path(__file__).parents[2]
GUARD = """
import socket, sys
spoken_to = []
connect = socket.socket.connect
def guarded(self, address):
    spoken_to.append(address[0] if isinstance(address, tuple) else address)
    return connect(self, address)
socket.socket.connect = guarded
def no_names(host, *rest, **more):
    if host not in ("127.0.0.1", "localhost"):
        raise OSError(f"asked for the address of {host}")
    return found(host, *rest, **more)
found, socket.getaddrinfo = socket.getaddrinfo, no_names
"""


def python(code: str, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", GUARD + code, *arguments]
    return subprocess.run(
        command, env={**os.environ, **variables}, capture_output=True, encoding="utf-8", check=False, cwd=ROOT
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
        code = (
            "sys.argv = ['whichhalf', 'run', sys.argv[1], '--quiet', '--limit', '5']\n"
            "from whichhalf.cli import main\n"
            "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code, end.code\n"
            "print(sorted(set(spoken_to)))\n"
        )
        done = python(code, str(config), JUDGE_KEY="k")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "['127.0.0.1']"


def test_importing_speaks_to_nobody_and_leaves_event_loops_alone() -> None:
    code = (
        "import asyncio\nbefore = asyncio.get_event_loop_policy()\n"
        "import whichhalf\nfrom whichhalf import evaluate, compare\n"
        "assert asyncio.get_event_loop_policy() is before\n"
        "heavy = {'openai', 'litellm', 'scipy', 'polars', 'pandas'} & set(sys.modules)\n"
        "print(spoken_to, sorted(heavy))\n"
    )
    done = python(code)
    assert (done.returncode, done.stdout.strip()) == (0, "[] []"), done.stderr
