"""What is wrong with the prompts of a folder: against their lock, their changelog, and under hostile text."""

from pathlib import Path

from whichhalf.errors import PromptError
from whichhalf.prompting.changelog import CHANGELOG, read_entry
from whichhalf.prompting.hostile_text import hostile_faults
from whichhalf.prompting.lock import LOCK, Releases, read_lock
from whichhalf.prompting.prompt_folder import list_names, list_versions, load_prompt


def prompt_faults(folder: Path) -> list[str]:
    """Everything that is wrong with a folder of prompts; a folder without a lock has released nothing."""
    faults = lock_faults(folder) if (folder / LOCK).is_file() else []
    for name in list_names(folder):
        for version in list_versions(folder, name):
            try:
                faults += hostile_faults(load_prompt(name, version, folder))
            except PromptError as error:
                faults.append(str(error))
    return list(dict.fromkeys(faults))


def lock_faults(folder: Path) -> list[str]:
    """What differs between the templates of a folder and what was released."""
    lock = read_lock(folder)
    faults = []
    for name in sorted({*lock, *list_names(folder)}):
        releases = lock.get(name, Releases())
        present = list_versions(folder, name)
        faults += [
            f"{name}/{version} is in {LOCK} but its file is gone"
            for version in sorted({*releases.hashes, *releases.on_trial})
            if version not in present
        ]
        for version in present:
            faults += _release_faults(folder, name, version, releases)
    return faults


def _release_faults(folder: Path, name: str, version: str, releases: Releases) -> list[str]:
    faults = []
    try:
        prompt = load_prompt(name, version, folder)
    except PromptError as error:
        return [str(error)]
    released = releases.hashes.get(version)
    if released is None:
        faults.append(f'{name}/{version} is not in {LOCK}; release it with {version} = "{prompt.sha256}"')
    elif released != prompt.sha256:
        following = int(list_versions(folder, name)[-1][1:]) + 1
        faults.append(
            f"{name}/{version} was edited after its release: old scores could no longer be explained. "
            f"Undo the edit and add {name}/v{following}.jinja instead"
        )
    if not read_entry(folder / name, version):
        faults.append(f"{name}/{version} has no reason: write it under the heading ## {version} of {name}/{CHANGELOG}")
    return faults
