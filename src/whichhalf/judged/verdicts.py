"""Ask for verdicts on claims against passages, and believe only what can be checked.

Verdicts are matched by claim number, never by position. A verdict that is missing, cannot be read, has an unknown
label, or rests on a quote that its passage does not hold is asked for again, once, all of them in one call. What is
still missing then is VerdictsMissing; evidence still not found is struck out, and a verdict without evidence left is
`unsure`.

What a judge says of a claim can hang on where the claim stands in the list. So a repeat of the question shows the
claims in another order, under the same numbers; passages keep theirs.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, ValidationError, field_validator

from whichhalf.core.case import Passage
from whichhalf.core.claim import Claim, Evidence, Label, Verdict
from whichhalf.core.quotes import find_quote
from whichhalf.errors import VerdictsMissing
from whichhalf.judged.row_reading import UNREADABLE, number_in, places_of, text_of
from whichhalf.judging.seam import Judge, JudgeQuestion
from whichhalf.prompting.prompt_folder import PromptSet

VERIFY_CLAIMS = "verify_claims"
_BYTES_PER_TOKEN = 3
_LABELS: dict[str, Label] = {
    "supported": "supported",
    "contradicted": "contradicted",
    "not_mentioned": "not_mentioned",
}


class _Place(BaseModel):
    passage: int
    quote: str


class _ClaimVerdict(BaseModel):
    model_config = ConfigDict(coerce_numbers_to_str=True)

    claim: Annotated[int, BeforeValidator(number_in)]
    reason: Annotated[str, BeforeValidator(text_of)] = ""
    verdict: str = Field(json_schema_extra={"enum": list[JsonValue](_LABELS)})
    evidence: Annotated[list[_Place], BeforeValidator(places_of)] = []


class VerifyReply(BaseModel):
    """What verify_claims asks for. The schema sent is strict; rows that break it are read where that is safe."""

    verdicts: list[_ClaimVerdict]

    @field_validator("verdicts", mode="before")
    @classmethod
    def _drop_unreadable_rows(cls, value: object) -> object:
        """A claim whose row is dropped is asked for again. A list without any object is another kind of reply."""
        if not isinstance(value, list) or (value and not any(isinstance(row, dict) for row in value)):
            return value
        return [row for row in map(_read_row, value) if row is not None]


class BareVerifyReply(VerifyReply):
    """The same for a version that asks for no reason: none stands in the schema sent."""

    @classmethod
    def model_json_schema(cls, *args: Any, **kwargs: Any) -> dict[str, Any]:
        schema = super().model_json_schema(*args, **kwargs)
        del schema["$defs"][_ClaimVerdict.__name__]["properties"]["reason"]
        return schema


def _read_row(value: object) -> _ClaimVerdict | None:
    try:
        return _ClaimVerdict.model_validate(value)
    except ValidationError:
        return None


@dataclass(frozen=True, slots=True)
class _Checked:
    """One verdict after checking; `problem` says what is wrong with it, in words the judge is shown."""

    verdict: Verdict | None
    problem: str = ""


def verify_claims(
    judge: Judge,
    prompts: PromptSet,
    claims: Sequence[Claim],
    passages: Sequence[Passage],
    *,
    max_prompt_tokens: int = 24_000,
    repeat: int = 0,
) -> tuple[Verdict, ...]:
    """One verdict a claim, in the order of the claims. Raises JudgeError.

    Passages without text are left out. Passages beyond the token budget go into further prompts: a claim is
    supported if any prompt supports it, contradicted only if none does and one contradicts.
    """
    batches = split_by_budget([one for one in passages if one.text and one.text.strip()], max_prompt_tokens)
    tables = [_verify_batch(judge, prompts, claims, batch, repeat) for batch in batches]
    return tuple(_merge([table[claim.id] for table in tables], claim) for claim in claims)


def split_by_budget(passages: Sequence[Passage], max_prompt_tokens: int) -> list[list[Passage]]:
    """Passages in order, in as few lists as the estimate allows. A passage over the budget stands alone, whole."""
    batches: list[list[Passage]] = []
    room = 0
    for passage in passages:
        tokens = len((passage.text or "").encode(errors="replace")) // _BYTES_PER_TOKEN + 30
        if not batches or tokens > room:
            batches.append([])
            room = max_prompt_tokens
        batches[-1].append(passage)
        room -= tokens
    return batches


def _verify_batch(
    judge: Judge, prompts: PromptSet, claims: Sequence[Claim], passages: Sequence[Passage], repeat: int
) -> dict[int, Verdict]:
    checked, raw = _ask(judge, prompts, claims, passages, repeat, [])
    bad = [claim for claim in claims if checked[claim.id].problem]
    if bad:
        problems = [f"claim {claim.id}: {checked[claim.id].problem}" for claim in bad]
        again, raw = _ask(judge, prompts, bad, passages, repeat, problems)
        checked |= {number: one for number, one in again.items() if one.verdict is not None}
    missing = [claim.id for claim in claims if checked[claim.id].verdict is None]
    if missing:
        numbers = ", ".join(map(str, missing))
        message = f"no verdict on {len(missing)} of {len(claims)} claims (number {numbers}), asked twice"
        raise VerdictsMissing(message, raw=raw)
    return {number: one.verdict for number, one in checked.items() if one.verdict is not None}


def _ask(
    judge: Judge,
    prompts: PromptSet,
    claims: Sequence[Claim],
    passages: Sequence[Passage],
    repeat: int,
    problems: list[str],
) -> tuple[dict[int, _Checked], str]:
    """What was said of every claim, by its number, and the raw reply."""
    variables: dict[str, JsonValue] = {
        "claims": [{"number": claim.id, "text": claim.text} for claim in _in_order(claims, repeat)],
        "passages": [{"number": number, "text": one.text} for number, one in enumerate(passages, start=1)],
        "problems": list(problems),
    }
    prompt = prompts[VERIFY_CLAIMS].render(variables)
    reply_type = VerifyReply if '"reason"' in prompt.messages[0].content else BareVerifyReply
    reply = judge.ask(JudgeQuestion(prompt, variables, reply_type, repeat))
    given: dict[int, list[_ClaimVerdict]] = {}
    for one in reply.value.verdicts:
        given.setdefault(one.claim, []).append(one)
    return {claim.id: _check(claim, given.get(claim.id, []), passages) for claim in claims}, reply.text


def _in_order(claims: Sequence[Claim], repeat: int) -> list[Claim]:
    """The claims as they stand in their text; in a repeat, shuffled, always the same way for the same claims."""
    if repeat == 0:
        return list(claims)
    seed = json.dumps([repeat, *(claim.text for claim in claims)])
    return Random(seed).sample(claims, len(claims))


def _check(claim: Claim, given: list[_ClaimVerdict], passages: Sequence[Passage]) -> _Checked:
    if not given:
        return _Checked(None, "no verdict was given")
    labels = {_label(one.verdict) for one in given}
    if len(labels) > 1:
        return _Checked(None, "several different verdicts were given")
    label = labels.pop()
    first = given[0]
    if label is None:
        unsure = Verdict(claim=claim, label="unsure", reason=first.reason)
        return _Checked(unsure, "the verdict must be supported, contradicted or not_mentioned")
    if label == "not_mentioned":
        return _Checked(Verdict(claim=claim, label=label, reason=first.reason))
    evidence, problem = _check_evidence(first.evidence, passages)
    kept: Label = label if evidence else "unsure"
    return _Checked(Verdict(claim=claim, label=kept, evidence=evidence, reason=first.reason), problem)


@lru_cache(maxsize=256)
def _label(text: str) -> Label | None:
    """The label, whatever its case, spacing or punctuation and whatever invisible characters stand in it."""
    seen = "".join(character for character in text.casefold() if character.isprintable())
    return _LABELS.get(seen.strip(" *`\"'.").replace(" ", "_").replace("-", "_"))


def _check_evidence(places: list[_Place], passages: Sequence[Passage]) -> tuple[tuple[Evidence, ...], str]:
    """The places that can be found, one a passage, and the first problem met."""
    found: dict[int, Evidence] = {}
    problem = "" if places else "no passage was quoted"
    for place in places:
        if not 1 <= place.passage <= len(passages):
            unread = "each quote must stand beside the number of its passage"
            problem = problem or (unread if place.passage == UNREADABLE else f"there is no passage {place.passage}")
            continue
        passage = passages[place.passage - 1]
        text = passage.text or ""
        span = find_quote(place.quote, text)
        if span is None:
            problem = problem or f"the quote does not stand in passage {place.passage}; copy it exactly"
        else:
            quote = text[span.start : span.end]
            found.setdefault(place.passage, Evidence(passage=passage.id, quote=quote, start=span.start))
    return tuple(found[number] for number in sorted(found)), problem


def _merge(verdicts: list[Verdict], claim: Claim) -> Verdict:
    """One verdict from those of several batches."""
    strongest_first: tuple[Label, ...] = ("supported", "contradicted", "unsure")
    for label in strongest_first:
        same = [one for one in verdicts if one.label == label]
        if same:
            evidence = tuple(place for one in same for place in one.evidence)
            return Verdict(claim=claim, label=label, evidence=evidence, reason=same[0].reason)
    return Verdict(claim=claim, label="not_mentioned", reason=verdicts[0].reason if verdicts else "")
