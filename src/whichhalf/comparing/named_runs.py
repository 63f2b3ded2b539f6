"""Read the runs to compare, under names that tell them apart."""

from collections.abc import Sequence
from pathlib import Path

from whichhalf.core.run import Run
from whichhalf.errors import InputError
from whichhalf.running.run_folder import read_run

NamedRun = tuple[str, Run]


def read_named_runs(folders: Sequence[Path], baseline: Path | None = None) -> list[NamedRun]:
    """The baseline first, by default the first folder; it may, but need not, be among the folders.

    A run is named after its folder, or by the whole path where two folders have one name. Raises InputError for
    fewer than two runs and for what is no run folder.
    """
    ordered = list(folders)
    if baseline is not None:
        ordered = [baseline, *(folder for folder in folders if folder.resolve() != baseline.resolve())]
    if len(ordered) < 2:
        raise InputError("a comparison needs two runs: give another run folder")
    names = [folder.resolve().name for folder in ordered]
    return [
        (name if names.count(name) == 1 else str(folder), read_run(folder))
        for name, folder in zip(names, ordered, strict=True)
    ]
