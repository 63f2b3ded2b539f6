"""Nights made by hand, in folders as the nightly job leaves them."""

from pathlib import Path

from scored_runs import scored_run
from whichhalf.running.gate import GateVerdict
from whichhalf.running.history import History
from whichhalf.running.night import NIGHT_FILE, CanaryResult, Night
from whichhalf.running.run_folder import write_record, write_run

HOSTILE = "<script>alert(1)</script> | @everyone https://evil.example `x` **b** {{ 7*7 }} \u202e"


def a_night(sentence: str = "s", *, baseline: str = "no green night yet", moved: bool = False) -> Night:
    canary = CanaryResult(
        anchors_sha256="a",
        judged=10,
        flipped=(f"{sentence} #1",),
        failed=0,
        models_returned=(sentence,),
        statistic=4.75,
        limit=4.75,
        moved=moved,
        sentence=sentence,
    )
    gates = (GateVerdict(gate=f"recall@5 {sentence}", verdict="failed", sentence=sentence),)
    return Night(
        job="nightly", verdict="red", headline=f"Red: {sentence}", gates=gates, baseline=baseline, canary=canary,
        seconds=1.0,
    )  # fmt: skip


def write_night(runs: Path, name: str, night: Night, mean: float, created: str) -> Path:
    folder = runs / name
    write_run(scored_run({"faithfulness": [mean, mean, mean, mean]}, created=created), folder)
    write_record(folder / NIGHT_FILE, night)
    History(runs).sync()
    return folder
