"""whichhalf report: pages written with a run, again on request, and never at its cost."""

import json
from pathlib import Path
from typing import Any

FLAGS = Path(__file__).parents[2] / "fixtures" / "tax_assistant" / "flags.csv"
PAGES = ["report.html", "triage.csv", "triage.html"]


def pages_of(run: Path) -> list[str]:
    return sorted(path.name for path in run.iterdir() if path.suffix in {".html", ".csv"})


def test_a_run_leaves_its_pages(call: Any, demo_config: Any, tmp_path: Path) -> None:
    assert call("run", demo_config(), "-q").code == 0
    (run,) = (tmp_path / "runs").iterdir()
    assert pages_of(run) == PAGES
    assert "12 answers were marked wrong" in (run / "report.html").read_text(encoding="utf-8")


def test_a_run_without_flags_has_no_triage_page(call: Any, demo_config: Any, tmp_path: Path) -> None:
    assert call("run", demo_config(triage_flags=None), "-q").code == 0
    (run,) = (tmp_path / "runs").iterdir()
    assert pages_of(run) == ["report.html"]
    assert "marked wrong" not in (run / "report.html").read_text(encoding="utf-8")


def test_report_writes_them_again(call: Any, run_folder: Path) -> None:
    (run_folder / "report.html").write_text("old", encoding="utf-8")
    done = call("report", run_folder)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [str(run_folder / name) for name in ("report.html", "triage.html", "triage.csv")]
    assert (run_folder / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    first = [(run_folder / name).read_bytes() for name in PAGES]
    assert call("report", run_folder, "-q").out == ""
    assert [(run_folder / name).read_bytes() for name in PAGES] == first
    assert not list(run_folder.glob(".*"))


def test_triage_writes_its_page_and_renews_the_report(call: Any, run_folder: Path, tmp_path: Path) -> None:
    flags = tmp_path / "flags.csv"
    flags.write_text("id\nq19\n", encoding="utf-8")
    assert call("triage", run_folder, "--flags", flags, "-q").code == 0
    for name in ("report.html", "triage.html"):
        assert "1 answer was marked wrong: 0 failed in retrieval" in (run_folder / name).read_text(encoding="utf-8")


def test_no_run_folder(call: Any, tmp_path: Path) -> None:
    done = call("report", tmp_path)
    assert (done.code, done.err) == (2, f"whichhalf: {tmp_path} is no run folder: it holds no manifest.json\n")


def test_a_broken_line_is_named(call: Any, run_folder: Path) -> None:
    with (run_folder / "triage.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps({"flag": {"id": "q01"}}) + "\n")
    done = call("report", run_folder)
    assert (done.code, done.out) == (2, "")
    assert f"{run_folder / 'triage.jsonl'}:13: diagnosis: " in done.err


def test_a_page_that_cannot_be_written_costs_no_run(call: Any, run_folder: Path) -> None:
    (run_folder / "report.html").mkdir()
    before = (run_folder / "summary.json").read_bytes()
    done = call("triage", run_folder, "--flags", FLAGS)
    assert done.code == 3
    assert "Which half failed? 12 answers marked wrong" in done.out
    assert "report.html" in done.err
    assert (run_folder / "summary.json").read_bytes() == before
