"""The history of a folder of runs: an index in `history.sqlite`, which can always be made anew from the run folders.

Runs are compared, and drawn as one line, only within a lineage: the same golden set, judge, prompts and sampling.
"""

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from whichhalf.catalogue import is_judged
from whichhalf.core.record import Record
from whichhalf.core.run import MetricSummary, RunManifest
from whichhalf.errors import InputError
from whichhalf.running.night import NIGHT_FILE, Night, night_cost
from whichhalf.running.run_folder import read_manifest, read_record, read_summary
from whichhalf.running.writable import check_writable

FILE_NAME = "history.sqlite"
_OF_THE_DATA = ("golden set", "split", "number of questions")
_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    folder TEXT PRIMARY KEY, created TEXT NOT NULL, job TEXT NOT NULL, verdict TEXT NOT NULL, lineage TEXT NOT NULL,
    judge_calls INTEGER NOT NULL, usd REAL
);
CREATE TABLE IF NOT EXISTS scores (
    folder TEXT NOT NULL REFERENCES runs (folder), metric TEXT NOT NULL, slice TEXT NOT NULL, mean REAL,
    low REAL, high REAL, scored INTEGER NOT NULL, failed INTEGER NOT NULL, contract TEXT NOT NULL,
    PRIMARY KEY (folder, metric, slice)
);
"""


class PastRun(Record):
    """One run as the history knows it."""

    folder: str
    """Name of its folder."""
    created: str
    job: str
    """Name of the config it was made from."""
    verdict: str
    """Of a night: `green`, `red` or `incomplete`; `run` for a run without gates."""
    lineage: dict[str, str]
    """What must be the same before two runs may be compared, in words → value."""
    judge_calls: int
    usd: float | None


@dataclass(frozen=True, slots=True)
class Point:
    """One metric of one run."""

    run: PastRun
    mean: float | None
    low: float | None
    high: float | None
    scored: int
    failed: int
    breaks: tuple[str, ...]
    """What differs from the run before, in words: the line is not drawn on from there."""


def lineage(manifest: RunManifest) -> dict[str, str]:
    """What must match before two runs may be compared, apart from each metric's contract. Words → value."""
    judge = manifest.judge
    config_data = manifest.config.get("data")
    split = config_data.get("split") if isinstance(config_data, dict) else None
    facts: dict[str, JsonValue] = {
        "golden set": manifest.data.get("golden", ""),
        "split": split,
        "number of questions": manifest.questions,
        "judge model": judge.get("model"),
        "judge model as returned": judge.get("returned"),
        "judge endpoint": judge.get("endpoint"),
        "sampling": judge.get("sampling"),
        "embedding model": judge.get("embedding"),
        # by name: a run uses one version of each
        "judge prompts": {key.partition("/")[0]: [key, sha256] for key, sha256 in manifest.prompts.items()},
    }
    return {what: json.dumps(value, sort_keys=True, ensure_ascii=False) for what, value in facts.items()}


def differences(before: Mapping[str, str], now: Mapping[str, str], *, judged: bool = True) -> tuple[str, ...]:
    """The parts of the lineage that are not the same, in words; without `judged` only those that touch arithmetic.

    What only one of the runs used, such as a prompt of a metric that the other did not ask for, makes no difference.
    """
    parts = [what for what in now if judged or what in _OF_THE_DATA]
    return tuple(what for what in parts if _differ(json.loads(before.get(what, "null")), json.loads(now[what])))


def _differ(before: JsonValue, now: JsonValue) -> bool:
    if before is None or now is None:
        return False
    if isinstance(before, dict) and isinstance(now, dict):
        return any(before[key] != now[key] for key in before.keys() & now.keys())
    return before != now


class History:
    """The runs of one folder. Raises InputError when the index is damaged: it can be rebuilt.

    Where the folder cannot be written, a copy of the index is kept in memory.
    """

    def __init__(self, runs: Path) -> None:
        self._runs = runs
        self._path = runs / FILE_NAME
        self._copy: sqlite3.Connection | None = None

    @property
    def is_empty(self) -> bool:
        """Whether the folder holds neither a run nor an index of earlier ones; looking makes none."""
        return not self._path.exists() and not self._folders()

    def sync(self) -> int:
        """Add run folders that the index does not know yet; returns how many. Folders that cannot be read are left."""
        with self._connected() as connection:
            known = {folder for (folder,) in connection.execute("SELECT folder FROM runs")}
            added = 0
            for folder in self._folders():
                if folder.name not in known:
                    added += self._add(connection, folder)
            return added

    def add(self, folder: Path) -> None:
        """Put one run folder into the index, in place of what it says of it."""
        with self._connected() as connection:
            self._add(connection, folder)

    def rebuild(self) -> int:
        """Make the index anew from the run folders; returns how many runs it holds. The old index is replaced."""
        if not self._runs.is_dir():
            raise InputError(f"{self._runs} is no folder of runs")
        check_writable(self._runs)
        for path in self._runs.glob(f"{FILE_NAME}*"):
            path.unlink()
        return self.sync()

    def runs(self) -> list[PastRun]:
        """Oldest first."""
        with self._connected() as connection:
            rows = connection.execute(
                "SELECT folder, created, job, verdict, lineage, judge_calls, usd FROM runs ORDER BY created, folder"
            )
            return [_past_run(row) for row in rows]

    def metrics(self) -> list[str]:
        """Every metric that some run scored."""
        with self._connected() as connection:
            return [name for (name,) in connection.execute("SELECT DISTINCT metric FROM scores ORDER BY metric")]

    def trend(self, metric: str, slice_name: str = "") -> list[Point]:
        """One point a run that has the metric, oldest first; `slice_name` is `tag=value`, empty for all questions."""
        with self._connected() as connection:
            rows = connection.execute(
                "SELECT r.folder, created, job, verdict, lineage, judge_calls, usd, mean, low, high, scored, failed, "
                "contract FROM runs r JOIN scores s ON r.folder = s.folder WHERE metric = ? AND slice = ? "
                "ORDER BY created, r.folder",
                (metric, slice_name),
            ).fetchall()
        points: list[Point] = []
        contract = ""
        for row in rows:
            run = _past_run(row[:7])
            breaks: tuple[str, ...] = ()
            if points:
                breaks = differences(points[-1].run.lineage, run.lineage, judged=is_judged(metric))
                breaks += ("contract of the metric",) if row[12] != contract else ()
            contract = row[12]
            mean, low, high, scored, failed = row[7:12]
            points.append(Point(run, mean, low, high, scored, failed, breaks))
        return points

    def last_green(self, job: str, now: Mapping[str, str], *, judged: bool) -> tuple[Path | None, str]:
        """Folder of the last green night of this job that may be compared, under judged metrics or under arithmetic.

        None, and the reason in words, where there is none.
        """
        green = [run for run in self.runs() if run.verdict == "green" and run.job == job]
        green = [run for run in green if (self._runs / run.folder).is_dir()]
        same = [run for run in green if not differences(run.lineage, now, judged=judged)]
        if same:
            return self._runs / same[-1].folder, same[-1].folder
        if not green:
            return None, "no green night yet"
        return (
            None,
            f"since {green[-1].folder} changed: {', '.join(differences(green[-1].lineage, now, judged=judged))}",
        )

    def nights(self, job: str) -> list[Night]:
        """What the nights of a job said of themselves, oldest first; of the folders that are still there."""
        found = []
        for run in self.runs():
            path = self._runs / run.folder / NIGHT_FILE
            if run.job == job and path.is_file():
                found.append(read_record(path, Night))
        return found

    def _folders(self) -> list[Path]:
        if not self._runs.is_dir():
            return []
        folders = (path.parent for path in self._runs.glob("[!.]*/manifest.json"))
        return sorted(folder for folder in folders if not folder.is_symlink())

    def _add(self, connection: sqlite3.Connection, folder: Path) -> int:
        try:
            manifest, spent = read_manifest(folder)
            summary = read_summary(folder)
            night = read_record(folder / NIGHT_FILE, Night) if (folder / NIGHT_FILE).is_file() else None
        except InputError:  # of another version, or not whole: it is no part of this history
            return 0
        cost = night_cost(spent, night.canary if night else None)
        connection.execute(
            "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                folder.name,
                manifest.created,
                night.job if night else "",
                night.verdict if night else "run",
                json.dumps(lineage(manifest), ensure_ascii=False),
                cost.judge_calls,
                cost.spent_usd,
            ),
        )
        rows = {"": summary.metrics}
        rows |= {f"{tag}={value}": row for tag, values in summary.slices.items() for value, row in values.items()}
        connection.executemany(
            "INSERT OR REPLACE INTO scores VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [_score_row(folder.name, name, part, one) for part, row in rows.items() for name, one in row.items()],
        )
        return 1

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._opened() as connection, connection:
                connection.executescript(_SCHEMA)
                yield connection
        except sqlite3.DatabaseError as error:
            raise InputError(
                f"the history {self._path} cannot be used ({error}); `whichhalf history rebuild` makes it anew from "
                "the run folders"
            ) from error

    def _opened(self) -> AbstractContextManager[sqlite3.Connection]:
        if self._runs.is_dir() and not os.access(self._runs, os.W_OK):
            self._copy = self._copy or _in_memory(self._path)
            return nullcontext(self._copy)
        self._runs.mkdir(parents=True, exist_ok=True)
        return closing(sqlite3.connect(self._path, timeout=60))


def _in_memory(path: Path) -> sqlite3.Connection:
    """A copy of an index, or an empty one where there is none."""
    copy = sqlite3.connect(":memory:")
    if path.is_file():
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)) as index:
            index.backup(copy)
    return copy


def _past_run(row: tuple[str, str, str, str, str, int, float | None]) -> PastRun:
    folder, created, job, verdict, kept, calls, usd = row
    return PastRun(
        folder=folder, created=created, job=job, verdict=verdict, lineage=json.loads(kept), judge_calls=calls, usd=usd
    )


def _score_row(folder: str, metric: str, part: str, one: MetricSummary) -> tuple[object, ...]:
    failed = sum(one.failed.values())
    return folder, metric, part, one.mean, one.low, one.high, one.scored, failed, one.contract
