"""Find versioned prompts: `<folder>/<name>/<version>.jinja`."""

import re
from collections.abc import Mapping
from pathlib import Path

from whichhalf.errors import PromptError
from whichhalf.prompting.lock import Releases, read_lock
from whichhalf.prompting.prompt import Prompt

_VERSION = re.compile(r"v([1-9][0-9]*)")


def packaged_prompts() -> Path:
    """The folder shipped with the package: beside it when installed, at the top of a source tree."""
    package = Path(__file__).parents[1]
    installed = package / "_prompts"
    return installed if installed.is_dir() else package.parents[1] / "prompts"


def list_versions(folder: Path, name: str) -> list[str]:
    """Versions of a prompt in a folder, oldest first."""
    found = [path.stem for path in (folder / name).glob("v*.jinja") if _VERSION.fullmatch(path.stem)]
    return sorted(found, key=lambda version: int(version[1:]))


def list_names(folder: Path) -> list[str]:
    """Names of the prompts in a folder."""
    return sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []


def default_version(folder: Path, name: str) -> str | None:
    """The newest version that is not on trial; None where there is none."""
    on_trial = read_lock(folder).get(name, Releases()).on_trial
    return next((one for one in reversed(list_versions(folder, name)) if one not in on_trial), None)


def load_prompt(name: str, version: str | None = None, own_folder: Path | None = None) -> Prompt:
    """Load one prompt; which one, see find_prompt. Raises PromptError naming what there is."""
    path = find_prompt(name, version, own_folder)
    return Prompt.from_text(name, path.stem, path.read_text(encoding="utf-8"))


def find_prompt(name: str, version: str | None = None, own_folder: Path | None = None) -> Path:
    """The file of a prompt; where no version is named, the newest that is not on trial.

    `own_folder` is looked up first, then the packaged prompts. Raises PromptError naming what there is.
    """
    folders = [folder for folder in (own_folder, packaged_prompts()) if folder is not None]
    for folder in folders:
        wanted = version or default_version(folder, name)
        if wanted in list_versions(folder, name):
            return folder / name / f"{wanted}.jinja"
    have = sorted({f"{n}/{v}" for folder in folders for n in list_names(folder) for v in list_versions(folder, n)})
    raise PromptError(f"there is no prompt {name}/{version or 'v*'}; there are {', '.join(have)}")


class PromptSet:
    """The prompts of one run, each in one version, loaded once."""

    def __init__(self, versions: Mapping[str, str] | None = None, own_folder: Path | None = None) -> None:
        if own_folder is not None and not own_folder.is_dir():
            raise PromptError(f"prompt folder {own_folder} does not exist")
        self._loaded: dict[str, Prompt] = {}
        self._own_folder = own_folder
        self._versions = dict(versions or {})
        for name in self._versions:
            self[name]

    def __getitem__(self, name: str) -> Prompt:
        """Raises PromptError, also for a prompt of one's own that does not use what the packaged one is given."""
        if name not in self._loaded:
            prompt = load_prompt(name, self._versions.get(name), self._own_folder)
            if self._own_folder is not None and list_versions(packaged_prompts(), name):
                prompt.check_variables(load_prompt(name).variables)
            self._loaded[name] = prompt
        return self._loaded[name]
