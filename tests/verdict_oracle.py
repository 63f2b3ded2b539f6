"""A second, hand-written reading of the verdict tables, in plain sets: nothing here is shared with the package.

`draw(seed)` makes a random case as bare tables; `expected(table)` says what every metric must give on it, as a number
or as the word of the reason.
"""

import re
from dataclasses import dataclass
from random import Random
from typing import Any

from judge_replies import questions, split, verdict, verdicts
from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.claim import Label
from whichhalf.judging.seam import JudgeQuestion

LABELS: tuple[Label, ...] = ("contradicted", "not_mentioned")
ORDER = (
    "faithfulness",
    "hallucination",
    "self_knowledge",
    "noise_sensitivity_relevant",
    "noise_sensitivity_irrelevant",
    "context_precision",
    "context_precision_ranked",
    "context_recall",
    "context_utilization",
    "answer_precision",
    "answer_recall",
    "answer_correctness",
)
CLOSE_TO_THE_ANSWER = (*ORDER[:5], *ORDER[8:12])
"""Metrics that look at the answer's claims."""


@dataclass(frozen=True)
class Table:
    """Who supports what. Claims, facts and passages are counted from 0."""

    claims: int
    facts: int
    passages: int
    refuses: bool
    in_passage: tuple[frozenset[int], ...]
    """For each claim, the passages that support it."""
    in_reference: frozenset[int]
    """Claims that the reference answer supports."""
    fact_in_passage: tuple[frozenset[int], ...]
    """For each fact, the passages that support it."""
    fact_in_answer: frozenset[int]
    """Facts that the answer supports."""
    others: tuple[Label, ...]
    """Labels of what is not supported, taken in turn."""


def draw(seed: int) -> Table:
    rng = Random(seed)
    claims, facts, passages = rng.randint(0, 5), rng.randint(0, 4), rng.randint(0, 5)
    density = rng.choice((0.1, 0.3, 0.6, 0.9))

    def some(count: int) -> frozenset[int]:
        return frozenset(one for one in range(count) if rng.random() < density)

    return Table(
        claims,
        facts,
        passages,
        rng.random() < 0.05,
        tuple(some(passages) for _ in range(claims)),
        some(claims),
        tuple(some(passages) for _ in range(facts)),
        some(facts),
        tuple(rng.choice(LABELS) for _ in range(7)),
    )


def expected(table: Table) -> dict[str, float | str]:
    """Metric → number, or the reason there is none."""
    return {**_of_retrieval(table), **_of_the_answer(table)}


def _of_retrieval(table: Table) -> dict[str, float | str]:
    names = ("context_precision", "context_precision_ranked", "context_recall")
    if table.passages == 0:
        return dict.fromkeys(names, 0.0)
    if table.facts == 0:
        return dict.fromkeys(names, "no_reference_claims")
    useful = set().union(*table.fact_in_passage)
    ranks = [rank for rank in range(table.passages) if rank in useful]
    ranked = [(place + 1) / (rank + 1) for place, rank in enumerate(ranks)]
    return {
        "context_precision": len(useful) / table.passages,
        "context_precision_ranked": sum(ranked) / len(ranked) if ranked else 0.0,
        "context_recall": len([1 for places in table.fact_in_passage if places]) / table.facts,
    }


def _of_the_answer(table: Table) -> dict[str, float | str]:
    if table.refuses:
        reasons: dict[str, float | str] = dict.fromkeys(CLOSE_TO_THE_ANSWER, "refused")
        return reasons | {"answer_recall": 0.0, "answer_correctness": 0.0}
    if table.claims == 0:
        return dict.fromkeys(CLOSE_TO_THE_ANSWER, "no_claims")
    grounded = {claim for claim in range(table.claims) if table.in_passage[claim]}
    values: dict[str, float | str] = dict.fromkeys(CLOSE_TO_THE_ANSWER, "no_reference_claims")
    values["faithfulness"] = len(grounded) / table.claims
    return values | (_of_both(table, grounded) if table.facts else {})


def _of_both(table: Table, grounded: set[int]) -> dict[str, float | str]:
    everything = set(range(table.claims))
    right = set(table.in_reference)
    useful = set().union(*table.fact_in_passage)
    wrong = everything - right
    near = {claim for claim in wrong & grounded if table.in_passage[claim] & useful}
    reached = {fact for fact in range(table.facts) if table.fact_in_passage[fact]}
    precision, recall = len(right) / table.claims, len(table.fact_in_answer) / table.facts
    return {
        "hallucination": len(wrong - grounded) / table.claims,
        "self_knowledge": len(right - grounded) / table.claims,
        "noise_sensitivity_relevant": len(near) / table.claims,
        "noise_sensitivity_irrelevant": len((wrong & grounded) - near) / table.claims,
        "context_utilization": len(reached & table.fact_in_answer) / len(reached) if reached else "nothing_to_use",
        "answer_precision": precision,
        "answer_recall": recall,
        "answer_correctness": 2 / (1 / precision + 1 / recall) if precision and recall else 0.0,
    }


def as_case(table: Table, name: str = "q") -> Case:
    """The case whose texts name what they are: `Claim 2 of q.`"""
    answer = " ".join(_claims(table, name)) if table.claims else f"Well, {name}!"
    reference = " ".join(_facts(table, name)) if table.facts else f"Indeed, {name}!"
    return Case(
        question=Question(id=name, text=f"What about {name}?", reference_answers=(reference,)),
        context=tuple(Passage(id=f"p{one}", text=f"Passage {one} of {name}.") for one in range(table.passages)),
        answer=answer,
    )


def reply(table: Table, question: JudgeQuestion[Any]) -> str:
    """What a judge that knows the table replies."""
    variables: dict[str, Any] = dict(question.variables)
    if question.prompt.name == "split_claims":
        text = str(variables["answer"])
        refuses = table.refuses and not text.startswith(("Fact", "Indeed"))
        return split(*re.findall(r"(?:Claim|Fact) \d+ of \w+\.", text), refuses=refuses)
    if question.prompt.name == "write_questions":
        return questions(*["What is it?"] * 3)
    return verdicts(*_verdicts(table, variables))


def _verdicts(table: Table, variables: dict[str, Any]) -> list[dict[str, Any]]:
    passages = variables["passages"]
    rows = []
    for claim in variables["claims"]:
        number = claim["number"]
        supporting = _supporting(table, claim["text"].startswith("Claim"), number - 1, passages)
        label = "supported" if supporting else table.others[number % len(table.others)]
        places = supporting or (passages[:1] if label == "contradicted" else [])
        rows.append(verdict(number, label, *((place["number"], place["text"].split(" of ")[0]) for place in places)))
    return rows


def _supporting(table: Table, is_claim: bool, at: int, passages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not passages[0]["text"].startswith("Passage"):
        return passages if at in (table.in_reference if is_claim else table.fact_in_answer) else []
    wanted = (table.in_passage if is_claim else table.fact_in_passage)[at]
    return [one for one in passages if int(one["text"].split()[1]) in wanted]


def _claims(table: Table, name: str) -> list[str]:
    return [f"Claim {number} of {name}." for number in range(1, table.claims + 1)]


def _facts(table: Table, name: str) -> list[str]:
    return [f"Fact {number} of {name}." for number in range(1, table.facts + 1)]
