"""Run folders: strict JSON, UTF-8, and either whole or not there."""

import os
import shutil
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from whichhalf.core.record import Record
from whichhalf.core.run import (
    CallRecord,
    CaseResult,
    Cost,
    JudgeNoise,
    MetricSummary,
    RecallCurve,
    RepeatedResult,
    RepliesCost,
    Run,
    RunManifest,
    Slices,
)
from whichhalf.core.validation_words import in_plain_words
from whichhalf.datasets.json_lines import read_text
from whichhalf.errors import Fault, InputError
from whichhalf.triage.flagged import FlaggedAnswer, count_halves

R = TypeVar("R", bound=Record)


class RunSummary(Record):
    """summary.json"""

    metrics: dict[str, MetricSummary]
    slices: Slices = {}
    curves: dict[str, RecallCurve] = {}
    judge_noise: dict[str, JudgeNoise] = {}
    triage: dict[str, int] = {}
    cost: RepliesCost


class _Manifest(RunManifest):
    """manifest.json"""

    spent: Cost


def write_run(run: Run, folder: Path, triage: Sequence[FlaggedAnswer] | None = None) -> None:
    """Write a new run folder; it appears under its name only when complete. Raises InputError if it exists."""
    if folder.exists():
        raise InputError(f"{folder} already exists")
    # named after the process: another one may be writing a folder of the same name
    partial = folder.with_name(f".{folder.name}.{os.getpid()}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    try:
        _write(partial / "manifest.json", [_Manifest(**dict(run.manifest), spent=run.cost).model_dump_json(indent=2)])
        _write(partial / "cases.jsonl", (result.model_dump_json(exclude_none=True) for result in run.results))
        _write(partial / "calls.jsonl", (call.model_dump_json() for call in run.calls))
        if run.repeated:
            _write(partial / "repeats.jsonl", (one.model_dump_json(exclude_none=True) for one in run.repeated))
        add_triage(partial, run, triage)
        partial.rename(folder)
    except BaseException as error:
        shutil.rmtree(partial, ignore_errors=True)
        if isinstance(error, OSError):
            raise InputError(f"{folder} already exists") if folder.exists() else _named(error, folder) from error
        raise


def add_triage(folder: Path, run: Run, triage: Sequence[FlaggedAnswer] | None) -> None:
    """Write, or replace, the summary of a run folder and the triage it counts."""
    if triage is not None:
        _write(folder / "triage.jsonl", (one.model_dump_json(exclude_none=True) for one in triage))
    summary = RunSummary(
        metrics=run.metrics,
        slices=run.slices,
        curves=run.curves,
        judge_noise=run.noise,
        triage={} if triage is None else count_halves(triage),
        cost=run.replies_cost,
    )
    _write(folder / "summary.json", [summary.model_dump_json(indent=2)])


def read_run(folder: str | Path) -> Run:
    """Raises InputError naming file and line when the folder is no run folder of this version."""
    folder = Path(folder)
    if not (folder / "manifest.json").is_file():
        raise InputError(f"{folder} is no run folder: it holds no manifest.json")
    manifest, spent = read_manifest(folder)
    summary = read_summary(folder)
    results = _read_lines(folder / "cases.jsonl", CaseResult)
    if manifest.questions not in (None, len(results)):
        message = f"is cut off or damaged: it holds {len(results)} of {manifest.questions} questions"
        raise InputError(Fault(message, str(folder / "cases.jsonl")))
    calls = _read_lines(folder / "calls.jsonl", CallRecord)
    again = folder / "repeats.jsonl"
    return Run(
        manifest,
        tuple(results),
        summary.metrics,
        spent,
        tuple(calls),
        summary.slices,
        summary.curves,
        tuple(_read_lines(again, RepeatedResult) if again.exists() else ()),
        summary.judge_noise,
    )


def read_manifest(folder: Path) -> tuple[RunManifest, Cost]:
    """The facts of a run, and what it newly spent, without reading the cases. Raises InputError."""
    written = read_record(folder / "manifest.json", _Manifest)
    return RunManifest(**{name: getattr(written, name) for name in RunManifest.model_fields}), written.spent


def read_summary(folder: Path) -> RunSummary:
    """The means alone, without reading the cases. Raises InputError."""
    return read_record(folder / "summary.json", RunSummary)


def find_case(folder: str | Path, question: str) -> tuple[CaseResult, FlaggedAnswer | None]:
    """One case of a run folder, with its label where it was flagged. Raises InputError naming ids that are there."""
    results = {result.case.id: result for result in read_run(folder).results}
    if question not in results:
        near = get_close_matches(question, results, n=3) or list(results)[:3]
        raise InputError(f"there is no question {question!r} in {folder}; there are {', '.join(near)}, …")
    return results[question], next((one for one in read_triage(folder) if one.flag.id == question), None)


def read_triage(folder: str | Path) -> list[FlaggedAnswer]:
    """The labels of the flagged answers; none where nothing was flagged. Raises InputError naming file and line."""
    path = Path(folder) / "triage.jsonl"
    return _read_lines(path, FlaggedAnswer) if path.exists() else []


def write_record(path: Path, record: Record) -> None:
    """One JSON object, written in one step."""
    _write(path, [record.model_dump_json(indent=2)])


def write_records(path: Path, records: Iterable[Record]) -> None:
    """One JSON object a line, written in one step."""
    _write(path, (record.model_dump_json(exclude_none=True) for record in records))


def point_link(link: Path, folder: Path) -> None:
    """Let a name beside a run folder stand for it, in one step. Where links are not allowed the name is left out."""
    partial = link.with_name(f".{link.name}.{os.getpid()}.partial")
    try:
        partial.unlink(missing_ok=True)
        partial.symlink_to(folder.name, target_is_directory=True)
        partial.replace(link)
    except OSError:
        partial.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Replace a file in one step: a reader, or a crash, meets the old text or the new, never a part."""
    _write_pieces(path, [text])


def _write(path: Path, lines: Iterable[str]) -> None:
    _write_pieces(path, (f"{line}\n" for line in lines))


def _write_pieces(path: Path, pieces: Iterable[str]) -> None:
    partial = path.with_name(f".{path.name}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
            file.flush()
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise _named(error, path) from error


def _named(error: OSError, path: Path) -> OSError:
    """The error, with the name of what was to be written in place of the file that it would have come from."""
    return OSError(error.errno, error.strerror, str(path)) if error.errno else error


def read_record(path: Path, record_type: type[R]) -> R:
    """One JSON object. Raises InputError naming file and field."""
    return _validated(read_text(path), record_type, path, None)


def _read_lines(path: Path, record_type: type[R]) -> list[R]:
    lines = read_text(path).split("\n")
    return [_validated(line, record_type, path, number) for number, line in enumerate(lines, start=1) if line]


def _validated(text: str, record_type: type[R], path: Path, line: int | None) -> R:
    try:
        return record_type.model_validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        field = ".".join(map(str, first["loc"]))
        message = in_plain_words(first)
        if first["type"] != "json_invalid":
            message += "; it is damaged, or was written by another version"
        raise InputError(Fault(message, str(path), line, field)) from error
