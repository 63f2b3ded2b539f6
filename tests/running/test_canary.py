"""Anchors are drawn from verdicts, frozen, and judged again word for word."""

import json
from pathlib import Path

import pytest

from run_makers import a_case, a_run, judged, ranked
from whichhalf.errors import InputError
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.running.canary import Anchors, freeze_anchors, judge_anchors, read_anchors


def verdicts(*labels: str, quote: str = "Text of p1.") -> str:
    rows = [
        {
            "claim": number,
            "reason": "r",
            "verdict": label,
            "evidence": [{"passage": 1, "quote": quote}] if label != "not_mentioned" else [],
        }
        for number, label in enumerate(labels, start=1)
    ]
    return json.dumps({"verdicts": rows})


def a_file(folder: Path, *rows: object) -> Path:
    path = folder / "canary.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


ROW = {
    "id": "q1",
    "passages": [{"id": "p1", "text": "Text of p1."}],
    "claims": [{"text": "One.", "supported": True}, {"text": "Two.", "supported": False}],
}


def test_claims_are_drawn_whole_answers_at_a_time_until_there_are_enough() -> None:
    cases = [a_case(f"q{n}", answer="a", context=ranked("p1")) for n in range(1, 5)]
    scores = [judged(0.5, One="supported", Two="not_mentioned") for _ in cases]
    rows = freeze_anchors(a_run({"faithfulness": scores}, cases), size=3)
    assert len(rows) == 2
    assert [[(claim.text, claim.supported) for claim in row.claims] for row in rows] == [
        [("One", True), ("Two", False)],
        [("One", True), ("Two", False)],
    ]
    assert [row.id for row in rows] == sorted(row.id for row in rows)


def test_an_unsure_verdict_is_no_anchor() -> None:
    cases = [a_case("q1", answer="a", context=ranked("p1"))]
    run = a_run({"faithfulness": [judged(0.5, One="supported", Two="unsure")]}, cases)
    with pytest.raises(InputError, match="0 claims with a verdict, fewer than the 1 wanted"):
        freeze_anchors(run, size=1)


def test_a_run_without_faithfulness_has_nothing_to_freeze() -> None:
    with pytest.raises(InputError, match="did not score faithfulness"):
        freeze_anchors(a_run({"recall@5": [1.0]}), size=1)


@pytest.mark.parametrize(
    ("labels", "flipped"),
    [
        (("supported", "not_mentioned"), ()),
        (("supported", "contradicted"), ()),  # still not supported: no number would change
        (("not_mentioned", "not_mentioned"), ("q1 #1",)),
        (("contradicted", "supported"), ("q1 #1", "q1 #2")),
    ],
)
def test_a_flip_is_support_gained_or_lost(tmp_path: Path, labels: tuple[str, str], flipped: tuple[str, ...]) -> None:
    judge = ScriptedJudge([verdicts(*labels)])
    found = judge_anchors(judge, PromptSet(), read_anchors(a_file(tmp_path, ROW)), max_prompt_tokens=4000, workers=1)
    assert (found.judged, found.flipped, found.failed) == (2, flipped, 0)


def test_a_reply_that_is_lost_is_counted_and_no_flip(tmp_path: Path) -> None:
    judge = ScriptedJudge(["{", "{"])
    found = judge_anchors(judge, PromptSet(), read_anchors(a_file(tmp_path, ROW)), max_prompt_tokens=4000, workers=1)
    assert (found.judged, found.flipped, found.failed) == (0, (), 2)
    assert (found.not_judged, found.lost) == (("q1 #1", "q1 #2"), {"reply_unreadable": 2})


def test_every_fault_of_an_anchors_file_is_named(tmp_path: Path) -> None:
    path = a_file(tmp_path, ROW, ROW, {"id": "q2", "passages": [], "claims": ROW["claims"]})
    with pytest.raises(InputError) as caught:
        read_anchors(path)
    places = [(fault.line, fault.field) for fault in caught.value.faults]
    assert places == [(2, "id"), (3, "passages")]
    with pytest.raises(InputError, match="holds no anchor"):
        read_anchors(a_file(tmp_path))


def test_claims_are_counted_over_all_rows() -> None:
    assert Anchors((), "").count == 0
