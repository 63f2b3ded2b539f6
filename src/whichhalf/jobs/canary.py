"""The canary's two jobs: freeze anchors from a run once, and judge them afresh every night."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from whichhalf.core.run import CallRecord
from whichhalf.errors import Fault, InputError, WhichHalfError
from whichhalf.jobs.opening import check_prices_of
from whichhalf.judging.ledger import Ledger, LedgerJudge
from whichhalf.judging.model_names import RECORDED, is_free
from whichhalf.judging.recorded_replies import read_recorded
from whichhalf.judging.seam import Judge
from whichhalf.judging.stack import build_estimators, build_judge
from whichhalf.judging.traffic import Traffic
from whichhalf.judging.window import passage_tokens
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.reporting.run_words import counts_in_words
from whichhalf.running.canary import (
    Anchors,
    FrozenClaim,
    Judged,
    claim_name,
    freeze_anchors,
    judge_anchors,
    read_anchors,
)
from whichhalf.running.config import Config
from whichhalf.running.night import CanaryResult, Night
from whichhalf.running.run_folder import read_run, write_records
from whichhalf.running.writable import check_writable
from whichhalf.statistics.sequential import plan_canary, watch_canary


@dataclass(frozen=True, slots=True)
class Frozen:
    """What `freeze_canary` made."""

    claims: int
    answers: int
    left_out: int
    """Claims whose verdict did not hold when they were judged again, or was not got."""


def check_canary(config: Config, *, asks: bool = True) -> list[Fault]:
    """What is wrong with the canary of a config. Nothing is asked; a key and a price count only where it `asks`."""
    if config.canary is None:
        return []
    anchors = config.canary.anchors
    checks: list[Callable[[], object]] = [lambda: read_anchors(anchors)]
    if asks:
        checks += [lambda: fresh_judge(config), lambda: check_prices_of(config, [config.judge.model])]
    faults: list[Fault] = []
    for check in checks:
        try:
            check()
        except InputError as error:
            faults += error.faults
    return faults


def forecast_canary(config: Config) -> tuple[CallRecord, ...]:
    """What judging the anchors would ask, in estimates; nothing is asked. Empty when the config has no canary."""
    if config.canary is None:
        return ()
    ledger = Ledger()
    recorded = read_recorded(config.judge.replies) if config.judge.replies and is_free(config.judge.model) else None
    judge, _ = build_estimators(config.judge, config.embedding, recorded=recorded)
    _judge_with(LedgerJudge(judge, ledger), config, read_anchors(config.canary.anchors))
    return tuple(ledger.records)


def canary_of_tonight(config: Config, nights: Sequence[Night], traffic: Traffic) -> CanaryResult | None:
    """Judge the anchors without the reply cache; None when the config has no canary.

    `nights` are the earlier nights of this job, oldest first: those with the same anchors and judge carry the
    sequential test. `traffic` is that of the night: its budget and its deadline hold here too.
    """
    if config.canary is None:
        return None
    anchors = read_anchors(config.canary.anchors)
    ledger = Ledger()
    tonight = _judged(config, anchors, ledger, traffic)
    earlier = [one.canary for one in nights if one.canary and _is_one_series(one.canary, anchors, config)]
    plan = plan_canary(anchors.count, config.canary.flip_rate)
    nights_so_far = [*((len(one.flipped), one.judged) for one in earlier), (len(tonight.flipped), tonight.judged)]
    watched = watch_canary(plan, nights_so_far)[-1]
    models = tuple(ledger.models_returned)
    before = next((one.models_returned for one in reversed(earlier) if one.models_returned), models)
    enough = tonight.judged >= config.run.coverage_floor * anchors.count and tonight.judged > 0
    return CanaryResult(
        anchors_sha256=anchors.sha256,
        judged=tonight.judged,
        flipped=tonight.flipped,
        failed=tonight.failed,
        lost=tonight.lost,
        enough=enough,
        judge=config.judge.model,
        cost=ledger.cost(),
        models_returned=models,
        statistic=watched.sum,
        limit=plan.limit,
        moved=watched.alarm,
        sentence=_sentence(watched.alarm, enough, tonight, before, models),
    )


def freeze_canary(run_folder: Path, config: Config, out: Path, *, size: int, checks: int, seed: int = 0) -> Frozen:
    """Draw claims with their verdicts from a run into an anchors file; claims that do not hold are left out.

    Every claim is judged again `checks` times, without the cache. Raises InputError when the file is there already:
    anchors are frozen, another set is another file. Raises WhichHalfError, and writes nothing, when the budget ends
    before the checks do.
    """
    if out.exists():
        raise InputError(f"{out} already exists; anchors are frozen, so name another file")
    check_writable(out.parent)
    check_prices_of(config, [config.judge.model])
    drawn = freeze_anchors(read_run(run_folder), size, seed)
    ledger, traffic = Ledger(), Traffic.of(config.judge)
    rounds = [_judged(config, Anchors(drawn, ""), ledger, traffic) for _ in range(checks)]
    if traffic.budget.ran_out:
        raise WhichHalfError(f"{traffic.budget}: not every claim could be judged again, so nothing was frozen")
    shaky = {name for one in rounds for name in (*one.flipped, *one.not_judged)}
    rows = [row.model_copy(update={"claims": kept}) for row in drawn if (kept := _held(row.id, row.claims, shaky))]
    if not rows:
        raise InputError("no verdict held when the claims were judged again: there is nothing to freeze")
    write_records(out, rows)
    claims = sum(len(row.claims) for row in rows)
    return Frozen(claims, len(rows), sum(len(row.claims) for row in drawn) - claims)


def _held(row: str, claims: Sequence[FrozenClaim], shaky: set[str]) -> tuple[FrozenClaim, ...]:
    return tuple(one for number, one in enumerate(claims, start=1) if claim_name(row, number) not in shaky)


def _is_one_series(earlier: CanaryResult, anchors: Anchors, config: Config) -> bool:
    return earlier.anchors_sha256 == anchors.sha256 and earlier.judge in ("", config.judge.model)


def _judged(config: Config, anchors: Anchors, ledger: Ledger, traffic: Traffic) -> Judged:
    return _judge_with(LedgerJudge(fresh_judge(config, traffic), ledger), config, anchors)


def _judge_with(judge: Judge, config: Config, anchors: Anchors) -> Judged:
    prompts = PromptSet(config.prompts.versions, config.prompts.dir)
    limit = passage_tokens(config.judge, judge.identity)
    return judge_anchors(judge, prompts, anchors, max_prompt_tokens=limit, workers=config.judge.concurrency)


def fresh_judge(config: Config, traffic: Traffic | None = None) -> Judge:
    """The judge of a config without its cache; one that answers from a file alone has nothing else."""
    settings = config.judge
    replies = settings.replies if settings.model.startswith(RECORDED) else None
    return build_judge(settings, recorded=read_recorded(replies) if replies else None, traffic=traffic)


def _sentence(moved: bool, enough: bool, tonight: Judged, before: Sequence[str], models: Sequence[str]) -> str:
    reasons = counts_in_words(dict(sorted(tonight.lost.items())))
    lost = f"; {tonight.failed} could not be judged: {reasons}" if tonight.failed else ""
    counts = f"{len(tonight.flipped)} of {tonight.judged} frozen verdicts differ tonight{lost}"
    is_renamed = models and models != before
    renamed = f"; the server now says it is {', '.join(models)}, before {', '.join(before)}" if is_renamed else ""
    if moved:
        return f"the judge has moved: {counts}{renamed}. Judged numbers of tonight are no measure of the assistant"
    if not enough:
        return f"whether the judge has moved is not known: {counts}{renamed}"
    return f"the judge stands still: {counts}{renamed}"
