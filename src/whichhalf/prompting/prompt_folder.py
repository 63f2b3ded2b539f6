"""Find versioned prompts: `<folder>/<name>/<version>.jinja`, with their hashes in `lock.toml`."""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path

from whichhalf.errors import PromptError
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


def load_prompt(name: str, version: str | None = None, own_folder: Path | None = None) -> Prompt:
    """Load one prompt; the newest version where none is named.

    `own_folder` is looked up first, then the packaged prompts. Raises PromptError naming what there is.
    """
    folders = [folder for folder in (own_folder, packaged_prompts()) if folder is not None]
    for folder in folders:
        versions = list_versions(folder, name)
        wanted = version or (versions[-1] if versions else None)
        if wanted in versions:
            path = folder / name / f"{wanted}.jinja"
            return Prompt.from_text(name, str(wanted), path.read_text(encoding="utf-8"))
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
        if name not in self._loaded:
            self._loaded[name] = load_prompt(name, self._versions.get(name), self._own_folder)
        return self._loaded[name]


def lock_faults(folder: Path) -> list[str]:
    """What differs between the templates of a folder and the hashes they were released with."""
    with (folder / "lock.toml").open("rb") as file:
        lock: dict[str, dict[str, str]] = tomllib.load(file)
    faults = []
    for name in sorted({*lock, *list_names(folder)}):
        released = lock.get(name, {})
        present = list_versions(folder, name)
        faults += [
            f"{name}/{version} is in lock.toml but its file is gone" for version in released if version not in present
        ]
        for version in present:
            prompt = load_prompt(name, version, folder)
            if version not in released:
                faults.append(f'{name}/{version} is not in lock.toml; release it with {version} = "{prompt.sha256}"')
            elif released[version] != prompt.sha256:
                faults.append(
                    f"{name}/{version} was edited after its release: old scores could no longer be explained. "
                    f"Undo the edit and add {name}/v{int(present[-1][1:]) + 1}.jinja instead"
                )
    return faults
