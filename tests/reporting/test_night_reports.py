"""What a night leaves to read: Markdown, JSON, and the parts of its page. Hostile text stays text."""

import json
from pathlib import Path

import pytest

from night_makers import HOSTILE, a_night, write_night
from scored_runs import scored_run
from whichhalf.reporting.night_markdown import night_as_markdown
from whichhalf.reporting.run_reports import RUN_PAGE, write_reports
from whichhalf.running.history import History
from whichhalf.running.night import NIGHT_FILE
from whichhalf.running.run_folder import write_record, write_run


def test_markdown_stays_a_table_and_mentions_nobody() -> None:
    text = night_as_markdown(a_night(HOSTILE), scored_run({"recall@5[retrieved]": [0.5, 1.0]}), HOSTILE)
    assert "<script" not in text
    assert "@everyone" not in text
    assert "https:" not in text
    rows = [line for line in text.splitlines() if line.startswith("| recall@5 ")]
    assert [row.count("|") for row in rows] == [4]
    assert "| recall@5&#91;retrieved&#93; | 0.750 |" in text  # the mean of a half and one


def test_the_page_of_a_night_leads_with_its_verdict_and_compares_with_its_baseline(tmp_path: Path) -> None:
    write_night(tmp_path, "n-1", a_night(), 1.0, "2026-11-01T00:00:00+00:00")
    second = write_night(tmp_path, "n-2", a_night(baseline="n-1"), 0.5, "2026-11-02T00:00:00+00:00")
    write_reports(second)
    page = (second / RUN_PAGE).read_text(encoding="utf-8")
    assert '<p class="verdict bad" id="verdict">Red: s</p>' in page
    assert "Since n-1" in page
    assert "-0.500" in page  # faithfulness fell from 1 to a half
    assert page.index('id="gates"') < page.index('id="since"') < page.index('id="trends"') < page.index('id="canary"')
    first = write_reports(tmp_path / "n-1")[0].read_text(encoding="utf-8")
    assert "Nothing to compare with: no green night yet." in first
    assert "2026-11-02" not in first  # a page made again shows what was known that morning


def test_judged_numbers_of_another_judge_are_not_called_worse(tmp_path: Path) -> None:
    scores = {"recall@5[retrieved]": [1.0, 1.0, 1.0, 0.5], "faithfulness": [1.0, 1.0, 1.0, 1.0]}
    lower = {"recall@5[retrieved]": [0.5, 0.5, 0.5, 0.5], "faithfulness": [0.1, 0.1, 0.1, 0.1]}
    for name, values, model, day in (("n-1", scores, "m-1", 1), ("n-2", lower, "m-2", 2)):
        night = a_night(baseline="n-1" if day == 2 else "no green night yet")
        run = scored_run(values, model=model, created=f"2026-11-0{day}T00:00:00+00:00")
        write_run(run, tmp_path / name)
        write_record(tmp_path / name / NIGHT_FILE, night)
    History(tmp_path).sync()
    page = write_reports(tmp_path / "n-2")[0].read_text(encoding="utf-8")
    since = page[page.index('id="since"') : page.index('id="trends"')]
    assert "Judged metrics are not compared with that night, because this is not the same:" in since
    assert "m-1" in since
    assert "m-2" in since
    assert "recall@5[retrieved]" in since
    assert "faithfulness" not in since


def test_hostile_text_is_inert_on_the_page(tmp_path: Path) -> None:
    folder = write_night(tmp_path, "n-1", a_night(HOSTILE, moved=True), 1.0, "2026-11-01T00:00:00+00:00")
    write_reports(folder)
    page = (folder / RUN_PAGE).read_text(encoding="utf-8")
    assert "<script>alert" not in page
    assert "\u202e" not in page
    assert "{{ 7*7 }}" in page


@pytest.mark.parametrize("name", ["..", "/etc", "../other"])
def test_a_baseline_never_leads_out_of_the_folder_of_runs(tmp_path: Path, name: str) -> None:
    outside = write_night(tmp_path, "other", a_night(), 1.0, "2026-11-01T00:00:00+00:00")
    folder = write_night(tmp_path / "runs", "n-1", a_night(baseline=name), 1.0, "2026-11-02T00:00:00+00:00")
    write_reports(folder)
    assert "Nothing to compare with" in (folder / RUN_PAGE).read_text(encoding="utf-8")
    assert json.loads((outside / "summary.json").read_text(encoding="utf-8"))["metrics"]
