"""What the offline judge says to each prompt, from the variables of its question alone."""

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import JsonValue

from whichhalf.judging.extractive import extract_answer
from whichhalf.judging.lexical import lexical_verdict
from whichhalf.judging.statements import is_refusal, split_into_claims

_STOPS = ".!?…。！？।॥ "


def _split_claims(variables: Mapping[str, Any]) -> JsonValue:
    answer = variables["answer"]
    refuses = is_refusal(answer)
    claims = [] if refuses else split_into_claims(answer)
    return {"refuses": refuses, "claims": [{"quote": claim, "claim": claim} for claim in claims]}


def _verify_claims(variables: Mapping[str, Any]) -> JsonValue:
    passages = variables["passages"]
    texts = [passage["text"] for passage in passages]
    verdicts: list[JsonValue] = []
    for claim in variables["claims"]:
        found = lexical_verdict(claim["text"], texts)
        evidence: list[JsonValue] = [
            {"passage": passages[index]["number"], "quote": quote} for index, quote in found.evidence
        ]
        verdicts.append(
            {
                "claim": claim["number"],
                "reason": f"lexical match {found.score:.2f}",
                "verdict": found.label,
                "evidence": evidence,
            }
        )
    return {"verdicts": verdicts}


def _write_questions(variables: Mapping[str, Any]) -> JsonValue:
    """The answer's leading statements, each as a question; a refusal is evasive on all of them."""
    answer = variables["answer"]
    statements = split_into_claims(answer)[: variables["count"]] or [answer.strip()]
    evasive = is_refusal(answer)
    return {"questions": [{"question": one.rstrip(_STOPS) + "?", "evasive": evasive} for one in statements]}


def _answer(variables: Mapping[str, Any]) -> JsonValue:
    return extract_answer(variables["question"], [passage["text"] for passage in variables["passages"]])


ANSWERS: dict[str, Callable[[Mapping[str, Any]], JsonValue]] = {
    "answer": _answer,
    "split_claims": _split_claims,
    "verify_claims": _verify_claims,
    "write_questions": _write_questions,
}
"""By the name of the prompt."""
