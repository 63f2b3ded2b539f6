"""Split a text into claims, and tell whether it declines to answer."""

import re
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel

from whichhalf.core.claim import Claim
from whichhalf.core.quotes import find_quote
from whichhalf.judging.seam import Judge, JudgeQuestion
from whichhalf.prompting.prompt_folder import PromptSet

SPLIT_CLAIMS = "split_claims"
_WORD = re.compile(r"\w+")


class _SplitClaim(BaseModel):
    quote: str
    claim: str


class SplitReply(BaseModel):
    """What split_claims asks for."""

    refuses: bool
    claims: list[_SplitClaim]


@dataclass(frozen=True, slots=True)
class ClaimList:
    """The claims of one text, in its order."""

    refused: bool
    """The text declines to answer; then there are no claims."""
    claims: tuple[Claim, ...]
    notes: tuple[str, ...] = ()
    """Claims that were dropped because the text never made them."""


def split_claims(judge: Judge, prompts: PromptSet, question: str, text: str, repeat: int = 0) -> ClaimList:
    """Ask the judge once. Raises JudgeError.

    A claim counts only if the words it was taken from stand in the text, or most of its own words do: a judge
    must not score statements the answer never made.
    """
    variables = {"question": question, "answer": text}
    prompt = prompts[SPLIT_CLAIMS].render(variables)
    reply = judge.ask(JudgeQuestion(prompt, variables, SplitReply, repeat)).value
    if reply.refuses:
        return ClaimList(True, ())
    kept: list[Claim] = []
    dropped: list[str] = []
    for found in reply.claims:
        statement = " ".join(found.claim.split())
        span = find_quote(found.quote, text)
        if statement and (span is not None or _mostly_in(statement, text)):
            quote = text[span.start : span.end] if span else ""
            kept.append(Claim(id=len(kept) + 1, text=statement, quote=quote))
        elif statement:
            dropped.append(f"dropped a claim that the text does not make: {statement}")
    return ClaimList(False, tuple(kept), tuple(dropped))


@lru_cache(maxsize=64)  # a text has many claims, and mostly none that is looked up
def _words_of(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _mostly_in(statement: str, text: str) -> bool:
    words = _words_of(text)
    own = _WORD.findall(statement.casefold())
    return bool(own) and sum(word in words for word in own) > len(own) / 2
