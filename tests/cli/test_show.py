"""One case, readable by an expert."""

import json
from pathlib import Path
from typing import Any

from whichhalf.core.outcome import Scored
from whichhalf.core.run import CaseResult
from whichhalf.reporting.case_view import claim_tables
from whichhalf.running.run_folder import read_run


def test_claims_verdicts_passages_and_quotes(call: Any, run_folder: Path) -> None:
    done = call("show", run_folder, "q06")
    assert (done.code, done.err) == (0, "")
    text = " ".join(done.out.split())
    assert "Question q06 Got a demand notice" in text
    assert "Passages the model saw ★ = labelled relevant 1. ★ c95 A demand notice says" in text
    assert "faithfulness 0.500" in text
    assert "✗ A demand notice has to be paid within 60 days of its date. contradicted" in text
    assert "c95: “Pay within 45 days of the date on the notice”" in text


def test_missing_passages_and_outcomes_without_a_number_are_named(call: Any, run_folder: Path) -> None:
    text = " ".join(call("show", run_folder, "q17").out.split())
    assert "missing: c61" in text
    assert "faithfulness – undefined: refused" in text


def test_the_label_stands_beside_the_case(call: Any, run_folder: Path) -> None:
    flags = Path(__file__).parents[2] / "fixtures" / "tax_assistant" / "flags.csv"
    call("triage", run_folder, "--flags", flags, "-q")
    assert "Label: generation · contradicts_context" in call("show", run_folder, "q06").out
    assert "Label:" not in call("show", run_folder, "q02").out


def test_a_claim_table_is_shown_once_for_all_metrics_that_share_it(finished_demo: Path) -> None:
    run = read_run(finished_demo)
    judged = next(one for one in run.results if one.case.id == "q06")
    shared = judged.outcomes["faithfulness"]
    assert isinstance(shared, Scored)
    part = shared.model_copy(update={"verdicts": shared.verdicts[:1]})
    outcomes = {"faithfulness": shared, "hallucination": shared, "self_knowledge": part}
    tables = claim_tables(outcomes)
    assert [(one.metrics, one.verdicts) for one in tables] == [(tuple(outcomes), shared.verdicts)]


def test_the_label_has_what_else_was_found_and_what_the_experts_said(call: Any, run_folder: Path) -> None:
    flags = run_folder / "flags.jsonl"
    marks = [
        {"id": "q06", "note": "45 days, not 60", "by": "Meera"},
        {"id": "q06", "flagged_wrong": False, "by": "Ravi"},
    ]
    flags.write_text("".join(json.dumps(one) + "\n" for one in marks), encoding="utf-8")
    assert call("triage", run_folder, "--flags", flags, "-q").code == 0
    rows = [json.loads(line) for line in (run_folder / "triage.jsonl").read_text(encoding="utf-8").splitlines()]
    rows[0]["diagnosis"]["also"] = [
        {"half": "generation", "reason": "incomplete", "basis": "judged", "text": "A fact is left out."}
    ]
    (run_folder / "triage.jsonl").write_text(json.dumps(rows[0]) + "\n", encoding="utf-8")
    text = " ".join(call("show", run_folder, "q06").out.split())
    assert "The answer gives another number than the passage it rests on." in text
    assert "Also: generation · incomplete A fact is left out." in text
    assert "Meera: marked wrong 45 days, not 60" in text
    assert "Ravi: found right (no note)" in text


def test_json_is_the_line_of_cases_jsonl(call: Any, run_folder: Path) -> None:
    result = CaseResult.model_validate_json(call("show", run_folder, "q06", "--json").out)
    lines = (run_folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    assert result in [CaseResult.model_validate_json(line) for line in lines]


def test_an_unknown_id_names_some_that_are_there(call: Any, run_folder: Path) -> None:
    done = call("show", run_folder, "q99")
    assert done.code == 2
    assert f"there is no question 'q99' in {run_folder}; there are q" in done.err


def test_a_folder_that_is_no_run(call: Any, tmp_path: Path) -> None:
    done = call("show", tmp_path, "q01")
    assert done.code == 2
    assert "is no run folder" in done.err
