"""Fifty runs killed with signal 9 at drawn points, and what it took to resume them.

PYTHONPATH=tests python benchmarks/kill_test.py [POINTS] [SEED]
"""

import sys
import tempfile
from pathlib import Path
from random import Random

from judge_server import JudgeServer
from kill_runs import CONCURRENCY, KillRuns


def main(points: int = 50, seed: int = 1) -> None:
    with tempfile.TemporaryDirectory() as folder:
        runs = KillRuns(Path(folder), seed)
        with JudgeServer(plan=runs.plan) as server:
            whole, calls = runs.undisturbed(server)
            drawn = Random(seed).choices(range(calls), k=points)
            kills = [runs.kill_and_resume(server, point, whole) for point in drawn]
    print(f"an undisturbed run takes {calls} calls, at most {CONCURRENCY} at once")
    print(f"killed {sum(one.was_killed for one in kills)} of {points} runs (the others had ended)")
    print(f"kept replies asked again: {sum(one.sent_again - (calls - one.kept) for one in kills)}")
    most = max(one.repeats for one in kills)
    print(f"calls made again: {sum(one.repeats for one in kills)}, at most {most} after a kill")
    print(f"cases.jsonl and summary.json differ after {sum(not one.same_files for one in kills)} kills")
    print(f"ledgers differ after {sum(not one.same_ledger for one in kills)} kills")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
