"""The nightly job: run, gates, canary, history and reports, with nobody watching."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import ceil
from pathlib import Path

from filelock import FileLock, Timeout

from whichhalf.core.forecast import Forecast
from whichhalf.core.run import Cost, Run
from whichhalf.errors import Fault, InputError, WhichHalfError
from whichhalf.jobs.canary import canary_of_tonight, check_canary, forecast_canary
from whichhalf.jobs.evaluation import STOPPED, Finished, metrics_of, run_evaluation
from whichhalf.jobs.forecasting import forecast_evaluation
from whichhalf.jobs.hook import call_hook, told_of_breaking_off, told_of_night
from whichhalf.jobs.live_outputs import keep_outputs
from whichhalf.judging.model_names import is_free
from whichhalf.judging.traffic import Traffic
from whichhalf.reporting.junit import night_as_junit
from whichhalf.reporting.night_markdown import night_as_markdown
from whichhalf.reporting.run_reports import write_reports
from whichhalf.running.config import Config
from whichhalf.running.gate import Baseline, Baselines, check_gate_names, check_gates
from whichhalf.running.history import History, lineage
from whichhalf.running.night import NIGHT_FILE, Night, night_cost, night_verdict
from whichhalf.running.run_folder import point_link, read_run, write_record, write_text
from whichhalf.running.score_cases import Progress

LOCK_FILE = ".nightly.lock"
LATEST = "latest"
LAST_GREEN = "last-green"


@dataclass(frozen=True, slots=True)
class FinishedNight:
    """A night with everything its reports need."""

    night: Night
    finished: Finished
    hook_fault: str | None
    """Why nobody could be told; None when the hook worked or was not needed."""


def run_night(
    config: Config,
    name: str,
    *,
    limit: int | None = None,
    replay_only: bool = False,
    junit_cases: bool = False,
    progress: Progress | None = None,
) -> FinishedNight:
    """Evaluate, judge the canary, decide the gates, and write all of it into the run folder and the history.

    Raises InputError before anything is asked when the config cannot work, and WhichHalfError while another night of
    the same folder is running. A night that breaks off leaves no verdict behind: the last green one stays what later
    nights are compared with. Where only kept replies may be used, no canary is judged: it is never kept.
    """
    started = time.monotonic()
    config = _checked(config, asks=not replay_only, replay_only=replay_only)
    with _locked(config.run.out):
        try:
            night, finished = _run_night(config, name, started, limit, replay_only, progress)
        except InputError:
            raise
        except WhichHalfError as error:  # the judge is down, or cannot be used
            if config.run.hook is not None and (
                fault := call_hook(config.run.hook, told_of_breaking_off(name, str(error)))
            ):
                error.add_note(fault)
            raise
        _write_reports(night, finished, junit_cases)
        point_link(config.run.out / LATEST, finished.folder)
        if night.verdict == "green":
            point_link(config.run.out / LAST_GREEN, finished.folder)
            return FinishedNight(night, finished, None)
    fault = call_hook(config.run.hook, told_of_night(night, finished.folder)) if config.run.hook else None
    return FinishedNight(night, finished, fault)


def forecast_night(config: Config, *, limit: int | None = None) -> Forecast:
    """What a night would ask, its canary included. Nothing is asked and nothing is written; raises InputError."""
    config = _checked(config, asks=False, writes=False)
    return forecast_evaluation(config, limit=limit, canary=forecast_canary(config))


def _run_night(
    config: Config, name: str, started: float, limit: int | None, replay_only: bool, progress: Progress | None
) -> tuple[Night, Finished]:
    """The run with its verdict, in its folder and in the history."""
    history = History(config.run.out)
    history.sync()
    traffic = Traffic.of(config.judge, config.run.deadline_minutes)
    finished = run_evaluation(config, name, limit=limit, replay_only=replay_only, traffic=traffic, progress=progress)
    canary = canary_of_tonight(config, history.nights(name), traffic)
    if canary is not None and not canary.enough and STOPPED.keys() & canary.lost.keys():
        keep_outputs(config, name, finished.folder)
    baselines = _baselines(history, name, finished.run)
    floor = config.run.coverage_floor
    spent = night_cost(finished.run.cost, canary)
    facts = quantities(finished.run, spent)
    gates = check_gates(config.gate, finished.run, baselines, coverage_floor=floor, quantities=facts)
    lost = [*finished.lacking(replay_only).values()]
    lost += [f"{metric} was scored on too few cases" for metric in finished.below_floor(floor)]
    verdict, headline = night_verdict(gates, lost, canary)
    night = Night(
        job=name,
        verdict=verdict,
        headline=headline,
        gates=gates,
        baseline=baselines.arithmetic.name,
        canary=canary,
        seconds=round(time.monotonic() - started, 3),
    )
    write_record(finished.folder / NIGHT_FILE, night)
    history.add(finished.folder)
    return night, finished


def _write_reports(night: Night, finished: Finished, junit_cases: bool) -> None:
    folder, run = finished.folder, finished.run
    write_text(folder / "junit.xml", night_as_junit(night, run, cases=junit_cases))
    write_text(folder / "summary.md", night_as_markdown(night, run, folder.name))
    write_reports(folder, finished.run)


def quantities(run: Run, spent: Cost) -> dict[str, float | None]:
    """What gates may hold down beside metrics; None where it is unknown. `spent` is that of the whole night."""
    logged = [result.case.meta.get("latency_ms") for result in run.results]
    latencies = sorted(float(one) for one in logged if isinstance(one, int | float) and not isinstance(one, bool))
    return {
        "usd": spent.spent_usd,
        "judge_calls": spent.judge_calls,
        # the smallest logged value that at least 95 % do not exceed (nearest rank)
        "latency_ms": latencies[ceil(0.95 * len(latencies)) - 1] if latencies else None,
        "flip_rate": max((one.flip_rate for one in run.noise.values() if one.flip_rate is not None), default=None),
    }


def _checked(config: Config, *, asks: bool, writes: bool = True, replay_only: bool = False) -> Config:
    """The config that also breaks its means down by the tags its gates look at. Raises InputError."""
    if not config.gate:
        raise InputError(Fault("a night needs at least one gate; `whichhalf run` does without", field="[[gate]]"))
    if replay_only and not is_free(config.judge.model):
        config = config.model_copy(update={"canary": None})
    check_night(config, asks=asks, writes=writes)
    tags = dict.fromkeys([*config.metrics.slices, *(tag for gate in config.gate for tag in gate.slice)])
    return config.model_copy(update={"metrics": config.metrics.model_copy(update={"slices": list(tags)})})


def check_night(config: Config, *, asks: bool = True, writes: bool = True) -> None:
    """Raises InputError for gates and anchors that cannot work. Nothing is asked.

    Keys and prices count only where the night `asks`, its folders where it `writes`.
    """
    metrics, tags = metrics_of(config, asks=asks, writes=writes)
    faults = [Fault(fault, field="[[gate]]") for fault in check_gate_names(config.gate, metrics, tags)]
    faults += check_canary(config, asks=asks)
    if faults:
        raise InputError(faults)


def _baselines(history: History, name: str, run: Run) -> Baselines:
    now = lineage(run.manifest)
    (folder, said), (judged_folder, judged_said) = (
        history.last_green(name, now, judged=judged) for judged in (False, True)
    )
    arithmetic = Baseline(read_run(folder) if folder else None, said)
    if judged_folder == folder:
        return Baselines(arithmetic, arithmetic)
    return Baselines(arithmetic, Baseline(read_run(judged_folder) if judged_folder else None, judged_said))


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    out.mkdir(parents=True, exist_ok=True)
    lock = FileLock(out / LOCK_FILE, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise WhichHalfError(f"another night is running in {out}; this one did nothing") from None
    try:
        yield
    finally:
        lock.release()
