"""The pages and tables of a run folder, made from what it holds."""

from pathlib import Path

from whichhalf.core.case import Passage
from whichhalf.core.run import Run
from whichhalf.datasets.corpus import load_corpus
from whichhalf.errors import InputError
from whichhalf.reporting.run_page import run_page
from whichhalf.reporting.triage_csv import triage_csv
from whichhalf.reporting.triage_page import triage_page
from whichhalf.running.run_folder import read_run, read_triage, write_text

RUN_PAGE, TRIAGE_PAGE, TRIAGE_TABLE = "report.html", "triage.html", "triage.csv"


def write_reports(folder: Path) -> list[Path]:
    """Write, or replace, report.html and, where answers were flagged, triage.html and triage.csv. Returns their paths.

    Raises InputError when it is no run folder of this version.
    """
    run = read_run(folder)
    answers = read_triage(folder)
    title = folder.resolve().name
    texts = {RUN_PAGE: run_page(title, run, answers)}
    if answers:
        texts[TRIAGE_PAGE] = triage_page(title, run, answers, _corpus_of(run))
        texts[TRIAGE_TABLE] = triage_csv(run, answers)
    for name, text in texts.items():
        write_text(folder / name, text)
    return [folder / name for name in texts]


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
