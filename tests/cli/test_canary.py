"""whichhalf canary freeze: what it says of the file it made."""

import json
from pathlib import Path
from typing import Any


def test_the_counts_as_json(call: Any, run_folder: Path, demo_config: Any, tmp_path: Path) -> None:
    anchors = tmp_path / "canary.jsonl"
    arguments = ("canary", "freeze", run_folder, anchors, "-c", demo_config(), "--size", "20", "--checks", "1")
    done = call(*arguments, "--json")
    assert (done.code, done.err) == (0, "")
    facts = json.loads(done.out)
    rows = [json.loads(line) for line in anchors.read_text(encoding="utf-8").splitlines()]
    # recorded replies are always the same: every verdict holds
    assert facts == {
        "anchors": str(anchors),
        "claims": sum(len(row["claims"]) for row in rows),
        "answers": len(rows),
        "left_out": 0,
    }
    assert facts["claims"] >= 20
