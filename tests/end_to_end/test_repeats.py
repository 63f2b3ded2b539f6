"""The same judge asked several times: what is sent, what is kept, and what a reader is told of its noise."""

import json
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from judge_server import Body, JudgeServer, error, sensible_answer
from whichhalf.cli.main import main
from whichhalf.running.run_folder import read_run

DATA = Path(__file__).parents[2] / "fixtures" / "tax_assistant"


class Wavering:
    """Answers sensibly the first time; when it meets claims again, it finds them mentioned nowhere."""

    def __init__(self) -> None:
        self._met: set[tuple[str, ...]] = set()
        self._guard = threading.Lock()

    def __call__(self, body: Body) -> str:
        text = sensible_answer(body)
        rows = json.loads(text).get("verdicts")
        if rows is None:
            return text
        # claims in another order are the same question
        question = tuple(sorted(body["messages"][1]["content"].splitlines()[1:]))
        question = tuple(line for line in question if not line.startswith("["))
        with self._guard:
            again = question in self._met
            self._met.add(question)
        changed = {"reason": "now I doubt it", "verdict": "not_mentioned", "evidence": []}
        return json.dumps({"verdicts": [{**row, **changed} for row in rows]}) if again else text


def whichhalf_run(folder: Path, server: JudgeServer, judge: str, capsys: Any, monkeypatch: Any) -> tuple[str, Path]:
    """What is printed, and the new run folder."""
    text = f"""
        [data]
        golden = "{DATA / "golden.jsonl"}"
        outputs = "{DATA / "outputs.jsonl"}"
        corpus = "{DATA / "corpus.jsonl"}"
        [metrics]
        judged = ["faithfulness", "context_recall"]
        [run]
        out = "{folder / "runs"}"
        cache = "{folder / "cache"}"
        [judge]
        model = "openai/judge-a"
        base_url = "{server.base_url}"
        {judge}"""
    (folder / "config.toml").write_text(text, encoding="utf-8")
    before = set((folder / "runs").glob("*"))
    monkeypatch.setattr(sys, "argv", ["whichhalf", "run", str(folder / "config.toml"), "--limit", "8"])
    monkeypatch.setenv("COLUMNS", "120")
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 0
    [new] = set((folder / "runs").glob("*")) - before
    return capsys.readouterr().out, new


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_a_wavering_judge_is_found_out(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    with JudgeServer(Wavering()) as server:
        once, plain = whichhalf_run(tmp_path, server, "", capsys, monkeypatch)
        asked = len(server.requests)
        told, folder = whichhalf_run(tmp_path, server, "repeats = 3\nrepeat_share = 0.5", capsys, monkeypatch)
        repeats = len(server.requests) - asked
        whichhalf_run(tmp_path, server, "repeats = 3\nrepeat_share = 0.5", capsys, monkeypatch)
        assert len(server.requests) == asked + repeats, "the replies to repeats are kept as well"

    assert (folder / "cases.jsonl").read_bytes() == (plain / "cases.jsonl").read_bytes()
    again = lines(folder / "repeats.jsonl")
    drawn = {row["id"] for row in again}
    assert (len(again), len(drawn)) == (8, 4)
    assert {row["repeat"] for row in again} == {1, 2}
    assert repeats == sum(call["repeat"] > 0 and not call["cached"] for call in lines(folder / "calls.jsonl"))

    first = {row["case"]["question"]["id"]: row["outcomes"] for row in lines(plain / "cases.jsonl")}
    for name in ("faithfulness", "context_recall"):
        labels = [
            verdict["label"] for case in drawn for verdict in first[case][name].get("verdicts", []) for _ in range(2)
        ]
        noise = json.loads((folder / "summary.json").read_text(encoding="utf-8"))["judge_noise"][name]
        assert labels
        assert (noise["repeats"], noise["lost"]) == (2, 0)
        assert (noise["claims"], noise["flipped"]) == (len(labels), labels.count("supported"))
    assert "the judge's own noise: asked 3 times" in told
    assert "noise" not in once
    assert not (plain / "repeats.jsonl").exists()
    assert read_run(folder).noise["faithfulness"].repeats == 2


def test_lost_repeats_are_counted_and_change_no_score(tmp_path: Path, capsys: Any, monkeypatch: Any) -> None:
    with JudgeServer() as server:
        _, plain = whichhalf_run(tmp_path, server, "", capsys, monkeypatch)
        server.plan = lambda _: error(400, "context_length_exceeded", code="context_length_exceeded")
        told, folder = whichhalf_run(tmp_path, server, "repeats = 2", capsys, monkeypatch)
    assert (folder / "cases.jsonl").read_bytes() == (plain / "cases.jsonl").read_bytes()
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    noise = summary["judge_noise"]["faithfulness"]
    assert noise["lost"] == summary["metrics"]["faithfulness"]["scored"]
    assert (noise["cases"], noise["flip_rate"], noise["deviation"]) == (0, None, None)
    rows = [line.split() for line in told.splitlines()]
    assert ["faithfulness", "0", str(noise["lost"]), "0", "–", "–", "–"] in rows
