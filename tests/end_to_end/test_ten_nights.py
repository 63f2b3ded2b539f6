"""Ten nights of one assistant against a judge over HTTP: what each night says, and what the shell is told."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from judge_server import Body, JudgeServer, always, error, sensible_answer, slow
from whichhalf.cli.main import main
from whichhalf.running.history import History
from whichhalf.running.night import NIGHT_FILE, Night
from whichhalf.running.run_folder import read_record

QUESTIONS = 40
CONFIG = """
[data]
golden  = "golden.jsonl"
outputs = "outputs.jsonl"

[metrics]
retrieval = ["recall@3"]
judged    = ["faithfulness"]

[judge]
model = "openai/judge-a"
base_url = "{base_url}"
api_key_env = "JUDGE_KEY"
concurrency = 4
{judge}

[canary]
anchors = "canary.jsonl"

[run]
out   = "runs"
cache = "cache"
{hook}

[[gate]]
metric   = "recall@3"
min      = 0.5
max_drop = 0.05

[[gate]]
metric   = "faithfulness"
min      = 0.5
max_drop = 0.05
"""


def passage(number: int) -> str:
    return f"Form {number} is due on day {number}. Form {number} costs {number} coins. Ask desk {number} for help."


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def golden(version: str = "1") -> list[dict[str, Any]]:
    head: dict[str, Any] = {"golden_set": "forms", "version": version, "corpus_version": "1"}
    asked = [
        {"id": f"q{n}", "question": f"When is form {n} due?", "relevant": [f"p{n}"]} for n in range(1, QUESTIONS + 1)
    ]
    return [head, *asked]


def outputs(*, lost: int = 0, invented: int = 0, season: str = "spring") -> list[dict[str, Any]]:
    """A working assistant; for the first questions the passage is not found, or the answer is made up."""
    rows = []
    for n in range(1, QUESTIONS + 1):
        ids = [n % QUESTIONS + 1, (n + 1) % QUESTIONS + 1, n]
        if n <= lost:
            ids[2] = (n + 2) % QUESTIONS + 1
        passages = [{"id": f"p{one}", "text": passage(one)} for one in ids]
        answer = f"Form {ids[2]} is due on day {ids[2]}. Form {ids[2]} costs {ids[2]} coins."
        if n <= invented:
            answer = f"Form {n} was abolished in {season}. Nobody needs it."
        rows.append({"id": f"q{n}", "retrieved": passages, "context": passages, "answer": answer})
    return rows


@dataclass(frozen=True, slots=True)
class Morning:
    """What one night left behind."""

    code: int
    night: Night
    calls: int
    """Judge calls that reached the server."""
    printed: str


class Assistant:
    """A folder with a config, its data, and a judge."""

    def __init__(self, folder: Path, server: JudgeServer, run: Callable[[list[str]], tuple[int, str]]) -> None:
        self.folder = folder
        self._server = server
        self._run = run
        write_lines(folder / "golden.jsonl", golden())
        write_lines(folder / "outputs.jsonl", outputs())
        write_lines(folder / "canary.jsonl", anchors())
        self.configure()

    def configure(self, judge: str = "", hook: str = "") -> None:
        text = CONFIG.format(
            base_url=self._server.base_url, judge=judge, hook=f"hook = {json.dumps(hook)}" if hook else ""
        )
        (self.folder / "nightly.toml").write_text(text, encoding="utf-8")

    def night(self) -> Morning:
        before = len(self._server.requests)
        code, printed = self._run(["nightly", str(self.folder / "nightly.toml")])
        latest = self.folder / "runs" / "latest"
        night = read_record(latest / NIGHT_FILE, Night)
        return Morning(code, night, len(self._server.requests) - before, printed)


def anchors() -> list[dict[str, Any]]:
    """100 claims, half of them supported, five to a row."""
    rows = []
    for n in range(1, 21):
        claims = [{"text": f"Form {n} is due on day {n}.", "supported": True}]
        claims += [{"text": f"Form {n} costs {n} coins.", "supported": True}]
        claims += [{"text": f"Form {n} is {color}.", "supported": False} for color in ("red", "green", "blue")]
        rows.append({"id": f"a{n}", "passages": [{"id": f"p{n}", "text": passage(n)}], "claims": claims})
    return rows


CANARY_CALLS = 20


def strict_judge(body: Body) -> str:
    """Says `not_mentioned` of every claim about coins: a judge that has changed its mind."""
    reply = json.loads(sensible_answer(body))
    for verdict in reply.get("verdicts", []):
        if any("coins" in place["quote"] for place in verdict["evidence"]):
            verdict |= {"verdict": "not_mentioned", "evidence": []}
    return json.dumps(reply)


@pytest.fixture
def run_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    monkeypatch.setenv("JUDGE_KEY", "k")
    monkeypatch.setenv("NO_COLOR", "1")

    def run(arguments: list[str]) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["whichhalf", *arguments])
        with pytest.raises(SystemExit) as caught:
            main()
        printed = capsys.readouterr()
        return int(caught.value.code or 0), printed.out + printed.err

    return run


def test_ten_nights(tmp_path: Path, run_command: Any) -> None:
    with JudgeServer(model="judge-a-1") as server:
        here = Assistant(tmp_path, server, run_command)

        first = here.night()
        assert (first.code, first.night.verdict) == (0, "green")
        assert first.calls == 2 * QUESTIONS + CANARY_CALLS
        assert "no green night yet" in first.printed

        second = here.night()
        assert (second.code, second.night.verdict, second.calls) == (0, "green", CANARY_CALLS)
        assert "no loss over 40 questions" in second.printed

        write_lines(tmp_path / "outputs.jsonl", outputs(lost=15))
        third = here.night()
        assert (third.code, third.night.verdict) == (1, "red")
        assert third.night.headline.startswith("Red: recall@3 fell by 0.375 over 40 questions")
        assert "the judge stands still" in third.printed

        write_lines(tmp_path / "outputs.jsonl", outputs(invented=15))
        fourth = here.night()
        assert (fourth.code, fourth.night.verdict) == (1, "red")
        assert fourth.night.headline.startswith("Red: faithfulness fell by 0.375 over 40 questions")
        assert fourth.night.baseline == third.night.baseline  # the night before was red

        write_lines(tmp_path / "outputs.jsonl", outputs())
        server.answer, server.model = strict_judge, "judge-a-2"
        fifth = here.night()
        assert (fifth.code, fifth.night.verdict) == (1, "red")
        assert fifth.night.headline.startswith("Red: the judge has moved: 20 of 100 frozen verdicts differ tonight")
        assert "the server now says it is judge-a-2, before judge-a-1" in fifth.night.headline
        assert all(gate.verdict != "failed" for gate in fifth.night.gates)  # kept replies: the assistant is as it was

        server.answer, server.model = sensible_answer, "judge-a-1"
        sixth = here.night()
        assert (sixth.code, sixth.night.verdict) == (0, "green")

        write_lines(tmp_path / "outputs.jsonl", outputs(invented=4, season="autumn"))
        here.configure("max_calls = 3")
        seventh = here.night()
        assert (seventh.code, seventh.night.verdict) == (3, "incomplete")
        assert "same command goes on" in seventh.night.headline
        here.configure()

        server.plan = always(error(503))
        told = tmp_path / "told.json"
        here.configure("silence_seconds = 2", hook=f"{sys.executable} -c \"open('{told}', 'w').write(input())\"")
        code, printed = run_command(["nightly", str(tmp_path / "nightly.toml")])
        assert (code, "nothing answered" in printed) == (3, True)
        assert json.loads(told.read_text())["headline"].startswith("Incomplete: ")
        server.plan = None
        here.configure()

        write_lines(tmp_path / "outputs.jsonl", outputs())
        write_lines(tmp_path / "golden.jsonl", golden(version="2"))
        ninth = here.night()
        assert (ninth.code, ninth.night.verdict) == (0, "green")
        assert "changed: golden set" in ninth.printed

        tenth = here.night()
        assert (tenth.code, tenth.night.verdict, tenth.calls) == (0, "green", CANARY_CALLS)

    history = History(tmp_path / "runs")
    assert [run.verdict for run in history.runs()] == [
        "green", "green", "red", "red", "red", "green", "incomplete", "green", "green",
    ]  # fmt: skip
    broken = [point.breaks for point in history.trend("recall@3[retrieved]")]
    assert broken[7] == ("golden set",)
    assert (tmp_path / "runs" / "last-green").resolve() == (tmp_path / "runs" / "latest").resolve()


def test_the_canary_spends_from_the_budget_of_the_night(tmp_path: Path, run_command: Any) -> None:
    with JudgeServer() as server:
        here = Assistant(tmp_path, server, run_command)
        here.configure(f"max_calls = {2 * QUESTIONS + 5}")
        first = here.night()
        assert first.calls == 2 * QUESTIONS + 5
        assert (first.code, first.night.verdict) == (3, "incomplete")
        assert first.night.headline == (
            "Incomplete: whether the judge has moved is not known: 0 of 25 frozen verdicts differ tonight; 75 could "
            "not be judged: 75 budget_spent. The same command goes on from here."
        )
        assert first.night.canary is not None
        assert first.night.canary.cost.judge_calls == 5
        assert "judge calls for the canary: 5" in first.printed
        junit = (tmp_path / "runs" / "latest" / "junit.xml").read_text(encoding="utf-8")
        assert junit.count("<error ") == 1, "a canary that says nothing does not pass"

        second = here.night()
        assert (second.code, second.night.verdict, second.calls) == (0, "green", CANARY_CALLS)
    # the history counts the calls of the run and of the canary
    assert [run.judge_calls for run in History(tmp_path / "runs").runs()] == [2 * QUESTIONS + 5, CANARY_CALLS]


def test_a_gate_on_calls_and_price_sees_the_whole_night(tmp_path: Path, run_command: Any) -> None:
    """A night answered from kept replies costs what its canary costs; without one, nothing: that is known."""
    with JudgeServer() as server:
        here = Assistant(tmp_path, server, run_command)
        here.configure()
        path = tmp_path / "nightly.toml"
        text = path.read_text(encoding="utf-8").replace("openai/judge-a", "openai/gpt-4o-mini")
        gates = '\n[[gate]]\nmetric = "judge_calls"\nmax = 20\n\n[[gate]]\nmetric = "usd"\nmax = 0.0001\n'
        path.write_text(text + gates, encoding="utf-8")
        first, second = here.night(), here.night()
        usd_a_call = 11 * 1.5e-07 + 7 * 6e-07  # gpt-4o-mini, at the tokens that the server tells
        assert first.night.gates[-2].sentence == "judge_calls: 100 > 20"
        assert first.night.gates[-1].sentence == f"usd: {100 * usd_a_call:.4f} > 0.0001"
        assert second.night.gates[-2].sentence == "judge_calls: 20 ≤ 20"
        assert second.night.gates[-1].verdict == "failed"
        path.write_text((text + gates).replace('[canary]\nanchors = "canary.jsonl"\n', ""), encoding="utf-8")
        third = here.night()
        assert third.night.gates[-1].sentence == "usd: 0 ≤ 0.0001"
        assert (third.code, third.calls) == (0, 0)


def test_the_canary_obeys_the_deadline_of_the_night(tmp_path: Path, run_command: Any) -> None:
    with JudgeServer() as server:
        here = Assistant(tmp_path, server, run_command)
        path = tmp_path / "nightly.toml"
        text = path.read_text(encoding="utf-8")
        assert here.night().code == 0
        path.write_text(text.replace("[run]", "[run]\ndeadline_minutes = 0.0000001"), encoding="utf-8")
        late = here.night()
        assert (late.code, late.calls) == (3, 0)
        assert "100 could not be judged: 100 deadline_passed" in late.night.headline


def test_what_the_canary_lacks_is_found_before_anything_is_asked(tmp_path: Path, run_command: Any) -> None:
    """Also where no metric asks a judge, so that its key and its price are needed for the canary alone."""
    with JudgeServer() as server:
        here = Assistant(tmp_path, server, run_command)
        here.configure("budget_usd = 1.0")
        path = tmp_path / "nightly.toml"
        text = path.read_text(encoding="utf-8").replace('judged    = ["faithfulness"]', "")
        text = text.partition('[[gate]]\nmetric   = "faithfulness"')[0].replace('"JUDGE_KEY"', '"NO_SUCH_KEY"')
        path.write_text(text, encoding="utf-8")
        code, printed = run_command(["nightly", str(path)])
        assert (code, server.requests) == (2, [])
        assert "the environment variable NO_SUCH_KEY is not set" in printed
        assert "the price of openai/judge-a is not known" in printed
        assert not list((tmp_path / "runs").glob("nightly-*"))


def test_anchors_are_not_frozen_when_the_budget_ends_before_the_checks(tmp_path: Path, run_command: Any) -> None:
    with JudgeServer() as server:
        here = Assistant(tmp_path, server, run_command)
        here.night()
        asked = len(server.requests)
        here.configure("max_calls = 30")
        run, out = tmp_path / "runs" / "latest", tmp_path / "new.jsonl"
        command = ["canary", "freeze", str(run), str(out), "-c", str(tmp_path / "nightly.toml"), "--size", "40"]
        code, printed = run_command(command)
        assert (code, out.exists(), len(server.requests) - asked) == (3, False, 30)
        assert "max_calls = 30 (30 spent): not every claim could be judged again" in printed
        here.configure("max_calls = 40")
        assert run_command(command)[0] == 0
        assert out.exists()


def started_apart(folder: Path) -> "subprocess.Popen[bytes]":
    """A night in a process of its own."""
    command = [sys.executable, "-c", "from whichhalf.cli import main; main()", "nightly", str(folder / "nightly.toml")]
    return subprocess.Popen(command, env={**os.environ, "JUDGE_KEY": "k"}, stdout=subprocess.DEVNULL)


def test_a_night_killed_half_way_goes_on_where_it_was(tmp_path: Path, run_command: Any) -> None:
    with JudgeServer(plan=always(slow(0.05))) as server:
        here = Assistant(tmp_path, server, run_command)
        child = started_apart(tmp_path)
        while len(server.requests) < QUESTIONS:
            assert child.poll() is None
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert not (tmp_path / "runs" / "latest").exists()
        morning = here.night()
        assert (morning.code, morning.night.verdict) == (0, "green")
        everything = 2 * QUESTIONS + CANARY_CALLS
        in_flight = 4
        assert everything <= len(server.requests) <= everything + in_flight


def test_two_nights_at_once_exclude_each_other(tmp_path: Path, run_command: Any) -> None:
    with JudgeServer(plan=always(slow(0.2))) as server:
        Assistant(tmp_path, server, run_command)
        child = started_apart(tmp_path)
        while not server.requests:
            assert child.poll() is None
            time.sleep(0.02)
        code, printed = run_command(["nightly", str(tmp_path / "nightly.toml")])
        assert (code, "another night is running" in printed) == (3, True)
        assert child.wait() == 0


def test_a_gate_on_nothing_and_a_bad_slice_are_found_before_anything_is_asked(tmp_path: Path, run_command: Any) -> None:
    with JudgeServer() as server:
        Assistant(tmp_path, server, run_command)
        text = (tmp_path / "nightly.toml").read_text(encoding="utf-8")
        wrong = (
            text
            + '\n[[gate]]\nmetric = "bleu"\nmin = 0.5\n'
            + '\n[[gate]]\nmetric = "recall@3"\nmin = 0.5\nslice = { topic = "rent" }\n'
        )
        (tmp_path / "nightly.toml").write_text(wrong, encoding="utf-8")
        code, printed = run_command(["nightly", str(tmp_path / "nightly.toml")])
        assert code == 2
        assert "gate 3: 'bleu' is not in this run" in printed
        assert "gate 4: no question has topic = 'rent'" in printed
        assert server.requests == []


def test_the_assistant_may_be_asked_first(tmp_path: Path, run_command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its outputs are recorded into the run folder, so that the night can be scored again."""
    (tmp_path / "forms_assistant.py").write_text(
        "import json, pathlib\n"
        f"LINES = pathlib.Path({str(tmp_path / 'outputs.jsonl')!r}).read_text().splitlines()\n"
        "ROWS = {row['id']: row for row in map(json.loads, LINES)}\n"
        "def reply(request):\n"
        "    row = ROWS[request['id']]\n"
        "    return {key: row[key] for key in ('answer', 'retrieved', 'context')}\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    with JudgeServer() as server:
        here = Assistant(tmp_path, server, run_command)
        path = tmp_path / "nightly.toml"
        text = path.read_text(encoding="utf-8").replace('outputs = "outputs.jsonl"\n', "")
        path.write_text(f'{text}\n[assistant]\ncallable = "forms_assistant:reply"\n', encoding="utf-8")
        morning = here.night()
        assert (morning.code, morning.night.verdict) == (0, "green")
        recorded = (tmp_path / "runs" / "latest" / "outputs.jsonl").read_text(encoding="utf-8")
        assert len(recorded.splitlines()) == QUESTIONS
