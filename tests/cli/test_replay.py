"""whichhalf triage --replay: the assistant is asked again over HTTP, and its answers settle the labels."""

import json
from pathlib import Path
from typing import Any

import pytest

from assistant_server import AssistantServer
from judge_server import Body, always, error

FIXTURE = Path(__file__).parents[2] / "fixtures" / "tax_assistant"
GOLDEN = {
    row["id"]: row for row in map(json.loads, (FIXTURE / "golden.jsonl").read_text(encoding="utf-8").splitlines()[1:])
}
WRONG = "The office is closed on the first Monday of March."


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def knows(*right: str) -> Any:
    """Answers as the golden set does, for the replays named; else wrong."""

    def reply(body: Body) -> Body:
        answer = GOLDEN[body["id"].partition("/")[0]]["reference_answer"] if body["id"] in right else WRONG
        return {"answer": answer, "used_passages": True}

    return reply


def finished(call: Any, folder: Path, **assistant: Any) -> Path:
    """A run folder whose config names the assistant."""
    lines = [
        "[data]",
        *(f"{name} = {json.dumps(str(FIXTURE / f'{name}.jsonl'))}" for name in ("golden", "outputs", "corpus")),
        "[metrics]",
        'judged = ["faithfulness"]',
        *(["[assistant]"] if assistant else []),
        *(f"{key} = {json.dumps(value)}" for key, value in assistant.items() if not isinstance(value, dict)),
        *(line for key, value in assistant.items() if isinstance(value, dict) for line in _table(key, value)),
        "[run]",
        f"out = {json.dumps(str(folder / 'runs'))}",
        f"cache = {json.dumps(str(folder / 'cache'))}",
    ]
    path = folder / "eval.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return Path(json.loads(call("run", path, "--json").out)["run"])


def _table(key: str, value: dict[str, str]) -> list[str]:
    return [f"[assistant.{key}]", *(f"{name} = {json.dumps(one)}" for name, one in value.items())]


def flags(folder: Path, *questions: str) -> Path:
    path = folder / "flags.csv"
    path.write_text("\n".join(["id", *questions]), encoding="utf-8")
    return path


def test_labels_are_settled_and_the_answers_kept(call: Any, tmp_path: Path) -> None:
    # q01 lacked c47, q11 had c29 ranked too low; q27 has no answer in the corpus
    with AssistantServer(reply=knows("q01/needed", "q01/seen_and_missing")) as server:
        run = finished(call, tmp_path, url=server.url)
        marked = flags(tmp_path, "q01", "q11", "q27")
        before = json.loads(call("triage", run, "--flags", marked, "--json").out)
        assert server.requests == []
        done = call("triage", run, "--flags", marked, "--replay", "--json")
        assert done.code == 0, done.err
        sent = len(server.requests)
        again = call("triage", run, "--flags", marked, "--replay")
        assert len(server.requests) == sent, "kept replays are not asked again"
    assert [one["half"] for one in before["answers"][:2]] == ["retrieval", "retrieval"]
    first, second, third = json.loads(done.out)["answers"]
    assert (first["half"], first["reason"], first["basis"]) == ("retrieval", "not_retrieved", "replayed")
    assert "(answer_correctness 1, right from 0.7): retrieval confirmed." in first["text"]
    assert [(one["given"], one["passages"], one["right"]) for one in first["replays"]] == [
        ("needed", ["c12", "c47"], True),
        ("seen_and_missing", ["c08", "c12", "c33", "c91", "c05", "c47"], True),
    ]
    assert first["replays"][0]["answer"] == GOLDEN["q01"]["reference_answer"]
    assert (second["half"], second["basis"]) == ("retrieval", "labels")
    assert (second["also"][0]["half"], second["also"][0]["reason"], second["also"][0]["basis"]) == (
        "generation",
        "wrong_with_evidence",
        "replayed",
    )
    assert (GOLDEN["q27"]["answerable"], third["replays"]) == (False, [])
    assert first["thresholds"]["replay_correctness"] == 0.7

    bodies = {request.body["id"]: request.body for request in server.requests}
    assert [one["id"] for one in bodies["q01/needed"]["passages"]] == ["c12", "c47"]
    assert all(one["text"] for one in bodies["q01/needed"]["passages"])
    written = [json.loads(line) for line in (run / "triage.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(written[0]["diagnosis"]["replays"]) == 2
    assert len((run / "replays.jsonl").read_text(encoding="utf-8").splitlines()) == sent
    assert f"Replays: 0 asked now, {sent} kept from before, " in again.err
    assert "Not replayed: q27" in again.err
    assert "replay_correctness 0.7" in again.out


def test_a_failed_replay_leaves_the_label(call: Any, tmp_path: Path) -> None:
    with AssistantServer(plan=always(error(422, "too long"))) as server:
        run = finished(call, tmp_path, url=server.url)
        done = call("triage", run, "--flags", flags(tmp_path, "q01"), "--replay", "--json")
    [answer] = json.loads(done.out)["answers"]
    assert (done.code, answer["half"], answer["basis"]) == (0, "retrieval", "labels")
    assert answer["replays"][0]["failed"].startswith("rejected: the assistant rejects the question (422)")


def test_an_assistant_that_ignores_the_passages_is_found_out(call: Any, tmp_path: Path) -> None:
    with AssistantServer(reply=lambda _: {"answer": "At 9."}) as server:
        run = finished(call, tmp_path, url=server.url)
        done = call("triage", run, "--flags", flags(tmp_path, "q01"), "--replay", "--json")
    [answer] = json.loads(done.out)["answers"]
    assert answer["basis"] == "labels"
    assert answer["replays"][0]["failed"].startswith("passages_ignored: ")


@pytest.mark.parametrize(
    ("assistant", "said"),
    [
        ({}, "the run's config has no [assistant]"),
        ({"url": "http://127.0.0.1:9/", "request": {"passages": ""}}, "[assistant.request] leaves passages out"),
    ],
)
def test_what_cannot_be_replayed_is_said(call: Any, tmp_path: Path, assistant: dict[str, Any], said: str) -> None:
    run = finished(call, tmp_path, **assistant)
    done = call("triage", run, "--flags", flags(tmp_path, "q01"), "--replay")
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_model_is_replayed_with_the_answer_prompt(call: Any, tmp_path: Path) -> None:
    run = finished(call, tmp_path, model="offline")
    done = call("triage", run, "--flags", FIXTURE / "flags.csv", "--replay", "--json")
    assert done.code == 0, done.err
    answers = json.loads(done.out)["answers"]
    assert len(answers) == 12
    assert all(one["replays"] and one["replays"][0]["answer"] for one in answers)
