"""The pages and tables of a run folder, made from what it holds."""

from collections.abc import Sequence
from pathlib import Path

from whichhalf.core.case import Passage
from whichhalf.core.run import Run
from whichhalf.datasets.corpus import load_corpus
from whichhalf.errors import InputError
from whichhalf.reporting.run_page import run_page
from whichhalf.running.night import NIGHT_FILE, Night
from whichhalf.running.run_folder import read_record, read_run, read_triage, write_text
from whichhalf.running.writable import check_writable
from whichhalf.triage.flagged import FlaggedAnswer

RUN_PAGE, TRIAGE_PAGE, TRIAGE_TABLE = "report.html", "triage.html", "triage.csv"


def write_reports(folder: Path, run: Run | None = None) -> list[Path]:
    """Write, or replace, report.html and, where answers were flagged, triage.html and triage.csv. Returns their paths.

    `run` is what the folder holds, where the caller still has it. Raises InputError when it is no run folder of this
    version.
    """
    run = run or read_run(folder)
    check_writable(folder)
    answers = read_triage(folder)
    title = folder.resolve().name
    texts = {RUN_PAGE: _run_page(folder, title, run, answers)}
    if answers:
        from whichhalf.reporting.triage_csv import triage_csv  # loaded where they are needed: most runs are not flagged
        from whichhalf.reporting.triage_page import triage_page

        texts[TRIAGE_PAGE] = triage_page(title, run, answers, _corpus_of(run))
        texts[TRIAGE_TABLE] = triage_csv(run, answers)
    for name, text in texts.items():
        write_text(folder / name, text)
    return [folder / name for name in texts]


def _run_page(folder: Path, title: str, run: Run, answers: Sequence[FlaggedAnswer]) -> str:
    """The page of a run; of a night, with what it says of itself."""
    if not (folder / NIGHT_FILE).is_file():
        return run_page(title, run, answers)
    from whichhalf.comparing.compare_runs import compare
    from whichhalf.reporting.night_sections import night_sections, night_verdict_line
    from whichhalf.running.history import History

    night = read_record(folder / NIGHT_FILE, Night)
    runs = folder.resolve().parent
    before = runs / Path(night.baseline).name
    is_there = before.name == night.baseline != title and (before / NIGHT_FILE).is_file()
    since = compare(read_run(before), run, names=(night.baseline, title), anyway=True) if is_there else None
    sections = night_sections(night, since, History(runs), list(run.metrics), title)
    return run_page(title, run, answers, verdict=night_verdict_line(night), sections=sections)


def _corpus_of(run: Run) -> dict[str, Passage]:
    """The corpus that the run's config names; empty when it is not there any more."""
    data = run.manifest.config.get("data")
    path = data.get("corpus") if isinstance(data, dict) else None
    if not isinstance(path, str) or not Path(path).exists():
        return {}
    try:
        return load_corpus(path)
    except InputError:  # it was read when the run was made: a page does without what broke since
        return {}
