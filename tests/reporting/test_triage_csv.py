"""triage.csv: opens in a spreadsheet as text, and can be read back."""

import csv
import io
import json
from pathlib import Path
from typing import Any

from run_makers import a_case, a_run, refused
from whichhalf.core.diagnosis import Diagnosis
from whichhalf.datasets.spreadsheet_cells import undefused
from whichhalf.reporting.run_reports import write_reports
from whichhalf.reporting.triage_csv import triage_csv
from whichhalf.triage.flagged import Flag, FlaggedAnswer


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def one_row(question: str, answer: str, note: str) -> dict[str, str]:
    run = a_run({"faithfulness": [refused()]}, [a_case(question, text=answer, answer=answer)])
    diagnosis = Diagnosis(
        half="manual", reason="check_by_hand", basis="labels", text="why", rule="textbook", thresholds={}
    )
    label = FlaggedAnswer(flag=Flag(id=question, note=note, by=note), diagnosis=diagnosis)
    (row,) = rows_of(triage_csv(run, [label]))
    return row


def test_the_demo(demo_run: Path) -> None:
    write_reports(demo_run)
    raw = (demo_run / "triage.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbfid,half,reason,expert_half,expert_note,question,answer,")
    assert b"\r\r" not in raw
    rows = rows_of(raw.decode())
    labels: list[dict[str, Any]] = [
        json.loads(line) for line in (demo_run / "triage.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert [(row["id"], row["half"], row["reason"], row["note"], row["by"]) for row in rows] == [
        (
            one["flag"]["id"],
            one["diagnosis"]["half"],
            one["diagnosis"]["reason"],
            one["flag"]["note"],
            one["flag"]["by"],
        )
        for one in labels
    ]
    assert {row["expert_half"] + row["expert_note"] for row in rows} == {""}
    rent = rows[0]
    assert rent["missing_passages"] == "c47: the search did not return it"
    assert rent["also"].startswith("generation: unsupported_claims.")
    assert rent["usual_fix"].startswith("Help the search find it.")
    assert rows[4]["unsupported_claims"] == ""
    assert "15 days after the last instalment. (not_mentioned)" in rows[5]["unsupported_claims"]


def test_no_cell_is_a_formula() -> None:
    row = one_row("=1+1", '=HYPERLINK("http://x.example")', "＝cmd|' /C calc'!A0")
    assert [row[name] for name in ("id", "answer", "question", "note", "by")] == [
        "'=1+1",
        *['\'=HYPERLINK("http://x.example")'] * 2,
        *["'＝cmd|' /C calc'!A0"] * 2,
    ]
    assert undefused(row["id"]) == "=1+1"


def test_quotes_and_line_breaks_stay_in_their_cell() -> None:
    row = one_row("q1", 'He said "no", then\r\n=left; a,b', "x")
    assert row["answer"] == 'He said "no", then\n=left; a,b'


def test_an_answer_longer_than_a_cell_is_cut_and_says_so() -> None:
    row = one_row("q1", "z" * 100_000, "\u202egpj")
    assert row["answer"] == "z" * 32_000 + "… (cut; the whole of it is in triage.html)"
    assert row["note"] == "gpj"
