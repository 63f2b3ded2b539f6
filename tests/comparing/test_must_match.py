"""Runs that were measured in different terms are refused, and every difference is named."""

from typing import Any

import pytest

from run_makers import JUDGE, PROMPTS, a_case, a_run
from whichhalf.comparing.compare_runs import compare
from whichhalf.core.case import EvidenceQuote
from whichhalf.core.run import Run
from whichhalf.errors import InputError

SCORES = {"recall@5[retrieved]": [0.5, 1.0], "faithfulness": [0.5, 1.0]}


def judge(**changes: Any) -> dict[str, Any]:
    return {**JUDGE, **changes}


REFUSED: dict[str, tuple[dict[str, Any], list[str]]] = {
    "another judge was asked": (
        {"judge": judge(model="openai/judge-b")},
        ["judge model asked: openai/judge-a in A, openai/judge-b in B"],
    ),
    "the server answered with another model": (
        {"judge": judge(returned=["judge-a-2026-12-01"])},
        ["judge model as returned: judge-a-2026-11-01 in A, judge-a-2026-12-01 in B"],
    ),
    "other sampling": (
        {"judge": judge(sampling={"temperature": 0.7, "seed": 1})},
        ["judge sampling: temperature 0.0 in A, seed 1, temperature 0.7 in B"],
    ),
    "another embedding model": (
        {"judge": judge(embedding={"model": "openai/e", "endpoint": None})},
        ["embedding model: model wordllama in A, model openai/e in B"],
    ),
    "another version of a judge prompt": (
        {"prompts": {"split_claims/v1": "a" * 64, "verify_claims/v2": "c" * 64}},
        ["judge prompt verify_claims: v1 in A, v2 in B"],
    ),
    "an edited prompt under the same version": (
        {"prompts": {**PROMPTS, "verify_claims/v1": "c" * 64}},
        ["judge prompt verify_claims: bbbbbbbbbbbb in A, cccccccccccc in B (both call themselves v1)"],
    ),
    "another meaning of a metric": (
        {"metrics": {"recall@5[retrieved]": "contract of recall@5[retrieved]", "faithfulness": "no claims = one"}},
        ["meaning of faithfulness: “contract of faithfulness” in A, “no claims = one” in B"],
    ),
    "another golden set, the shared questions being the same": (
        {"data": {"golden": "9" * 64}},
        [
            "golden set file: 111111111111 in A, 999999999999 in B "
            "(the 2 shared questions and their labels are the same)"
        ],
    ),
    "another version of the golden set": (
        {"golden_set": {"golden_set": "tax", "version": "2"}},
        ["golden set, golden_set: none in A, tax in B", "golden set, version: none in A, 2 in B"],
    ),
    "everything at once": (
        {"judge": judge(model="openai/b", returned=["b"]), "data": {"golden": "9" * 64}},
        ["golden set file: ", "judge model asked: ", "judge model as returned: "],
    ),
}


@pytest.mark.parametrize(("changes", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_runs_in_different_terms_are_refused(changes: dict[str, Any], said: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        compare(a_run(SCORES), a_run(SCORES, **changes))
    *named, last = [str(fault) for fault in caught.value.faults]
    for one, text in zip(named, said, strict=True):
        assert one.startswith(f"A and B must not be compared: {text}")
    assert "--anyway" in last


@pytest.mark.parametrize(("changes", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_anyway_turns_them_into_warnings(changes: dict[str, Any], said: list[str]) -> None:
    found = compare(a_run(SCORES), a_run(SCORES, **changes), anyway=True)
    assert found.pairing.paired == 2
    for one, text in zip(found.warnings, said, strict=True):
        assert str(one).startswith(text)


def test_changed_labels_are_found_also_under_the_same_file_hash() -> None:
    before = a_run(SCORES, [a_case("q1", relevant={"c1": 1}), a_case("q2")])
    after = a_run(SCORES, [a_case("q1", relevant={"c2": 1}), a_case("q2")])
    with pytest.raises(InputError, match="1 of 2 shared questions differ: q1"):
        compare(before, after)


ALLOWED: dict[str, Run] = {
    "another endpoint of the same judge": a_run(SCORES, judge=judge(endpoint="http://127.0.0.1:2/v1")),
    "prompts of metrics that only one run has": a_run(SCORES, prompts={**PROMPTS, "write_questions/v1": "d" * 64}),
    "an embedding model that only one run used": a_run(
        SCORES, judge={key: value for key, value in JUDGE.items() if key != "embedding"}
    ),
    "other outputs": a_run(SCORES, data={"golden": "1" * 64, "outputs": "7" * 64}),
}


@pytest.mark.parametrize("other", ALLOWED.values(), ids=ALLOWED.keys())
def test_what_may_differ(other: Run) -> None:
    assert compare(a_run(SCORES), other).warnings == ()


def test_the_judge_does_not_matter_for_retrieval_metrics() -> None:
    ranks = {"recall@5[retrieved]": [0.5, 1.0]}
    assert compare(a_run(ranks), a_run(ranks, judge={}, prompts={})).warnings == ()


def test_another_chunking_may_read_the_same_labels_as_quotes() -> None:
    """A corpus cut otherwise lacks the ids, so its run goes by the quotes: told, not refused."""
    quote = EvidenceQuote(quote="Pay every month by bank transfer.")
    by_ids = a_run(SCORES, [a_case("q1", relevant={"c1": 1}, evidence=(quote,)), a_case("q2")])
    by_quotes = a_run(SCORES, [a_case("q1", evidence=(quote,)), a_case("q2")])
    found = compare(by_ids, by_quotes)
    assert found.warnings == ()
    assert found.notes == ("1 question(s) are scored by passage ids in one run, by quotes in the other: q1",)
    other = a_run(SCORES, [a_case("q1", evidence=(EvidenceQuote(quote="Something else."),)), a_case("q2")])
    with pytest.raises(InputError, match="1 of 2 shared questions differ: q1"):
        compare(by_ids, other)


def test_nothing_in_common() -> None:
    with pytest.raises(InputError, match=r"no metric is in both runs: A has faithfulness, B rr\[retrieved\]"):
        compare(a_run({"faithfulness": [1.0]}), a_run({"rr[retrieved]": [1.0]}))
    with pytest.raises(InputError, match="no question is in both runs: A has ids such as q1, B x1"):
        compare(a_run({"faithfulness": [1.0]}), a_run({"faithfulness": [1.0]}, [a_case("x1")]))
