"""Two versions of a judge prompt on the same cases and, where people labelled claims, beside their labels."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from whichhalf.catalogue import Choices, build_metric, is_judged
from whichhalf.comparing.compare_runs import Settings, compare_all
from whichhalf.comparing.labelled_claims import LabelComparison, Said, compare_with_labels
from whichhalf.comparing.pairs import pair_runs
from whichhalf.comparing.prompt_versions import PromptComparison, asking, flips_by_case
from whichhalf.core.claim import Claim
from whichhalf.datasets.claim_labels import ClaimLabel
from whichhalf.errors import InputError, JudgeError
from whichhalf.jobs.evaluation import Finished, open_judge, open_store, run_evaluation
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.verdicts import VERIFY_CLAIMS, verify_claims
from whichhalf.judging.offline import OfflineJudge
from whichhalf.judging.seam import Judge
from whichhalf.judging.traffic import Traffic
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.running.config import Config
from whichhalf.running.evaluate import Progress


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
    own = [_with_version(config, prompt, version) for version in versions]
    if versions[0] == versions[1]:
        raise InputError(f"two versions make a comparison; both are {versions[0]}")
    if labels and prompt != VERIFY_CLAIMS:
        raise InputError(f"labels of claims measure {VERIFY_CLAIMS}, not {prompt}")
    finished = [
        run_evaluation(one, f"{prompt}-{version}", limit=limit, replay_only=replay_only, progress=progress)
        for one, version in zip(own, versions, strict=True)
    ]
    first, second = (_named(one) for one in finished)
    (comparison,) = compare_all(first, [second], settings)
    told = [_ask_about_labels(one, labels, replay_only) for one in own] if labels else []
    return PromptComparison(
        prompt=prompt,
        comparison=comparison,
        reads_prompts=not first[1].manifest.judge.get("is_baseline"),
        flips=tuple(flips_by_case(pair_runs(first[1], second[1])[0])),
        asking=tuple(asking(one.run.calls, prompt, v) for one, v in zip(finished, versions, strict=True)),
        labels=compare_with_labels(labels, versions, *told) if told else None,
    )
