"""Write a small evaluation into a folder, run the command line on it, and read what it left behind.

folder = SmallRun(tmp_path, golden, outputs, judged=["faithfulness"])
folder.write(server, concurrency=4)          # keywords are settings of the judge
assert command("run", folder.config).code == 0
outcome = folder.outcomes()["q1"]["faithfulness"]
"""

import contextlib
import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judge_server import JudgeServer
from whichhalf.cli.main import main


@dataclass(frozen=True, slots=True)
class Done:
    """What a command left on its streams."""

    code: int
    out: str
    err: str


def command(*arguments: object) -> Done:
    """`whichhalf` with these arguments, in this process."""
    before = sys.argv
    sys.argv = ["whichhalf", *map(str, arguments)]
    out, err = io.StringIO(), io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            main()
    except SystemExit as stopped:
        return Done(int(stopped.code or 0), out.getvalue(), err.getvalue())
    finally:
        sys.argv = before
    return Done(0, out.getvalue(), err.getvalue())


class SmallRun:
    """A folder with data, config, cache and run folders."""

    def __init__(
        self,
        folder: Path,
        golden: Sequence[Mapping[str, Any]],
        outputs: Sequence[Mapping[str, Any]],
        *,
        judged: Sequence[str],
        flags: Sequence[Mapping[str, Any]] = (),
        prompts: Path | None = None,
    ) -> None:
        self.folder = folder
        self.config = folder / "small.toml"
        self.flags = _written(folder / "flags.jsonl", flags)
        self._tables: dict[str, dict[str, Any]] = {
            "data": {
                "golden": str(_written(folder / "golden.jsonl", golden)),
                "outputs": str(_written(folder / "outputs.jsonl", outputs)),
            },
            "metrics": {"judged": list(judged)},
            "prompts": {"dir": str(prompts)} if prompts else {},
            "run": {"out": str(folder / "runs"), "cache": str(folder / "cache")},
        }

    def write(self, server: JudgeServer, **judge: Any) -> None:
        """The config, for this judge."""
        settings = {"model": "openai/judge-a", "base_url": server.base_url, "timeout_seconds": 20, **judge}
        lines = [
            line
            for name, table in {**self._tables, "judge": settings}.items()
            for line in (f"[{name}]", *(f"{key} = {json.dumps(value)}" for key, value in table.items()))
        ]
        self.config.write_text("\n".join(lines), encoding="utf-8")

    @property
    def run_folder(self) -> Path:
        """The only one."""
        (found,) = (self.folder / "runs").iterdir()
        return found

    def outcomes(self) -> dict[str, dict[str, Any]]:
        """Question id → metric → outcome, as cases.jsonl has them."""
        lines = (self.run_folder / "cases.jsonl").read_text(encoding="utf-8").split("\n")
        rows = [json.loads(line) for line in lines if line]
        return {row["case"]["question"]["id"]: row["outcomes"] for row in rows}


def _written(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
