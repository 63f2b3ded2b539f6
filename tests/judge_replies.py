"""Short ways to write what a judge replies, for tests with a scripted judge."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from whichhalf.core.case import Case, Passage, Question
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judging.embedding import Embedded, Embedder, EmbedderIdentity, Vector
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import Judge, Usage
from whichhalf.prompting.prompt_folder import PromptSet


def split(*claims: str | tuple[str, str], refuses: bool = False) -> str:
    """A reply to split_claims; a claim is its own quote unless given as (quote, claim)."""
    pairs = [(claim, claim) if isinstance(claim, str) else claim for claim in claims]
    return json.dumps({"refuses": refuses, "claims": [{"quote": quote, "claim": claim} for quote, claim in pairs]})


def verdict(claim: int, label: str, *evidence: tuple[int, str], reason: str | None = "because") -> dict[str, Any]:
    """One row of a reply to verify_claims; evidence is (passage number, quote). v2 has no reason: None."""
    places = [{"passage": passage, "quote": quote} for passage, quote in evidence]
    reasons = {} if reason is None else {"reason": reason}
    return {"claim": claim, **reasons, "verdict": label, "evidence": places}


def verdicts(*rows: dict[str, Any]) -> str:
    """A reply to verify_claims."""
    return json.dumps({"verdicts": list(rows)})


def questions(*texts: str, evasive: tuple[bool, ...] | bool = False) -> str:
    """A reply to write_questions; the flags are those of each question, or of all."""
    flags = (evasive,) * len(texts) if isinstance(evasive, bool) else evasive
    rows = [{"question": text, "evasive": flag} for text, flag in zip(texts, flags, strict=True)]
    return json.dumps({"questions": rows})


class FixedEmbedder:
    """Texts and their vectors from a table, or one vector for all; remembers what it was asked."""

    def __init__(self, vectors: Mapping[str, Vector] | None = None, *, usual: Vector = (1.0, 0.0)) -> None:
        self._vectors = vectors or {}
        self._usual = usual
        self.identity = EmbedderIdentity("fixed")
        self.asked: list[tuple[str, ...]] = []

    def embed(self, texts: Sequence[str]) -> Embedded:
        self.asked.append(tuple(texts))
        return Embedded(tuple(self._vectors.get(text, self._usual) for text in texts), "fixed", Usage(0, 0), 0.0)


def tables(judge: Judge, max_prompt_tokens: int = 24_000, embedder: Embedder | None = None) -> ClaimTables:
    """The tables of a judge with the packaged prompts."""
    return ClaimTables(judge, PromptSet(), max_prompt_tokens, embedder or FixedEmbedder())


def passages(*texts: str) -> tuple[Passage, ...]:
    """Passages p1, p2, …"""
    return tuple(Passage(id=f"p{number}", text=text) for number, text in enumerate(texts, start=1))


def case(answer: str | None, context: tuple[Passage, ...] | None, **question: Any) -> Case:
    """A case with question q1."""
    asked = Question(**{"id": "q1", "text": "What is the fee?", **question})
    return Case(question=asked, context=context, answer=answer)


def asked_prompts(judge: ScriptedJudge) -> list[str]:
    """Names of the prompts a scripted judge was asked, in order."""
    return [question.prompt.name for question in judge.asked]
