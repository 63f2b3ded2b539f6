"""The history is an index that can always be made anew, and never joins what may not be compared."""

from pathlib import Path

import pytest

from scored_runs import scored_run
from whichhalf.errors import InputError
from whichhalf.running.gate import GateVerdict
from whichhalf.running.history import FILE_NAME, History, differences, lineage
from whichhalf.running.night import NIGHT_FILE, Night, NightWord
from whichhalf.running.run_folder import write_record, write_run


def add_night(runs: Path, day: int, verdict: NightWord, mean: float, *, job: str = "nightly", **facts: str) -> Path:
    run = scored_run({"faithfulness": [mean, mean]}, created=f"2026-11-{day:02}T02:17:00+00:00", **facts)
    folder = runs / f"{job}-{day:02}"
    write_run(run, folder)
    gates = (GateVerdict(gate="g", verdict="passed", sentence="s"),)
    write_record(
        folder / NIGHT_FILE, Night(job=job, verdict=verdict, headline="h", gates=gates, baseline="b", seconds=1.0)
    )
    return folder


def test_runs_come_oldest_first_and_are_added_once(tmp_path: Path) -> None:
    add_night(tmp_path, 2, "red", 0.5)
    add_night(tmp_path, 1, "green", 0.75)
    history = History(tmp_path)
    assert [history.sync(), history.sync()] == [2, 0]
    assert [(run.folder, run.verdict, run.judge_calls) for run in history.runs()] == [
        ("nightly-01", "green", 7),
        ("nightly-02", "red", 7),
    ]
    assert [point.mean for point in history.trend("faithfulness")] == [0.75, 0.5]
    assert [point.scored for point in history.trend("faithfulness", "topic=rent")] == [1, 1]


def test_another_golden_set_judge_or_prompt_breaks_the_line(tmp_path: Path) -> None:
    add_night(tmp_path, 1, "green", 0.75)
    add_night(tmp_path, 2, "green", 0.75, outputs="o2")
    add_night(tmp_path, 3, "green", 0.75, golden="g2")
    add_night(tmp_path, 4, "green", 0.75, golden="g2", model="m-2")
    add_night(tmp_path, 5, "green", 0.75, golden="g2", model="m-2", prompt="p2")
    history = History(tmp_path)
    history.sync()
    assert [point.breaks for point in history.trend("faithfulness")] == [
        (),
        (),
        ("golden set",),
        ("judge model as returned",),
        ("judge prompts",),
    ]


def test_a_sample_is_another_line_than_the_whole() -> None:
    whole, sample = (
        lineage(scored_run({"faithfulness": [1.0]}).manifest.model_copy(update={"questions": count}))
        for count in (9, 4)
    )
    assert differences(whole, sample, judged=False) == ("number of questions",)
    assert differences(whole, whole) == ()


def test_drops_are_measured_against_the_last_green_night_of_the_same_lineage(tmp_path: Path) -> None:
    first = add_night(tmp_path, 1, "green", 0.75)
    add_night(tmp_path, 2, "red", 0.5)
    add_night(tmp_path, 3, "incomplete", 0.5)
    add_night(tmp_path, 4, "green", 0.5, job="other")
    history = History(tmp_path)
    history.sync()
    now = lineage(scored_run({"faithfulness": [1.0]}).manifest)
    assert history.last_green("nightly", now, judged=True) == (first, "nightly-01")
    changed = lineage(scored_run({"faithfulness": [1.0]}, golden="g2", prompt="p2").manifest)
    assert history.last_green("nightly", changed, judged=True) == (
        None,
        "since nightly-01 changed: golden set, judge prompts",
    )
    another_judge = lineage(scored_run({"faithfulness": [1.0]}, model="m-2").manifest)
    assert history.last_green("nightly", another_judge, judged=False) == (first, "nightly-01")
    assert history.last_green("nightly", another_judge, judged=True)[0] is None
    assert history.last_green("new", now, judged=True) == (None, "no green night yet")


def test_the_index_is_made_anew_from_the_folders(tmp_path: Path) -> None:
    add_night(tmp_path, 1, "green", 0.75)
    history = History(tmp_path)
    history.sync()
    before = history.trend("faithfulness")
    (tmp_path / FILE_NAME).write_bytes(b"not a database, but more than a header's worth of text" * 10)
    with pytest.raises(InputError, match="history rebuild"):
        history.runs()
    assert history.rebuild() == 1
    assert history.trend("faithfulness") == before


def test_folders_that_are_no_runs_and_unfinished_ones_are_passed_over(tmp_path: Path) -> None:
    add_night(tmp_path, 1, "green", 0.75)
    (tmp_path / "notes").mkdir()
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "manifest.json").write_text("{", encoding="utf-8")
    add_night(tmp_path, 2, "green", 0.75).rename(tmp_path / ".nightly-02.17.partial")
    (tmp_path / "latest").symlink_to("nightly-01")
    history = History(tmp_path)
    assert history.sync() == 1
