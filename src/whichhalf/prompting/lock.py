"""`lock.toml`: the hash of every released version of a prompt, and which versions are on trial."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from whichhalf.errors import PromptError

LOCK = "lock.toml"
_ON_TRIAL = "on_trial"


@dataclass(frozen=True, slots=True)
class Releases:
    """What lock.toml says of one prompt."""

    hashes: Mapping[str, str] = field(default_factory=dict)
    """Version → sha256 of its template."""
    on_trial: frozenset[str] = frozenset()
    """Versions that are used only where they are named."""


def read_lock(folder: Path) -> dict[str, Releases]:
    """Prompt → its releases; empty where a folder has no lock. Raises PromptError for a file of another shape."""
    path = folder / LOCK
    if not path.is_file():
        return {}
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        return {name: _releases(table) for name, table in tables.items()}
    except (ValueError, AttributeError) as error:
        raise PromptError(f'{path}: {error}; it holds tables of v1 = "sha256" and on_trial = ["v2"]') from error


def _releases(table: Mapping[str, object]) -> Releases:
    on_trial = table.get(_ON_TRIAL, [])
    hashes = {version: value for version, value in table.items() if version != _ON_TRIAL}
    if not isinstance(on_trial, list) or not all(isinstance(one, str) for one in (*on_trial, *hashes.values())):
        raise ValueError("a value of another kind")
    return Releases({version: str(value) for version, value in hashes.items()}, frozenset(on_trial))
