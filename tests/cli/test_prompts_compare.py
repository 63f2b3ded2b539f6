"""whichhalf prompts compare against a judge behind HTTP, beside labels, with kept replies, and on bad usage."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from judge_server import Body, JudgeServer, sensible_answer
from whichhalf.prompting.prompt_folder import packaged_prompts

STRICT = "Be strict."
ANSWERS = {"q1": "The fee is ten. The desk opens at nine.", "q2": "The bus is free.", "q3": "The gate shuts at nine."}
LABELS = [
    # claim, passage, people say; v1 finds it word for word, v2 mistrusts whatever says nine
    ("Entry is free.", "Entry is free. Bring a hat.", True),
    ("The pool opens at nine.", "The pool opens at nine.", True),
    ("The pool is cold.", "Some say: the pool is cold.", True),
    ("The shop shuts at nine.", "It is a rumour that the shop shuts at nine.", False),
    ("Parking is free.", "There is no parking here.", False),
]


def judge(body: Body) -> str:
    """Literal containment; a prompt that says to be strict gets `not_mentioned` for claims that speak of nine."""
    reply = json.loads(sensible_answer(body))
    if STRICT in body["messages"][0]["content"]:
        claims = body["messages"][-1]["content"]
        for row in reply.get("verdicts", []):
            if f"{row['claim']}. " in claims and "nine" in claims.split(f"\n{row['claim']}. ", 1)[1].split("\n")[0]:
                row |= {"verdict": "not_mentioned", "evidence": []}
    return json.dumps(reply)


def write_lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    """A folder with v1 as released, and a v2 that asks to be strict."""
    folder = tmp_path / "prompts" / "verify_claims"
    folder.mkdir(parents=True)
    text = (packaged_prompts() / "verify_claims" / "v1.jinja").read_text(encoding="utf-8")
    (folder / "v1.jinja").write_text(text, encoding="utf-8")
    (folder / "v2.jinja").write_text(text.replace("{% block system %}\n", f"{{% block system %}}\n{STRICT}\n"))
    return folder.parent


@pytest.fixture
def server() -> Iterator[JudgeServer]:
    with JudgeServer(judge) as opened:
        yield opened


@pytest.fixture
def config(tmp_path: Path, prompts: Path, server: JudgeServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUDGE_KEY", "TEST-KEY-0000")
    golden = write_lines(tmp_path / "golden.jsonl", *({"id": one, "question": f"{one}?"} for one in ANSWERS))
    outputs = write_lines(
        tmp_path / "outputs.jsonl",
        *({"id": one, "context": [{"id": "c", "text": text}], "answer": text} for one, text in ANSWERS.items()),
    )
    path = tmp_path / "config.toml"
    path.write_text(
        f"""
[data]
golden = {json.dumps(str(golden))}
outputs = {json.dumps(str(outputs))}
[metrics]
judged = ["faithfulness"]
[judge]
model = "openai/judge-a"
base_url = "{server.base_url}"
api_key_env = "JUDGE_KEY"
[prompts]
dir = {json.dumps(str(prompts))}
[run]
out = {json.dumps(str(tmp_path / "runs"))}
cache = {json.dumps(str(tmp_path / "cache"))}
""",
        encoding="utf-8",
    )
    return path


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    rows = (
        {"id": f"l{number}", "claim": claim, "passages": [{"id": "p", "text": text}], "supported": truth}
        for number, (claim, text, truth) in enumerate(LABELS, start=1)
    )
    return write_lines(tmp_path / "labels.jsonl", *rows)


def test_two_versions_on_the_same_cases_and_labels(call: Any, config: Path, labels: Path, server: JudgeServer) -> None:
    done = call("prompts", "compare", "verify_claims", "v1", "v2", "-c", config, "--labels", labels, "--json")
    assert (done.code, done.err) == (0, "")
    # 3 answers split once, verified twice; 5 labels asked twice
    assert len(server.requests) == 3 + 2 * 3 + 2 * 5
    found = json.loads(done.out)

    (metric,) = found["comparison"]["metrics"]
    assert (metric["metric"], metric["paired"]["n"]) == ("faithfulness", 3)
    assert (metric["paired"]["mean_a"], metric["paired"]["mean_b"]) == (1.0, 0.5)
    assert [one["what"] for one in found["comparison"]["warnings"]] == ["judge prompt verify_claims"]
    assert [
        (case["question"], [(flip["claim"], flip["before"], flip["after"]) for flip in case["flips"]])
        for case in found["flips"]
    ] == [
        ("q1", [("The desk opens at nine.", "supported", "not_mentioned")]),
        ("q3", [("The gate shuts at nine.", "supported", "not_mentioned")]),
    ]
    assert [(one["version"], one["asked"], one["kept"], one["lost"]) for one in found["asking"]] == [
        ("v1", 3, 0, 0),
        ("v2", 3, 0, 0),
    ]
    assert [(one["prompt_tokens"], one["completion_tokens"], one["usd"]) for one in found["asking"]] == [
        (3 * 11, 3 * 7, None)
    ] * 2

    told = found["labels"]
    shares = [[told[side]["found"][what]["value"] for what in ("sensitivity", "specificity")] for side in "ab"]
    assert shares == [[1.0, 0.5], [pytest.approx(2 / 3), 1.0]]
    assert (told["difference"]["wins"], told["difference"]["losses"], told["difference"]["p"]) == (1, 1, 1.0)
    assert [(one["id"], one["supported"], one["a"], one["b"]) for one in told["flips"]] == [
        ("l2", True, True, False),
        ("l4", False, True, False),
    ]


def test_a_second_time_nothing_is_asked_and_the_price_is_still_told(
    call: Any, config: Path, labels: Path, server: JudgeServer
) -> None:
    arguments = ("prompts", "compare", "verify_claims", "v1", "v2", "-c", config, "--labels", labels)
    first = call(*arguments)
    sent = len(server.requests)
    second = call(*arguments, "--replay-only")
    assert (first.code, second.code, len(server.requests)) == (0, 0, sent)
    rows = [line.split() for line in second.out.splitlines()]
    assert ["v1", "3", "3", "0", "33", "21", "unknown"] in rows
    assert "2 verdicts flipped: 2 supported → not mentioned" in second.out
    assert "q1  supported (c) → not mentioned  “The desk opens at nine.”" in second.out
    assert "B is right where A is wrong on 1 claims, A where B is wrong on 1: p 1.000 (exact McNemar)" in second.out
    assert "l2  A supported, B not supported, people supported  “The pool opens at nine.”" in second.out


def test_lost_replies_are_counted_never_taken_for_a_verdict(call: Any, config: Path, labels: Path) -> None:
    arguments = ("verify_claims", "v1", "v2", "-c", config, "--labels", labels, "--replay-only", "--json")
    done = call("prompts", "compare", *arguments)
    assert done.code == 3
    told = json.loads(done.out)["labels"]
    assert [told[side]["lost"] for side in "ab"] == [{"reply_not_recorded": 5}] * 2
    assert [told[side]["found"]["n"] for side in "ab"] == [0, 0]
    assert told["overlap"]["found"]["n"] == 5


BAD: dict[str, tuple[list[str], str]] = {
    "a version that does not exist": (["verify_claims", "v1", "v9"], "there is no prompt verify_claims/v9"),
    "the same version twice": (["verify_claims", "v1", "v1"], "two versions make a comparison"),
    "a prompt that no metric asks": (
        ["write_questions", "v1", "v2"],
        "no metric of the config asks the prompt write_questions; metrics that do: answer_relevance",
    ),
    "a prompt that does not exist": (["verify", "v1", "v2"], "nor does any metric there is"),
    "labels of claims for another prompt": (
        ["split_claims", "v1", "v2", "--labels", "{labels}"],
        "labels of claims measure verify_claims, not split_claims",
    ),
    "a column of ours that does not exist": (
        ["verify_claims", "v1", "v2", "--labels", "{labels}", "--column", "clam=claim"],
        "no such field; there are claim, id, passages, supported",
    ),
    "a mapping that cannot be read": (
        ["verify_claims", "v1", "v2", "--labels", "{labels}", "--column", "claim"],
        "--column looks like claim=answer",
    ),
    "labels that are not there": (["verify_claims", "v1", "v2", "--labels", "{labels}.no"], "labels.jsonl.no"),
}


@pytest.mark.parametrize(("arguments", "said"), BAD.values(), ids=BAD.keys())
def test_bad_usage_asks_nothing(
    call: Any, config: Path, labels: Path, server: JudgeServer, prompts: Path, arguments: list[str], said: str
) -> None:
    for version in ("v1", "v2"):
        (prompts / "split_claims").mkdir(exist_ok=True)
        text = (packaged_prompts() / "split_claims" / "v1.jinja").read_text(encoding="utf-8")
        (prompts / "split_claims" / f"{version}.jinja").write_text(text, encoding="utf-8")
    done = call("prompts", "compare", *(one.format(labels=labels) for one in arguments), "-c", config)
    assert (done.code, done.out, server.requests) == (2, "", [])
    assert said in done.err
