"""Two versions of the answer prompt: answer with each, score both, compare."""

from pathlib import Path

from whichhalf.assistants.prompted_model import ANSWER
from whichhalf.comparing.compare_runs import Settings, compare_all
from whichhalf.comparing.comparison import Comparison
from whichhalf.core.run import Run
from whichhalf.errors import InputError
from whichhalf.jobs.answering import answer_questions
from whichhalf.jobs.evaluation import run_evaluation
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.running.config import Config
from whichhalf.running.score_cases import Progress


def compare_answer_prompts(
    config: Config,
    name: str,
    versions: tuple[str, str],
    settings: Settings,
    *,
    limit: int | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Both outputs files and both runs stay in the config's folder of runs, under names that begin with `name`.

    A model answers from the passages that the outputs of the config log. Raises InputError before anything is asked
    when the versions are one, a version does not exist, or the assistant of the config is no model.
    """
    if config.assistant.kind != "model":
        raise InputError("versions of the answer prompt need an assistant that has one: set [assistant] model")
    if versions[0] == versions[1]:
        raise InputError(f"two versions make a comparison; both are {versions[0]}")
    for version in versions:
        PromptSet({ANSWER: version}, config.prompts.dir)
    notices: dict[str, None] = {}
    runs: list[tuple[str, Run]] = []
    for version in versions:
        answered = answer_questions(config, name, prompt=version, limit=limit, set_aside=True, progress=progress)
        notices |= dict.fromkeys(answered.notices)
        finished = run_evaluation(
            _scoring(config, answered.file), f"{name}-{ANSWER}-{version}", limit=limit, progress=progress
        )
        runs.append((finished.folder.name, finished.run))
    (comparison,) = compare_all(runs[0], runs[1:], settings)
    return comparison.model_copy(update={"notes": (*comparison.notes, *notices)})


def _scoring(config: Config, outputs: Path) -> Config:
    """The config with these outputs; what an expert flagged were other answers."""
    data = config.data.model_copy(update={"outputs": outputs})
    triage = config.triage.model_copy(update={"flags": None})
    return config.model_copy(update={"data": data, "triage": triage})
