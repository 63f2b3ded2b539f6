"""Two versions of a judge prompt on the same cases and, where people labelled claims, beside their labels."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from whichhalf.catalogue import JUDGED, prompts_of
from whichhalf.comparing.compare_runs import Settings, compare_all
from whichhalf.comparing.labelled_claims import Said, compare_with_labels
from whichhalf.comparing.pairs import pair_runs
from whichhalf.comparing.prompt_versions import PromptComparison, asking, flips_by_case
from whichhalf.core.claim import Claim
from whichhalf.datasets.claim_labels import ClaimLabel
from whichhalf.errors import InputError, JudgeError
from whichhalf.jobs.evaluation import run_evaluation
from whichhalf.jobs.opening import open_judge, open_store
from whichhalf.judged.verdicts import VERIFY_CLAIMS, verify_claims
from whichhalf.judging.reply_store import ReplyStore
from whichhalf.judging.seam import Judge
from whichhalf.judging.traffic import Traffic
from whichhalf.judging.window import passage_tokens
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.running.config import Config
from whichhalf.running.score_cases import Progress


def compare_prompts(
    config: Config,
    prompt: str,
    versions: tuple[str, str],
    settings: Settings,
    *,
    labels: Sequence[ClaimLabel] = (),
    limit: int | None = None,
    replay_only: bool = False,
    progress: Progress | None = None,
) -> PromptComparison:
    """Evaluate with each version and compare; both runs are kept in the config's folder of runs.

    Only the config's metrics that ask this prompt are scored. Raises InputError before anything is asked when a
    version does not exist, no metric asks the prompt, or labels are given for a prompt that judges no claims.
    """
    if versions[0] == versions[1]:
        raise InputError(f"two versions make a comparison; both are {versions[0]}")
    own = [_with_version(config, prompt, version) for version in versions]
    if labels and prompt != VERIFY_CLAIMS:
        raise InputError(f"labels of claims measure {VERIFY_CLAIMS}, not {prompt}")
    finished = [
        run_evaluation(one, f"{prompt}-{version}", limit=limit, replay_only=replay_only, progress=progress)
        for one, version in zip(own, versions, strict=True)
    ]
    first, second = ((one.folder.name, one.run) for one in finished)
    (comparison,) = compare_all(first, [second], replace(settings, anyway=True))
    told = [_ask_about_labels(one, labels, replay_only) for one in own] if labels else []
    return PromptComparison(
        prompt=prompt,
        comparison=comparison,
        reads_prompts=not first[1].manifest.judge.get("is_baseline"),
        flips=tuple(flips_by_case(pair_runs(first[1], second[1])[0])),
        asking=tuple(asking(one.run.calls, prompt, v) for one, v in zip(finished, versions, strict=True)),
        labels=compare_with_labels(labels, versions, told[0], told[1]) if told else None,
    )


def _with_version(config: Config, prompt: str, version: str) -> Config:
    """The config with one version of the prompt and the metrics that ask it. Raises InputError."""
    names = [name for name in config.metric_names if prompt in prompts_of(name)]
    if not names:
        asking_it = [name for name, family in JUDGED.items() if prompt in family.prompts]
        usable = f"metrics that do: {', '.join(asking_it)}" if asking_it else "nor does any metric there is"
        raise InputError(f"no metric of the config asks the prompt {prompt}; {usable}")
    prompts = config.prompts.model_copy(update={"versions": {**config.prompts.versions, prompt: version}})
    PromptSet(prompts.versions, prompts.dir)
    metrics = config.metrics.model_copy(update={"retrieval": [], "judged": names})
    triage = config.triage.model_copy(update={"flags": None})
    return config.model_copy(update={"prompts": prompts, "metrics": metrics, "triage": triage})


def _ask_about_labels(config: Config, labels: Sequence[ClaimLabel], replay_only: bool) -> Said:
    """What the judge says of each claim with the prompts of this config."""
    prompts = PromptSet(config.prompts.versions, config.prompts.dir)
    store = open_store(config, read_only=replay_only and ReplyStore.is_at(config.run.cache))
    traffic = Traffic.of(config.judge)
    try:
        judge = open_judge(config, replay_only, store, traffic)
        most = passage_tokens(config.judge, judge.identity)
        with ThreadPoolExecutor(traffic.workers) as pool:
            said = pool.map(lambda one: _ask(judge, prompts, one, most), labels)
            return {one.id: word for one, word in zip(labels, said, strict=True)}
    finally:
        if store is not None:
            store.close()


def _ask(judge: Judge, prompts: PromptSet, label: ClaimLabel, max_prompt_tokens: int) -> bool | str:
    claims = (Claim(id=1, text=label.claim),)
    try:
        (verdict,) = verify_claims(judge, prompts, claims, label.passages or (), max_prompt_tokens=max_prompt_tokens)
    except JudgeError as error:
        return error.reason
    return verdict.label == "supported"
