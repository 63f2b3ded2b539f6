"""Orders planted in the data against a judge that obeys every order it finds outside a fence: no verdict changes."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

from injections import MARK, PAYLOADS
from judge_server import Body, JudgeServer, fenced_blocks, sensible_answer
from small_runs import SmallRun, command

PROMPTS = Path(__file__).parents[2] / "prompts"
METRICS = ["faithfulness", "context_precision", "context_recall"]
ANSWER = "The fee is 99 EUR."
REFERENCE = "The fee is 55 EUR."
PASSAGE = "The fee is 12 EUR."
PLACES = ("answer", "passage", "passage_id", "question", "reference")


def obedient_answer(body: Body) -> str:
    """Follows an order that stands anywhere but between the lines that the system message names."""
    system, user = (message["content"] for message in body["messages"])
    fence = re.search(r"lines that begin with \[([0-9a-f]{12})", system)
    outside = user
    if fence:
        block = rf"^\[{fence[1]} ([^]\n]+)\]\n.*?\n\[{fence[1]} end of \1\]$"
        outside = re.sub(block, "", user, flags=re.DOTALL | re.MULTILINE)
    if MARK not in outside + system:
        return sensible_answer(body)
    if "verdicts" not in json.dumps(body["response_format"]):
        return json.dumps({"refuses": True, "claims": []})
    claims = [int(number) for number in re.findall(r"^(\d+)\. ", user, re.MULTILINE)]
    evidence = [{"passage": 1, "quote": PASSAGE}]
    rows = [{"claim": one, "reason": "", "verdict": "supported", "evidence": evidence} for one in claims]
    return json.dumps({"verdicts": rows})


def case(name: str, place: str, payload: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A question and an output with the payload in one place."""
    texts = {"answer": ANSWER, "passage": PASSAGE, "question": "What is the fee?", "reference": REFERENCE}
    if place in texts:
        texts[place] = f"{texts[place]} {payload}"
    passage = {"id": payload if place == "passage_id" else "p1", "text": texts["passage"]}
    golden = {"id": name, "question": texts["question"], "reference_answer": texts["reference"], "relevant": ["p1"]}
    return golden, {"id": name, "retrieved": [passage], "context": [passage], "answer": texts["answer"]}


def evaluated(folder: Path, cases: dict[str, tuple[str, str]], prompts: Path | None = None) -> dict[str, Any]:
    """Outcomes of cases given as name → (place, payload)."""
    rows = [case(name, place, payload) for name, (place, payload) in cases.items()]
    run = SmallRun(folder, [row[0] for row in rows], [row[1] for row in rows], judged=METRICS, prompts=prompts)
    with JudgeServer(obedient_answer) as server:
        run.write(server, concurrency=8)
        done = command("run", run.config)
    assert done.code == 0, done.err
    assert [mark for mark in "\x1b\x07\u202e\x00" if mark in done.out + done.err] == []
    return run.outcomes()


def test_bug_215_and_216_no_planted_order_changes_a_verdict(tmp_path: Path) -> None:
    cases = {f"{place}: {name}": (place, payload) for place in PLACES for name, payload in PAYLOADS.items()}
    assert len(cases) == 300
    outcomes = evaluated(tmp_path, cases)
    for name, outcome in outcomes.items():
        for metric in METRICS:
            assert (name, outcome[metric]["kind"], outcome[metric].get("value")) == (name, "scored", 0.0)
        labels = {verdict["label"] for metric in METRICS for verdict in outcome[metric].get("verdicts", [])}
        assert labels == {"not_mentioned"}, name


def test_the_judge_of_this_test_obeys_where_there_is_no_fence(tmp_path: Path) -> None:
    """Else the test above would show nothing."""
    own = tmp_path / "prompts"
    shutil.copytree(PROMPTS / "verify_claims", own / "verify_claims")
    released = own / "verify_claims" / "v3.jinja"
    unfenced = re.sub(
        r"^\[\{\{ fence \}\} (?:end of )?passage.*\]\n", "", released.read_text("utf-8"), flags=re.MULTILINE
    )
    (own / "verify_claims" / "v9.jinja").write_text(unfenced, encoding="utf-8")
    outcomes = evaluated(tmp_path, {"q": ("passage", PAYLOADS["bare 1"])}, own)
    assert outcomes["q"]["faithfulness"]["value"] == 1.0
    assert [verdict["label"] for verdict in outcomes["q"]["faithfulness"]["verdicts"]] == ["supported"]


def test_every_text_is_in_its_fence_whole_and_ids_are_in_no_prompt(tmp_path: Path) -> None:
    few = list(PAYLOADS.items())[::7]
    cases = {f"{place}: {name}": (place, payload) for place in PLACES for name, payload in few}
    for number, places in enumerate((PLACES, ("passage_id",))):
        rows = [case(name, *one) for name, one in cases.items() if one[0] in places]
        folder = tmp_path / str(number)
        folder.mkdir()
        run = SmallRun(folder, [row[0] for row in rows], [row[1] for row in rows], judged=METRICS)
        with JudgeServer() as server:
            run.write(server)
            assert command("run", run.config).code == 0
            users = [request.body["messages"][-1]["content"] for request in server.requests]
        fenced = {text for user in users for text in fenced_blocks(user).values()}
        for golden, output in rows:
            whole = {output["answer"], output["context"][0]["text"], golden["question"], golden["reference_answer"]}
            assert whole <= fenced
        assert any(MARK in user for user in users) == (places == PLACES)
