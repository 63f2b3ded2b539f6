"""Whatever a judge sends in place of a reply: the case fails with its own reason, and what was sent is kept with it."""

from pathlib import Path
from typing import Any

import pytest

from judge_server import JudgeServer, Response, choice, cut, filtered, refusal
from small_runs import SmallRun, command

PROSE = "I would say that most of it is fine. " * 2_000
WRONG_KEYS = '{"statements": ["The fee is 12 EUR."]}'
UNCLOSED = '<think>very long {"refuses": false, "claims": []} ...'
SINGLE = "{'refuses': false, 'claims': [{'quote': 'it's 12', 'claim': 'it's 12'}]}"
SHORTER = '{"refuses": false, "claims": [{"quote": "The fee is 12 EUR", "claim": "The fee is 12 EUR"}'
NO_VERDICT = '{"verdicts": [{"claim": 7, "verdict": "supported", "evidence": []}]}'

LOST: dict[str, tuple[Response, str, str]] = {
    "bug-111 and 127 prose, however long": (choice(PROSE), "reply_unreadable", PROSE),
    "bug-061 wrong keys": (choice(WRONG_KEYS), "reply_unreadable", WRONG_KEYS),
    "bug-098 thinking never closed": (choice(UNCLOSED), "reply_unreadable", UNCLOSED),
    "bug-119 single quotes": (choice(SINGLE), "reply_unreadable", SINGLE),
    "zero-width characters alone": (choice("\u200b\ufeff"), "reply_unreadable", "\u200b\ufeff"),
    "null": (choice(None), "reply_unreadable", ""),
    "bug-098 and 104 cut": (cut(UNCLOSED), "reply_cut", UNCLOSED),
    "bug-100 cut to a shorter list": (cut(SHORTER), "reply_cut", SHORTER),
    "cut, though it could be read": (
        cut('{"refuses": true, "claims": []}'),
        "reply_cut",
        '{"refuses": true, "claims": []}',
    ),
    "bug-106 a content filter": (filtered(), "judge_refused", ""),
    "bug-106 a content filter in the middle": (choice(SHORTER, "content_filter"), "judge_refused", SHORTER),
    "bug-108 a refusal": (refusal("I can't help with that."), "judge_refused", "I can't help with that."),
}


@pytest.mark.parametrize(("response", "reason", "raw"), LOST.values(), ids=LOST.keys())
def test_the_raw_reply_is_kept_with_the_row(response: Response, reason: str, raw: str, tmp_path: Path) -> None:
    with JudgeServer(plan=lambda request: response if is_about(request.body, "fee") else None) as server:
        rows, code = scored(server, tmp_path)
    failed = rows["fee"]
    assert (failed["kind"], failed["error"], failed["raw"]) == ("failed", reason, raw)
    assert rows["shop"]["kind"] == "scored", "the other row is not touched"
    assert code == 3


def test_verdicts_still_missing_keep_the_last_reply(tmp_path: Path) -> None:
    def plan(request: Any) -> Response | None:
        asks_for_verdicts = "verdicts" in str(request.body["response_format"])
        return choice(NO_VERDICT) if asks_for_verdicts and is_about(request.body, "fee") else None

    with JudgeServer(plan=plan) as server:
        rows, _ = scored(server, tmp_path)
    assert (rows["fee"]["error"], rows["fee"]["raw"]) == ("verdicts_missing", NO_VERDICT)
    assert sum(plan(request) is not None for request in server.requests) == 2, "asked again once, and no more"


def test_a_cut_reply_is_asked_for_once_more_with_more_room_and_never_repaired(tmp_path: Path) -> None:
    with JudgeServer(plan=lambda request: cut(SHORTER) if is_about(request.body, "fee") else None) as server:
        scored(server, tmp_path)
    about_fee = [request.body for request in server.requests if is_about(request.body, "fee")]
    assert len(about_fee) == 2
    assert about_fee[0]["messages"] == about_fee[1]["messages"]
    assert about_fee[1]["max_tokens"] > about_fee[0]["max_tokens"]


def is_about(body: dict[str, Any], word: str) -> bool:
    return f"The {word} " in body["messages"][-1]["content"]


def scored(server: JudgeServer, folder: Path) -> tuple[dict[str, Any], int]:
    """Faithfulness of two cases, by id, as it stands in cases.jsonl, and the exit code."""
    facts = {"fee": "The fee is 12 EUR.", "shop": "The shop opens at 9."}
    golden = [{"id": name, "question": "?", "relevant": [name]} for name in facts]
    outputs = [
        {"id": name, "retrieved": [name], "context": [{"id": name, "text": text}], "answer": text}
        for name, text in facts.items()
    ]
    run = SmallRun(folder, golden, outputs, judged=["faithfulness"])
    run.write(server, concurrency=2)
    done = command("run", run.config, "--quiet")
    return {name: outcome["faithfulness"] for name, outcome in run.outcomes().items()}, done.code
