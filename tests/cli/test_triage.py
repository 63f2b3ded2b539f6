"""whichhalf triage: labels for flagged answers, written into the run folder."""

import json
from pathlib import Path
from typing import Any

import pytest

FLAGS = Path(__file__).parents[2] / "fixtures" / "tax_assistant" / "flags.csv"
HALVES = {"retrieval": 8, "generation": 3, "manual": 1}


def halves(facts: dict[str, Any]) -> dict[str, int]:
    return {half: facts[half] for half in HALVES}


def lines_of(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (run / "triage.jsonl").read_text(encoding="utf-8").splitlines()]


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("options", "rule", "floor"),
    [([], "default", 1.0), (["--rule", "default"], "default", 1.0), (["--rule", "textbook"], "textbook", 0.8)],
)
def test_both_rules_agree_on_the_demo(call: Any, run_folder: Path, options: list[str], rule: str, floor: float) -> None:
    done = call("triage", run_folder, "--flags", FLAGS, "--json", *options)
    assert (done.code, done.err) == (0, "")
    facts = json.loads(done.out)
    assert halves(facts) == HALVES
    assert facts["unknown"] == []
    assert {answer["rule"] for answer in facts["answers"]} == {rule}
    assert facts["answers"][0]["thresholds"] == {"k": 5.0, "faithfulness_floor": floor}
    assert [line["flag"]["id"] for line in lines_of(run_folder)] == [answer["id"] for answer in facts["answers"]]
    summary = json.loads((run_folder / "summary.json").read_text(encoding="utf-8"))
    assert summary["triage"] == HALVES


def test_the_terminal(call: Any, run_folder: Path) -> None:
    done = call("triage", run_folder, "--flags", FLAGS, "--rule", "textbook")
    assert (done.code, done.err) == (0, "")
    assert "Which half failed? 12 answers marked wrong, 5 checked and found right" in done.out
    for half, count in HALVES.items():
        assert f"  {half}".ljust(14) + str(count) in done.out
    assert "What to fix first" in done.out
    assert "Rule: textbook (k 5, faithfulness_floor 0.8)." in done.out


def test_a_json_lines_file_and_ids_the_run_does_not_know(call: Any, run_folder: Path, tmp_path: Path) -> None:
    flags = write(
        tmp_path,
        "flags.jsonl",
        '{"id": "q01", "note": "made up", "by": "CA Meera", "priority": 1}\n'
        '{"id": "q99", "flagged_wrong": true}\n{"id": 7}\n{"id": "q02", "flagged_wrong": false}\n',
    )
    facts = json.loads(call("triage", run_folder, "--flags", flags, "--json").out)
    assert halves(facts) == {"retrieval": 1, "generation": 0, "manual": 0}
    assert facts["unknown"] == ["q99", "7"]
    assert [(answer["id"], answer["note"], answer["by"]) for answer in facts["answers"]] == [
        ("q01", "made up", "CA Meera")
    ]
    shown = call("triage", run_folder, "--flags", flags).out
    assert "Which half failed? 1 answer marked wrong, 1 checked and found right" in shown
    assert "Flagged, but not in the run: q99, 7" in shown


def test_a_second_triage_replaces_the_first(call: Any, run_folder: Path, tmp_path: Path) -> None:
    assert len(lines_of(run_folder)) == 12
    flags = write(tmp_path, "flags.csv", "id\nq19\n")
    assert call("triage", run_folder, "--flags", flags, "--quiet").code == 0
    assert [(line["flag"]["id"], line["diagnosis"]["half"]) for line in lines_of(run_folder)] == [("q19", "manual")]
    summary = json.loads((run_folder / "summary.json").read_text(encoding="utf-8"))
    assert summary["triage"] == {"retrieval": 0, "generation": 0, "manual": 1}
    assert list(summary["metrics"]) == [
        "recall@5[retrieved]",
        "ndcg@5[retrieved]",
        "judged@5[retrieved]",
        "faithfulness",
    ]
    assert not list(run_folder.glob(".*"))


def test_quiet_prints_nothing(call: Any, run_folder: Path) -> None:
    done = call("triage", run_folder, "--flags", FLAGS, "-q")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_k_moves_the_cut_of_the_textbook_rule(call: Any, run_folder: Path) -> None:
    facts = json.loads(call("triage", run_folder, "--flags", FLAGS, "--rule", "textbook", "--k", "8", "--json").out)
    assert halves(facts)["retrieval"] == 5
    assert facts["answers"][0]["thresholds"]["k"] == 8.0


def test_flags_as_a_spreadsheet_with_semicolons_writes_them(call: Any, run_folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "flags.csv"
    path.write_text("\ufeffid;note\nq01;wrong, by far\n", encoding="utf-8")
    done = call("triage", run_folder, "--flags", path, "--json")
    assert done.code == 0
    [answer] = json.loads(done.out)["answers"]
    assert (answer["id"], answer["note"]) == ("q01", "wrong, by far")


BAD: dict[str, tuple[str, str, str]] = {
    "no id column": ("flags.csv", "name,note\nq01,a\n", ":1: needs a column 'id'; it has name, note"),
    "semicolons without id": ("flags.csv", "name;note\nq01;a\n", ":1: needs a column 'id'; it has name, note"),
    "a word that is neither": (
        "flags.csv",
        "id,flagged_wrong\nq01,true\nq02,maybe\n",
        ":3: flagged_wrong: 'maybe' is neither true nor false",
    ),
    "a row without id": ("flags.csv", "id,note\n,a\n", ":2: id: is missing"),
    "flagged twice": ("flags.csv", "id\nq01\nq01\n", ":3: id: 'q01' is flagged twice"),
    "no flag": ("flags.csv", "id,note\n", ": holds no flag"),
    "a decimal id": (
        "flags.jsonl",
        '{"id": 1.0}',
        ":1: id: id must be text or a whole number, but 1.0 is a decimal number",
    ),
    "a note of another type": ("flags.jsonl", '{"id": "q01", "note": 5}', ":1: note: must be text in quotes"),
    "a stray carriage return": (
        "flags.csv",
        "id,note\nq01,a\rb\n",
        ":2: not valid CSV (new-line character seen in unquoted field)",
    ),
}


@pytest.mark.parametrize(("name", "text", "message"), BAD.values(), ids=BAD.keys())
def test_faulty_flags(call: Any, run_folder: Path, tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode())
    before = (run_folder / "triage.jsonl").read_bytes()
    done = call("triage", run_folder, "--flags", path)
    assert (done.code, done.out, done.err) == (2, "", f"whichhalf: {path}{message}\n")
    assert (run_folder / "triage.jsonl").read_bytes() == before


WORDS = [("true", 1), ("YES", 1), ("1", 1), ("x", 1), ("", 1), ("false", 0), ("No", 0), ("0", 0), ("ok", 0)]


@pytest.mark.parametrize(("word", "wrong"), WORDS)
def test_words_of_a_spreadsheet(call: Any, run_folder: Path, tmp_path: Path, word: str, wrong: int) -> None:
    """bug-207 as well: spreadsheets begin a CSV with a byte order mark and end lines with CRLF."""
    path = tmp_path / "flags.csv"
    path.write_bytes(f'\ufeffid,flagged_wrong,note\r\nq19,{word},"two\r\nlines"\r\n'.encode())
    facts = json.loads(call("triage", run_folder, "--flags", path, "--json").out)
    assert len(facts["answers"]) == wrong


def test_no_flagged_id_in_the_run(call: Any, run_folder: Path, tmp_path: Path) -> None:
    done = call("triage", run_folder, "--flags", write(tmp_path, "f.csv", "id\nother\n"))
    assert (done.code, done.out) == (2, "")
    assert done.err == "whichhalf: no flagged id is in the run: flags have 'other', the run 'q01'\n"


def test_no_run_folder(call: Any, tmp_path: Path) -> None:
    done = call("triage", tmp_path, "--flags", FLAGS)
    assert (done.code, done.err) == (2, f"whichhalf: {tmp_path} is no run folder: it holds no manifest.json\n")


def test_settings_of_a_newer_version_are_passed_over(call: Any, run_folder: Path) -> None:
    manifest = json.loads((run_folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["config"]["triage"]["new_setting"] = True
    write(run_folder, "manifest.json", json.dumps(manifest))
    assert call("triage", run_folder, "--flags", FLAGS, "--quiet").code == 0


def test_a_config_scores_the_flagged_answers_alone(call: Any, demo_config: Any, tmp_path: Path) -> None:
    done = call("triage", demo_config(), "--flags", FLAGS, "--json")
    assert (done.code, done.err) == (0, "")
    facts = json.loads(done.out)
    assert halves(facts) == HALVES
    assert [text for answer in facts["answers"] for text in answer["skipped"]] == []
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("demo-triage-")
    assert len((folder / "cases.jsonl").read_text(encoding="utf-8").splitlines()) == 12
    again = json.loads(call("triage", folder, "--json").out)  # the flags are those of the config
    assert again == facts


def test_a_config_without_flags_asks_for_them(call: Any, demo_config: Any) -> None:
    done = call("triage", demo_config(triage_flags=None))
    assert (done.code, done.err) == (
        2,
        "whichhalf: nothing is flagged: give --flags, or [triage] flags in the config\n",
    )


def test_experts_who_disagree(call: Any, run_folder: Path, tmp_path: Path) -> None:
    flags = write(tmp_path, "f.csv", "Nr,wrong?,by,note\nq01,yes,A,made up\nq01,no,B,fine to me\nq19,yes,A,old\n")
    options = ("--columns", "id=Nr", "--columns", "flagged_wrong=wrong?")
    done = call("triage", run_folder, "--flags", flags, *options)
    assert (done.code, done.err) == (0, "")
    assert "B found it right: fine to me" in done.out
    assert "Experts disagree on 1 answer: q01" in done.out
    facts = json.loads(call("triage", run_folder, "--flags", flags, *options, "--json").out)
    assert facts["disputed"] == ["q01"]
    assert facts["answers"][0]["others"] == [{"id": "q01", "flagged_wrong": False, "note": "fine to me", "by": "B"}]


@pytest.mark.parametrize("option", [["--repeats", "3"], ["--judge", "offline"], ["--replay-only"]])
def test_what_asks_a_judge_needs_a_config(call: Any, run_folder: Path, option: list[str]) -> None:
    done = call("triage", run_folder, "--flags", FLAGS, *option)
    assert done.code == 2
    said = "needs a judge, and a finished run is labelled without one: whichhalf triage CONFIG.toml"
    assert done.err == f"whichhalf: {option[0]} {said}\n"


def test_repeats_of_the_config_that_a_saved_run_cannot_ask_for_are_told(call: Any, run_folder: Path) -> None:
    said = "The run's config asks for 3 replies to whatever a label rests on, and no judge is asked here"
    assert said not in call("triage", run_folder, "--flags", FLAGS).out
    manifest = json.loads((run_folder / "manifest.json").read_text(encoding="utf-8"))
    manifest["config"]["triage"]["repeats"] = 3
    write(run_folder, "manifest.json", json.dumps(manifest))
    done = call("triage", run_folder, "--flags", FLAGS)
    assert (done.code, done.err) == (0, "")
    assert said in done.out
    assert "repeats" not in done.out.partition("Rule: ")[2].splitlines()[0]
    assert json.loads(call("triage", run_folder, "--flags", FLAGS, "--json").out)["notices"] == [
        f"{said}: these labels rest on one. For more: whichhalf triage CONFIG.toml"
    ]


def test_a_column_without_its_other_name(call: Any, run_folder: Path) -> None:
    done = call("triage", run_folder, "--flags", FLAGS, "--columns", "id")
    assert (done.code, done.err) == (2, "whichhalf: --columns: 'id' is not of the form OURS=THEIRS\n")


VERDICTS = """id,half,expert_half,expert_note
q01,retrieval,Retrieval,
q03,retrieval,retrieval,
q06,generation,generation,
q13,generation,retrieval,the note on it was missing
q19,manual,manual,
q20,generation,,
q99,manual,manual,
"""


def test_the_experts_verdicts_beside_the_labels(call: Any, run_folder: Path, tmp_path: Path) -> None:
    """Agreement by hand: 4 of 5 alike; chance (2*3 + 2*1 + 1*1) / 25 = .36, so kappa = (.8 - .36) / .64 = .6875."""
    path = write(tmp_path, "triage.csv", VERDICTS)
    facts = json.loads(call("triage", run_folder, "--verdicts", path, "--json").out)
    assert facts["agreement"]["n"] == 5
    assert facts["agreement"]["observed"]["value"] == 0.8
    assert facts["agreement"]["kappa"]["value"] == pytest.approx(0.6875, abs=1e-12)
    assert [(one["id"], one["half"], one["expert_half"]) for one in facts["overturned"]] == [
        ("q13", "generation", "retrieval")
    ]
    assert (facts["unread"], facts["unknown"]) == (7, ["q99"])
    shown = call("triage", run_folder, "--verdicts", path).out
    assert "same half 0.800 (95% interval 0.284 to 0.995)" in shown
    assert "Overturned: q13, generation (unsupported_claims) → retrieval: the note on it was missing" in shown


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,expert_half\nq01,search\n", "{path}:2: expert_half: 'search' is none of retrieval, generation, manual"),
        ("id,expert_half\nq01,manual\nq01,manual\n", "{path}:3: id: 'q01' has two verdicts"),
        ("id,expert_half\nq01,\n", "{path}: holds no verdict: fill in the column expert_half"),
        (
            "id,expert_half\nq99,manual\n",
            "no verdict belongs to a labelled answer of this run: run triage with --flags first",
        ),
    ],
)
def test_verdicts_that_cannot_be_used(call: Any, run_folder: Path, tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, "v.csv", text)
    done = call("triage", run_folder, "--verdicts", path)
    assert (done.code, done.err) == (2, f"whichhalf: {message.format(path=path)}\n")


def test_what_to_fix_first(call: Any, run_folder: Path) -> None:
    shown = call("triage", run_folder, "--flags", FLAGS).out
    assert "Help the search find it: 5 of 12; watch" in shown
    assert "Improve the order: 3 of 12; watch" in shown
    assert "Keep to the passages: 3 of 12, and 2 more that fail elsewhere first; watch faithfulness" in shown
    assert "A person looks: 1 of 12" in shown
    assert "Failing both ways, counted once under their label: q01, q22" in shown
