"""Grow a golden set by the failures of a run that an expert confirmed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whichhalf.core.run import Run
from whichhalf.datasets.golden import GoldenSet, load_golden
from whichhalf.errors import InputError
from whichhalf.running.golden_file import check_new_golden, next_header, write_golden
from whichhalf.running.run_folder import read_run, read_triage
from whichhalf.triage.expert_verdicts import ExpertVerdict
from whichhalf.triage.growing import Growth, grow


@dataclass(frozen=True, slots=True)
class Grown:
    """What `grow_golden` did."""

    growth: Growth
    file: Path | None
    """None where there was nothing new, so nothing was written."""
    header: dict[str, str]
    """Of the golden set in `file`."""


def grow_golden(folder: Path, verdicts: Sequence[ExpertVerdict], out: Path, base: Path | None = None) -> Grown:
    """Write the next version of a golden set, by default of the one the run was scored on; that one is not changed.

    Raises InputError when `out` is there already, or the golden set is not to be found.
    """
    check_new_golden(out)
    run = read_run(folder)
    path, golden = _base(run, base)
    asked = {result.case.id: result.case.question for result in run.results}
    growth = grow(golden.questions, asked, read_triage(folder), verdicts, folder.resolve().name)
    header = next_header(golden.header, path.stem)
    if not growth.is_new:
        return Grown(growth, None, header)
    write_golden(out, header, growth.questions)
    return Grown(growth, out, header)


def _base(run: Run, base: Path | None) -> tuple[Path, GoldenSet]:
    if base is not None:
        return base, load_golden(base)
    data = run.manifest.config.get("data")
    path = data.get("golden") if isinstance(data, dict) else None
    columns = data.get("columns") if isinstance(data, dict) else None
    if not isinstance(path, str) or not Path(path).exists():
        raise InputError("the golden set of the run is not there any more: name the one to grow with --golden")
    named = {ours: str(theirs) for ours, theirs in columns.items()} if isinstance(columns, dict) else {}
    return Path(path), load_golden(path, named)
