"""The canary's two jobs: freeze anchors from a run once, and judge them afresh every night."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whichhalf.errors import InputError
from whichhalf.judging.ledger import Ledger, LedgerJudge
from whichhalf.judging.recorded_replies import read_recorded
from whichhalf.judging.seam import Judge
from whichhalf.judging.stack import RECORDED, build_judge
from whichhalf.prompting.prompt_folder import PromptSet
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
from whichhalf.statistics.sequential import plan_canary, watch_canary


@dataclass(frozen=True, slots=True)
class Frozen:
    """What `freeze_canary` made."""

    claims: int
    answers: int
    left_out: int
    """Claims whose verdict did not hold when they were judged again."""


def canary_of_tonight(config: Config, nights: Sequence[Night]) -> CanaryResult | None:
    """Judge the anchors without the reply cache; None when the config has no canary.

    `nights` are the earlier nights of this job, oldest first: those over the same anchors carry the sequential test.
    """
    if config.canary is None:
        return None
    anchors = read_anchors(config.canary.anchors)
    ledger = Ledger()
    tonight = _judged(config, anchors, ledger)
    earlier = [one.canary for one in nights if one.canary and one.canary.anchors_sha256 == anchors.sha256]
    plan = plan_canary(anchors.count, config.canary.flip_rate)
    nights_so_far = [*((len(one.flipped), one.judged) for one in earlier), (len(tonight.flipped), tonight.judged)]
    watched = watch_canary(plan, nights_so_far)[-1]
    models = tuple(ledger.models_returned)
    before = earlier[-1].models_returned if earlier else models
    return CanaryResult(
        anchors_sha256=anchors.sha256,
        judged=tonight.judged,
        flipped=tonight.flipped,
        failed=tonight.failed,
        models_returned=models,
        statistic=watched.sum,
        limit=plan.limit,
        moved=watched.alarm,
        sentence=_sentence(watched.alarm, len(tonight.flipped), tonight.judged, tonight.failed, before, models),
    )


def freeze_canary(run_folder: Path, config: Config, out: Path, *, size: int, checks: int, seed: int = 0) -> Frozen:
    """Draw claims with their verdicts from a run into an anchors file; claims that do not hold are left out.

    Every claim is judged again `checks` times, without the cache. Raises InputError when the file is there already:
    anchors are frozen, another set is another file.
    """
    if out.exists():
        raise InputError(f"{out} already exists; anchors are frozen, so name another file")
    drawn = freeze_anchors(read_run(run_folder), size, seed)
    ledger = Ledger()
    rounds = [_judged(config, Anchors(drawn, ""), ledger) for _ in range(checks)]
    shaky = {name for one in rounds for name in one.flipped}
    rows = [row.model_copy(update={"claims": kept}) for row in drawn if (kept := _held(row.id, row.claims, shaky))]
    if not rows:
        raise InputError("no verdict held when the claims were judged again: there is nothing to freeze")
    write_records(out, rows)
    claims = sum(len(row.claims) for row in rows)
    return Frozen(claims, len(rows), sum(len(row.claims) for row in drawn) - claims)


def _held(row: str, claims: Sequence[FrozenClaim], shaky: set[str]) -> tuple[FrozenClaim, ...]:
    return tuple(one for number, one in enumerate(claims, start=1) if claim_name(row, number) not in shaky)


def _judged(config: Config, anchors: Anchors, ledger: Ledger) -> Judged:
    judge = LedgerJudge(fresh_judge(config), ledger)
    prompts = PromptSet(config.prompts.versions, config.prompts.dir)
    limit = config.judge.max_prompt_tokens
    return judge_anchors(judge, prompts, anchors, max_prompt_tokens=limit, workers=config.judge.concurrency)


def fresh_judge(config: Config) -> Judge:
    """The judge of a config without its cache; one that answers from a file alone has nothing else."""
    settings = config.judge
    replies = settings.replies if settings.model.startswith(RECORDED) else None
    return build_judge(settings, recorded=read_recorded(replies) if replies else None)


def _sentence(moved: bool, flips: int, judged: int, failed: int, before: Sequence[str], models: Sequence[str]) -> str:
    lost = f"; {failed} could not be judged" if failed else ""
    counts = f"{flips} of {judged} frozen verdicts differ tonight{lost}"
    renamed = f"; the server now says it is {', '.join(models)}, before {', '.join(before)}" if models != before else ""
    if moved:
        return f"the judge has moved: {counts}{renamed}. Judged numbers of tonight are no measure of the assistant"
    return f"the judge stands still: {counts}{renamed}"
