"""A run with lost rows, and the same command again: only what is missing is asked, and the new run is whole."""

import json
from pathlib import Path
from typing import Any

from judge_server import JudgeServer, Received, Response, refusal
from kill_runs import HEADLINE, write_config, write_rows
from small_runs import command

CASES = 12
LOST = (2, 5, 7)


def refuse_three(request: Received) -> Response | None:
    """No verdicts on three answers: each has a statement that no passage and no reference has."""
    asks_for_verdicts = "verdicts" in str(request.body.get("response_format"))
    text = str(request.body.get("messages"))
    return refusal("No.") if asks_for_verdicts and any(f"Rule {one}-2 holds" in text for one in LOST) else None


def written(folder: Path) -> list[Path]:
    return sorted((folder / "runs").iterdir(), key=lambda one: one.stat().st_mtime_ns)


def outcomes(run: Path) -> dict[str, dict[str, Any]]:
    rows = map(json.loads, (run / "cases.jsonl").read_text(encoding="utf-8").splitlines())
    return {row["case"]["question"]["id"]: row["outcomes"] for row in rows}


def test_bug_155_the_same_command_asks_for_the_three_lost_ones_and_merges(tmp_path: Path) -> None:
    """What a changed row or prompt asks has other keys: nothing old is merged with it, and each run has its folder."""
    write_rows(tmp_path, CASES)
    with JudgeServer(plan=refuse_three) as server:
        config = write_config(tmp_path, server, concurrency=4)
        assert command("run", config, "--quiet").code == 3
        first = outcomes(written(tmp_path)[-1])
        lost = {name for name, row in first.items() if row["faithfulness"]["kind"] == "failed"}
        assert lost == {"q002", "q005", "q007"}

        server.plan, before = None, len(server.requests)
        assert command("run", config, "--quiet").code == 0
        assert len(server.requests) - before == 3
        second = outcomes(written(tmp_path)[-1])
        assert {row[name]["kind"] for row in second.values() for name in HEADLINE} == {"scored"}
        assert {name: row for name, row in second.items() if name not in lost} == {
            name: row for name, row in first.items() if name not in lost
        }
        before = len(server.requests)
        assert command("run", config, "--quiet").code == 0
        assert len(server.requests) == before, "nothing is missing any more"

        outputs = (tmp_path / "outputs.jsonl").read_text(encoding="utf-8")
        changed = outputs.replace('"answer": "Rule 2-0 holds. Rule 2-1 holds.', '"answer": "Rule 2-0 holds.')
        assert changed != outputs
        (tmp_path / "outputs.jsonl").write_text(changed, encoding="utf-8")
        assert command("run", config, "--quiet").code == 0
        # claims of the answer, their verdicts, and the questions written from it; the reference is as it was
        assert len(server.requests) - before == 3
    folders = written(tmp_path)
    assert len(folders) == 4
    data = [json.loads((one / "manifest.json").read_text(encoding="utf-8"))["data"]["outputs"] for one in folders]
    assert data[0] == data[1] == data[2] != data[3]
