"""Replies as judges really send them. Ids beginning with bug- are faults people met in other tools.

Where another tool would read a grade out of prose, we do not: a reply is the JSON that was asked for, or unreadable.
"""

import json
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from whichhalf.errors import ReplyUnreadable
from whichhalf.judging.parsing import parse_reply
from whichhalf.judging.seam import FreeText


class OneVerdict(BaseModel):
    verdict: int


class OneLabel(BaseModel):
    label: Literal["relevant", "irrelevant"]


class Flag(BaseModel):
    score: bool


class Score(BaseModel):
    score: float


class Claims(BaseModel):
    claims: list[str]


class Verdicts(BaseModel):
    verdicts: list[int]


class Text(BaseModel):
    text: str


class Pair(BaseModel):
    refuses: bool
    claims: list[str]


READ: list[tuple[str, str, BaseModel]] = [
    ("plain", '{"verdict": 1}', OneVerdict(verdict=1)),
    ("white space around", '\n\n {"verdict": 1} \n', OneVerdict(verdict=1)),
    ("further keys", '{"reason": "chunk 2", "verdict": 1}', OneVerdict(verdict=1)),
    ("bug-093 fence", '```json\n{"verdict": 1, "reason": "stated in chunk 2"}\n```', OneVerdict(verdict=1)),
    ("fence without a language", '```\n{"verdict": 1}\n```', OneVerdict(verdict=1)),
    ("fence in prose", 'Here you are:\n```json\n{"verdict": 1}\n```\nAnything else?', OneVerdict(verdict=1)),
    (
        "bug-095 thinking with a draft",
        '<think>maybe {"verdict": 0}? no, chunk 2 says so</think>\n{"verdict": 1}',
        OneVerdict(verdict=1),
    ),
    ("another thinking tag", '<Reasoning>{"verdict": 0}</Reasoning>{"verdict": 1}', OneVerdict(verdict=1)),
    ("two thinking blocks", '<think>{"verdict": 0}</think><think>no</think>{"verdict": 1}', OneVerdict(verdict=1)),
    ("thinking after the reply", '{"verdict": 1}<think>or {"verdict": 0}?</think>', OneVerdict(verdict=1)),
    ("thinking never closed, after the reply", '{"verdict": 1}<think>or {"verdict": 0}', OneVerdict(verdict=1)),
    ("bug-096 closing tag only", 'the claim is in chunk 1 {so yes}</think>{"verdict": 1}', OneVerdict(verdict=1)),
    (
        "bug-097 tag in a text",
        '{"claims": ["The page uses a <think> tag."]}',
        Claims(claims=["The page uses a <think> tag."]),
    ),
    (
        "bug-097 tag in a text in a fence",
        '```json\n{"claims": ["It ends with </think>."]}\n```',
        Claims(claims=["It ends with </think>."]),
    ),
    (
        "bug-097 tags in a text after a preamble",
        'Here: {"claims": ["It ends with </think>.", "It begins with <think>."]} Anything else?',
        Claims(claims=["It ends with </think>.", "It begins with <think>."]),
    ),
    (
        "bug-097 a tag in a text after thinking",
        '<think>so</think>Here: {"claims": ["It ends with </think>."]}',
        Claims(claims=["It ends with </think>."]),
    ),
    (
        "bug-097 a tag in a text of a draft",
        '<think>maybe {"claims": ["<think> or </think>"]}</think>{"claims": ["b"]}',
        Claims(claims=["b"]),
    ),
    ("a fence after thinking", '<think>{"verdict": 0}</think>\n```json\n{"verdict": 1}\n```', OneVerdict(verdict=1)),
    ("bug-112 True as text", '{"score": "True"}', Flag(score=True)),
    ("bug-112 False as text", '{"score": "False"}', Flag(score=False)),
    ("bug-112 true", '{"score": true}', Flag(score=True)),
    ("bug-112 1 as text", '{"score": "1"}', Flag(score=True)),
    ("bug-112 1.0", '{"score": 1.0}', Flag(score=True)),
    ("bug-112 yes", '{"score": "yes"}', Flag(score=True)),
    ("bug-115 ten", '{"score": 10.0}', Score(score=10.0)),
    ("bug-117 label within a label", '{"label": "irrelevant"}', OneLabel(label="irrelevant")),
    ("bug-247 draft, then final", 'draft {"verdicts":[0,0]} final {"verdicts":[1,1]}', Verdicts(verdicts=[1, 1])),
    ("bug-247 the other way round", 'draft {"verdicts":[1,1]} final {"verdicts":[0,0]}', Verdicts(verdicts=[0, 0])),
    ("bug-253 invisible before a value", '{"verdict":\u200b1}', OneVerdict(verdict=1)),
    ("bug-253 invisible in a key", '{"ver\u2060dict": 1}', OneVerdict(verdict=1)),
    ("bug-253 invisible in a label", '{"label": "\u200birrelevant\ufeff"}', OneLabel(label="irrelevant")),
    ("byte order mark", '\ufeff{"verdict": 1}', OneVerdict(verdict=1)),
    ("bug-261 preamble", 'Here is the JSON you asked for::\n{"text": "x"}\nShall I explain?', Text(text="x")),
    ("another object after it", '{"text": "x"} I used the settings {"temperature": 0}.', Text(text="x")),
    ("another object before it", 'Schema: {"type": "object"}. Reply: {"text": "x"}', Text(text="x")),
    ("braces in prose", 'The set {a, b} is meant. {"text": "x"}', Text(text="x")),
    ("braces in a text", '{"text": "{\\"verdict\\": 0}"}', Text(text='{"verdict": 0}')),
    ("whole-number text", '{"verdict": "1"}', OneVerdict(verdict=1)),
    ("a list around the object", '[{"verdict": 1}]', OneVerdict(verdict=1)),
]


@pytest.mark.parametrize(("text", "expected"), [row[1:] for row in READ], ids=[row[0] for row in READ])
def test_read(text: str, expected: BaseModel) -> None:
    assert parse_reply(text, type(expected)) == expected


DEEP = "[" * 100_000

UNREADABLE: list[tuple[str, str, type[BaseModel]]] = [
    ("empty", "", OneVerdict),
    # bug-057, 058, 059, 128, 251, 252, 254, 255, 256 and 127 ask for verdicts and grades to be found in free text,
    # or for an error. We take the error: DEFINITIONS counts such a reply as Failed, and a grade found by searching
    # prose is what went wrong in each of them
    ("bug-057 enumeration", "Final verdicts: 1. Yes. 2. Yes. 3. Yes. 4. Yes. 5. Yes.", Verdicts),
    ("bug-058 commas", "Yes, No, Yes", Verdicts),
    ("bug-059 yes in a no", "No, the context never says yes to that. No.", Verdicts),
    ("bug-111 N/A", "N/A", Score),
    ("bug-115 prose", "Score: 10.0", Score),
    ("bug-117 bare label", "irrelevant", OneLabel),
    ("bug-120 anything", "any unreadable text", OneVerdict),
    ("bug-127 prose", "prose", OneVerdict),
    ("bug-128 one word", "Yes", Score),
    ("bug-251 misspelt marker", "The answer matches. GRID: C", Score),
    ("bug-252 ordinary words", "GRADE: C. There is no reason to downgrade: insufficient grounds.", Score),
    ("bug-253 two grades", "A perfect answer would be GRADE: C but this is GRADE:\u200bI", Score),
    ("bug-254 small letters", "grade: c", Score),
    ("bug-255 two letters", "GRADE: CI", Score),
    ("bug-256 out of scale", "A fully correct answer would be GRADE: C ... GRADE: Z", Score),
    ("bug-256 in JSON", '{"label": "relevant"} would be right, but: {"label": "brilliant"}', OneLabel),
    ("bug-061 another key", '{"statements":["The fee is 12 EUR."]}', Claims),
    ("bug-096 a draft, then no reply", '{"verdict": 0}</think> I cannot tell.', OneVerdict),
    ("bug-098 thinking never closed", '<think>very long {"verdict": 1} ...', OneVerdict),
    ("bug-098 thinking never closed, a tag in its draft", '<think>{"text": "</think>"} or', Text),
    ("thinking cut in the middle of a draft", '<think>so {"verdict": 1, "reason": "</think>', OneVerdict),
    ("bug-100 cut", '{"claims":["a","b"', Claims),
    ("bug-100 cut in a fence", '```json\n{"claims":["a","b"', Claims),
    ("bug-109 no verdict", '{"reason": "looks fine"}', OneVerdict),
    ("bug-117 unknown label", '{"label": "somewhat relevant"}', OneLabel),
    ("bug-119 single quotes", "{'verdict': 1, 'reason': 'it's in chunk 2'}", OneVerdict),
    # bug-122 keeps the eight and asks for the ninth; we read a cut reply not at all, as DEFINITIONS says
    ("bug-122 the last one cut", '{"verdicts": [1, 1, 1, 1, 1, 1, 1, 1, {"cl', Verdicts),
    ("a good draft, a broken final", 'draft {"verdicts":[1,1]} final {"verdicts":[1,', Verdicts),
    ("a good draft, a final of single quotes", "draft {\"verdicts\":[1,1]} final {'verdicts': [0, 0]}", Verdicts),
    ("a good draft, a final of another shape", 'draft {"verdicts":[1,1]} final {"verdicts": "none"}', Verdicts),
    ("a good draft, a final without a key", '{"refuses": true, "claims": []} no: {"refuses": false}', Pair),
    ("null", "null", OneVerdict),
    ("null for a value", '{"verdict": null}', OneVerdict),
    ("a list", "[1, 2]", OneVerdict),
    ("a number", "1", OneVerdict),
    ("NaN", '{"score": NaN}', Score),
    ("Infinity", '{"score": Infinity}', Score),
    ("half a verdict", '{"verdict": 0.5}', OneVerdict),
    ("half a character", '{"text": "\\ud83d"}', Text),
    ("half a character in prose", 'Reply: {"text": "\\ud83d"}', Text),
    ("too deep", DEEP, OneVerdict),
    ("too deep an object", '{"a":' * 3_000, OneVerdict),
    ("a number of too many digits", '{"verdict": ' + "9" * 5_000 + "}", OneVerdict),
]


@pytest.mark.parametrize(("text", "reply_type"), [row[1:] for row in UNREADABLE], ids=[row[0] for row in UNREADABLE])
def test_unreadable(text: str, reply_type: type[BaseModel]) -> None:
    with pytest.raises(ReplyUnreadable):
        parse_reply(text, reply_type)


def test_bug_120_the_error_says_what_was_wrong_and_keeps_the_reply() -> None:
    text = '{"reason": "looks fine", "filler": "' + "x" * 500 + '"}'
    with pytest.raises(ReplyUnreadable) as caught:
        parse_reply(text, OneVerdict)
    assert str(caught.value) == f"the reply cannot be read: verdict: Field required; it begins {text[:200]!r}"
    assert caught.value.raw == text


def test_the_kept_reply_can_be_written_to_a_file() -> None:
    with pytest.raises(ReplyUnreadable) as caught:
        parse_reply("half a character: \ud83d", OneVerdict)
    assert caught.value.raw == "half a character: ?"
    assert str(caught.value).isprintable()


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PROSE = st.text(st.characters(exclude_categories=["Cs", "Cf"], exclude_characters="{}<>\"'`[]"), max_size=60)
INVISIBLE = "\u200b\u200c\u200d\u2060\ufeff"
VISIBLE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=INVISIBLE), max_size=30)


@given(st.lists(VISIBLE))
def test_what_was_written_is_read_back(claims: list[str]) -> None:
    assert parse_reply(json.dumps({"claims": claims}), Claims).claims == claims
    assert parse_reply(json.dumps({"claims": claims}, ensure_ascii=False), Claims).claims == claims


@given(st.lists(VISIBLE), PROSE, PROSE)
def test_prose_around_a_reply_changes_nothing(claims: list[str], before: str, after: str) -> None:
    texts = [claim.replace("<", "").replace("claims", "") for claim in claims]
    reply = before + json.dumps({"claims": texts}) + after
    assert parse_reply(reply, Claims).claims == texts


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1), st.data())
def test_a_cut_reply_is_never_a_shorter_list(claims: list[str], data: st.DataObject) -> None:
    whole = json.dumps({"claims": claims})
    end = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(ReplyUnreadable):
        parse_reply(whole[:end], Claims)


@given(st.text() | JSON.map(json.dumps))
def test_any_text_is_read_or_unreadable(text: str) -> None:
    try:
        found: Any = parse_reply(text, Claims)
    except ReplyUnreadable:
        return
    assert type(found) is Claims


SPOKEN = {
    "plain": ("It opens at 9.", "It opens at 9."),
    "JSON is prose too": ('{"text": "x"}', '{"text": "x"}'),
    "white space around": ("\n It opens.\n\n", "It opens."),
    "thinking first": ("<think>8? 9?</think>\n\nIt opens at 9.", "It opens at 9."),
    "the first tag lost": ("8? 9?</think>It opens at 9.", "It opens at 9."),
    "a tag spoken of": ("Write <think>x</think> first.", "Write <think>x</think> first."),
    "thinking, then a tag spoken of": ("<think>hm</think>Close it with </think>.", "Close it with </think>."),
    "half a character": ("\ud83d", "?"),
}


@pytest.mark.parametrize(("text", "spoken"), SPOKEN.values(), ids=SPOKEN.keys())
def test_prose_is_read_as_it_stands(text: str, spoken: str) -> None:
    assert parse_reply(text, FreeText) == FreeText(text=spoken)


@pytest.mark.parametrize("text", ["", " \n", "<think>still at it", "<think>all of it</think>"])
def test_prose_without_words_is_unreadable(text: str) -> None:
    with pytest.raises(ReplyUnreadable) as caught:
        parse_reply(text, FreeText)
    assert caught.value.raw == text
