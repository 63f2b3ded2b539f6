"""One malformed row costs one more question, never the whole reply, and never a verdict nobody gave."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_replies import passages, verdict, verdicts
from whichhalf.core.claim import Claim
from whichhalf.errors import VerdictsMissing
from whichhalf.judged.row_reading import number_in, places_of, text_of
from whichhalf.judged.verdicts import BareVerifyReply, VerifyReply, verify_claims
from whichhalf.judging.key import reply_schema
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.prompting.prompt_folder import PromptSet

CLAIMS = tuple(Claim(id=number, text=f"Claim {number}.") for number in (1, 2))
TEXTS = passages("The fee is 12 EUR.", "It renews yearly.")
FINE = verdict(1, "supported", (1, "The fee is 12 EUR"))
SECOND = verdict(2, "supported", (2, "It renews yearly"))


def ask(*replies: dict[str, Any]) -> tuple[list[str], ScriptedJudge]:
    """The labels of two claims; the first reply is fine about claim 1 and holds the given row about claim 2."""
    judge = ScriptedJudge([verdicts(FINE, replies[0]), *(verdicts(one) for one in replies[1:])])
    return [one.label for one in verify_claims(judge, PromptSet(), CLAIMS, TEXTS)], judge


READABLE: dict[str, dict[str, Any]] = {
    "claim c2": {"claim": "c2"},
    "claim 2 in words": {"claim": "claim 2"},
    "claim as text": {"claim": "2"},
    "claim as a float": {"claim": 2.0},
    "claim with a hash": {"claim": "Claim #2:"},
    "passage in words": {"evidence": [{"passage": "passage 2", "quote": "It renews yearly"}]},
    "passage P2": {"evidence": [{"passage": "P2", "quote": "It renews yearly"}]},
    "passage in brackets": {"evidence": [{"passage": "[2]", "quote": "It renews yearly"}]},
    "one place without a list": {"evidence": {"passage": 2, "quote": "It renews yearly"}},
    "reason null": {"reason": None},
    "reason a list": {"reason": ["because"]},
    "verdict in bold": {"verdict": "**Supported**"},
    "verdict with a full stop": {"verdict": "supported."},
    "a further key": {"confidence": 0.9},
}


@pytest.mark.parametrize("change", READABLE.values(), ids=READABLE)
def test_a_harmless_deviation_is_read(change: dict[str, Any]) -> None:
    labels, judge = ask({**SECOND, **change})
    assert labels == ["supported", "supported"]
    assert len(judge.asked) == 1


UNREADABLE: dict[str, Any] = {
    "no verdict": {"claim": 2, "reason": "", "evidence": []},
    "verdict null": {**SECOND, "verdict": None},
    "verdict a list": {**SECOND, "verdict": ["supported"]},
    "verdict true": {**SECOND, "verdict": True},
    "no claim": {"verdict": "supported", "evidence": []},
    "claim null": {**SECOND, "claim": None},
    "claim true": {**SECOND, "claim": True},
    "two numbers": {**SECOND, "claim": "1 and 2"},
    "claim by its words": {**SECOND, "claim": "Claim two."},
    "a fraction": {**SECOND, "claim": 2.5},
    "bare text": "supported",
    "bare number": 1,
    "null": None,
    "list": [2, "supported"],
}


@pytest.mark.parametrize("row", UNREADABLE.values(), ids=UNREADABLE)
def test_a_row_that_cannot_be_read_is_asked_again_alone(row: Any) -> None:
    labels, judge = ask(row, verdict(2, "not_mentioned"))
    assert labels == ["supported", "not_mentioned"]
    assert judge.asked[1].variables["problems"] == ["claim 2: no verdict was given"]
    assert judge.asked[1].variables["claims"] == [{"number": 2, "text": "Claim 2."}]


@pytest.mark.parametrize("row", UNREADABLE.values(), ids=UNREADABLE)
def test_and_is_missing_when_it_stays_so(row: Any) -> None:
    with pytest.raises(VerdictsMissing):
        ask(row, {**SECOND, "claim": None})


BAD_PLACES: dict[str, Any] = {
    "quote null": ([{"passage": 2, "quote": None}], "the quote does not stand in passage 2; copy it exactly"),
    "no quote": ([{"passage": 2}], "the quote does not stand in passage 2; copy it exactly"),
    "text": ("It renews yearly", "each quote must stand beside the number of its passage"),
    "a list of texts": (["It renews yearly"], "each quote must stand beside the number of its passage"),
    "passage null": (
        [{"passage": None, "quote": "It renews yearly"}],
        "each quote must stand beside the number of its passage",
    ),
    "null": (None, "no passage was quoted"),
    "empty text": ("", "no passage was quoted"),
    "empty list": ([], "no passage was quoted"),
}


@pytest.mark.parametrize(("evidence", "problem"), BAD_PLACES.values(), ids=BAD_PLACES)
def test_unreadable_evidence_is_asked_again_then_struck_out(evidence: Any, problem: str) -> None:
    row = {**SECOND, "evidence": evidence}
    labels, judge = ask(row, row)
    assert labels == ["supported", "unsure"]
    assert judge.asked[1].variables["problems"] == [f"claim 2: {problem}"]


def test_evidence_of_what_is_not_mentioned_is_never_looked_at() -> None:
    labels, judge = ask({"claim": 2, "verdict": "not_mentioned", "evidence": "none"})
    assert labels == ["supported", "not_mentioned"]
    assert len(judge.asked) == 1


def test_one_unreadable_place_loses_no_other() -> None:
    row = {**SECOND, "evidence": ["?", {"passage": "p2", "quote": "It renews yearly"}]}
    labels, judge = ask(row, row)
    assert labels == ["supported", "supported"]
    assert len(judge.asked) == 2


def test_the_schema_that_is_sent_stays_strict() -> None:
    schema = json.dumps(reply_schema(VerifyReply))
    assert schema.count('"additionalProperties": false') == 3
    row = reply_schema(VerifyReply)["$defs"]["_ClaimVerdict"]  # type: ignore[index, call-overload]
    assert row["properties"]["claim"] == {"type": "integer"}  # type: ignore[index, call-overload]
    assert row["required"] == ["claim", "reason", "verdict", "evidence"]  # type: ignore[index, call-overload]


def test_the_schema_of_a_version_without_reasons_has_none() -> None:
    with_reason, without = reply_schema(VerifyReply), reply_schema(BareVerifyReply)
    row: Any = without["$defs"]["_ClaimVerdict"]  # type: ignore[index, call-overload]
    assert row["required"] == ["claim", "verdict", "evidence"]
    row["properties"]["reason"] = {"type": "string"}
    row["required"].insert(1, "reason")
    assert without == with_reason


@given(st.integers(0, 999_999_999), st.sampled_from(["{}", "c{}", "claim {}", "Claim_{}", "#{}.", "[{}]", " '{}' "]))
def test_a_number_is_read_as_it_stands(number: int, form: str) -> None:
    assert number_in(form.format(number)) == number
    assert number_in(number) == number


@pytest.mark.parametrize(
    "value", ["", "c", "-1", "1.5", "1,2", "1-2", "1 of 2", "12 EUR", "1" * 40, "²", None, [1], {}]
)
def test_no_number_is_guessed(value: object) -> None:
    with pytest.raises(ValueError, match="is no number"):
        number_in(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_any_json_becomes_places_and_text(value: Any) -> None:
    for place in places_of(value):
        assert isinstance(place["passage"], int)
        assert isinstance(place["quote"], str)
    assert isinstance(text_of(value), str)


@given(st.lists(JSON | st.fixed_dictionaries({"claim": JSON, "verdict": JSON, "evidence": JSON}), max_size=4))
def test_no_reply_breaks_a_good_row(bad: list[Any]) -> None:
    """Whatever stands beside them, verdicts on both claims are found or the reply is said to be missing some."""
    judge = ScriptedJudge([json.dumps({"verdicts": [FINE, *bad, SECOND]}), verdicts(FINE, SECOND)])
    labels = [one.label for one in verify_claims(judge, PromptSet(), CLAIMS, TEXTS)]
    assert labels == ["supported", "supported"]
