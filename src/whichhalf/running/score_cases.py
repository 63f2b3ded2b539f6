"""Score all cases, several at once; the results stand in the order of the cases."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from threading import Lock

from whichhalf.core.case import Case
from whichhalf.core.metric import Metric
from whichhalf.core.run import CaseResult
from whichhalf.errors import RunStopped
from whichhalf.judging.budget import Need
from whichhalf.judging.traffic import Traffic
from whichhalf.running.score_case import Outcomes, SharedCase, score_kept

Progress = Callable[[int, int], None]
"""Called with (cases done, all cases)."""


def score_cases(
    cases: Sequence[Case],
    metrics: Sequence[Metric],
    workers: int = 1,
    progress: Progress | None = None,
    *,
    traffic: Traffic | None = None,
    kept_first: bool = False,
    order: Sequence[int] | None = None,
    need: Callable[[Case], Need] | None = None,
) -> tuple[CaseResult, ...]:
    """Results in the order of the cases, whatever the order they are begun in.

    With `kept_first`, where every call goes through `traffic`, what kept replies can answer is scored first, and
    threads are begun for the rest only. `need` tells what a case may take, and holds back those that the budget no
    longer covers; without it, threads for which no case is left help with the metrics of the others. An exception,
    also Ctrl-C, lets the calls under way end and starts no more.
    """
    results: dict[int, CaseResult] = {}

    def keep(position: int, result: CaseResult) -> None:
        results[position] = result
        if progress is not None:
            progress(len(results), len(cases))

    known: list[Outcomes] = [{} for _ in cases]
    if traffic is not None and kept_first:
        with traffic.held():
            for position, case in enumerate(cases):
                known[position] = score_kept(case, metrics)
                if len(known[position]) == len(metrics):
                    keep(position, CaseResult(case=case, outcomes=known[position]))
    elif traffic is not None and metrics:
        traffic.begin_to_load()

    left = [position for position in (range(len(cases)) if order is None else order) if position not in results]
    at_work = {position: SharedCase(cases[position], metrics, known[position]) for position in left}
    places = iter(left)
    door = Lock()

    def score_next() -> tuple[int, CaseResult]:
        with ExitStack() as held:
            with door:  # cases begin in their order, each when the budget covers it
                position = next(places)
                if traffic is not None and need is not None:
                    held.enter_context(traffic.budget.case(need(cases[position])))
            return position, at_work[position].finish()

    def help_others() -> None:
        while (most := max(list(at_work.values()), key=lambda one: one.left, default=None)) and most.left:
            most.help()

    if workers == 1:
        for _ in left:
            keep(*score_next())
    elif left:
        with ThreadPoolExecutor(workers) as pool:
            futures = [pool.submit(score_next) for _ in left]
            for _ in range(workers if need is None else 0):
                pool.submit(help_others)
            try:
                for future in as_completed(futures):
                    position, result = future.result()
                    keep(position, result)
                    del at_work[position]
            except BaseException:
                if traffic is not None:
                    traffic.pace.stop(RunStopped("the run was stopped"))
                pool.shutdown(wait=True, cancel_futures=True)
                raise
    return tuple(results[position] for position in range(len(cases)))
