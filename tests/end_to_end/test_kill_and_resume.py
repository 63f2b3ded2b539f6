"""kill -9 at a drawn point, then the same command: nothing that had arrived is lost, or asked again."""

from random import Random

import pytest

from judge_server import JudgeServer
from kill_runs import CONCURRENCY, Killed, KillRuns

POINTS = 4
"""benchmarks/kill_test.py does the same at 50."""


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> tuple[int, list[Killed]]:
    """How many calls an undisturbed run takes, and what each kill came to."""
    runs = KillRuns(tmp_path_factory.mktemp("kills"))
    with JudgeServer(plan=runs.plan) as server:
        whole, calls = runs.undisturbed(server)
        points = sorted(Random(1).sample(range(calls), POINTS))
        return calls, [runs.kill_and_resume(server, point, whole) for point in points]


def test_bug_151_and_152_replies_that_had_arrived_are_kept(outcome: tuple[int, list[Killed]]) -> None:
    calls, kills = outcome
    assert any(one.was_killed for one in kills)
    for one in kills:
        assert one.repeats <= CONCURRENCY, "only calls under way at the kill are made again"
        assert one.sent_again == calls - one.kept, "and nothing that was kept is asked again"


def test_a_resumed_run_is_the_undisturbed_one(outcome: tuple[int, list[Killed]]) -> None:
    for one in outcome[1]:
        assert one.same_files, one
        assert one.same_ledger, one
