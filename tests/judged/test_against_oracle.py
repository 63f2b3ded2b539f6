"""Every claim metric equals a second, hand-written reading of the same verdict tables, and keeps both laws."""

import re
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from judge_replies import FixedEmbedder
from verdict_oracle import ORDER, Table, as_case, draw, expected, reply
from whichhalf.catalogue import JUDGED
from whichhalf.core.case import Case
from whichhalf.core.claim import Claim, Evidence, Label, Verdict
from whichhalf.core.metric import MetricName
from whichhalf.core.outcome import Outcome, Scored, Undefined
from whichhalf.core.run import Run
from whichhalf.datasets.golden import GoldenSet
from whichhalf.datasets.outputs import Outputs
from whichhalf.datasets.rows import OutputRow
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.claims import ClaimList
from whichhalf.judged.family import JudgedMetric
from whichhalf.judging.offline import OfflineJudge
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import JudgeQuestion
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.running.evaluate import evaluate

TABLES = 10_000
PROMPTS, EMBEDDER = PromptSet(), FixedEmbedder()
CASES = 400
"""Of these, from question to outcome through prompts and replies."""


@dataclass(frozen=True)
class KnownTables(ClaimTables):
    """The verdicts of a table, without prompts and replies in between: the metrics' arithmetic alone."""

    refuses: bool = False
    known: dict[str, tuple[Verdict, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table) -> "KnownTables":
        claims, facts = range(table.claims), range(table.facts)
        known = {
            "A x P": tuple(verdict(table, at, table.in_passage[at]) for at in claims),
            "A x R": tuple(verdict(table, at, {0} if at in table.in_reference else set()) for at in claims),
            "R x P": tuple(verdict(table, at, table.fact_in_passage[at], "fact") for at in facts),
            "R x A": tuple(verdict(table, at, {0} if at in table.fact_in_answer else set(), "fact") for at in facts),
        }
        return cls(OfflineJudge(), PROMPTS, embedder=EMBEDDER, refuses=table.refuses, known=known)

    def answer_claims(self, _: Case) -> ClaimList:
        return ClaimList(self.refuses, () if self.refuses else tuple(one.claim for one in self.known["A x P"]))

    def reference_claims(self, _: Case, __: str) -> ClaimList:
        return ClaimList(False, tuple(one.claim for one in self.known["R x P"]))

    def against_passages(self, _: Case, claims: tuple[Claim, ...]) -> tuple[Verdict, ...]:
        return self.known["R x P" if claims and claims[0].text == "fact" else "A x P"]

    def against_reference(self, _: Case, __: tuple[Claim, ...], ___: str) -> tuple[Verdict, ...]:
        return self.known["A x R"]

    def against_answer(self, _: Case, __: tuple[Claim, ...], ___: str) -> tuple[Verdict, ...]:
        return self.known["R x A"]


def verdict(table: Table, at: int, places: Set[int], text: str = "claim") -> Verdict:
    evidence = tuple(Evidence(passage=f"p{place}", quote="words", start=0) for place in sorted(places))
    label: Label = "supported" if places else table.others[at % len(table.others)]
    return Verdict(claim=Claim(id=at + 1, text=text), label=label, evidence=evidence)


def check(outcome: Outcome, wanted: float | str) -> float | None:
    """The number; None where both sides agree that there is none."""
    if isinstance(wanted, str):
        assert outcome == Undefined(because=wanted)
        return None
    assert isinstance(outcome, Scored), outcome
    assert outcome.value == pytest.approx(wanted, abs=1e-12)
    return outcome.value


def check_laws(values: dict[str, float | None]) -> bool:
    """Whether the case had all numbers that the laws speak of."""
    origin = [values[name] for name in ("faithfulness", "hallucination", "self_knowledge")]
    noise = ("answer_precision", "noise_sensitivity_relevant", "noise_sensitivity_irrelevant", "hallucination")
    wrong = [values[name] for name in noise]
    for law in (origin, wrong):
        if None not in law:
            assert sum(value or 0.0 for value in law) == pytest.approx(1.0, abs=1e-12)
    return None not in origin


def test_ten_thousand_random_tables() -> None:
    seen: Counter[str] = Counter()
    for seed in range(TABLES):
        table = draw(seed)
        case, wanted, known = as_case(table), expected(table), KnownTables.of(table)
        values = {}
        for name in ORDER:
            values[name] = check(JudgedMetric(JUDGED[name], MetricName(name), known).score(case), wanted[name])
        seen["laws"] += check_laws(values)
        seen.update(value for value in wanted.values() if isinstance(value, str))
    assert seen["laws"] > TABLES / 3
    assert set(seen) == {"laws", "refused", "no_claims", "no_reference_claims", "nothing_to_use"}


IN_SEVEN_CALLS = [name for name in JUDGED if name != "context_conflict"]
NAMES = [f"q{seed}" for seed in range(CASES)]


@cache
def table_of(name: str) -> Table:
    return draw(int(name[1:]))


def data(names: list[str]) -> tuple[GoldenSet, Outputs]:
    cases = [as_case(table_of(name), name) for name in names]
    rows = {case.id: OutputRow(id=case.id, context=case.context, answer=case.answer) for case in cases}
    return GoldenSet(tuple(case.question for case in cases)), Outputs(rows)


def name_in(question: JudgeQuestion[Any]) -> str:
    found = re.search(r"\bq\d+\b", str(question.variables))
    assert found
    return found[0]


def run(names: list[str], metrics: list[str]) -> tuple[Run, ScriptedJudge, FixedEmbedder]:
    judge, embedder = ScriptedJudge(lambda question: reply(table_of(name_in(question)), question)), FixedEmbedder()
    golden, outputs = data(names)
    return evaluate(golden, outputs, metrics, judge=judge, embedder=embedder, concurrency=2), judge, embedder


@cache
def whole_run() -> tuple[Run, ScriptedJudge, FixedEmbedder]:
    return run(NAMES, IN_SEVEN_CALLS)


def test_from_question_to_outcome() -> None:
    for result in whole_run()[0].results:
        wanted = expected(table_of(result.case.id))
        check_laws({name: check(result.outcomes[name], wanted[name]) for name in ORDER})


def test_all_metrics_take_seven_judge_calls_and_one_of_the_embedding_model() -> None:
    finished, judge, embedder = whole_run()
    asked = Counter(name_in(question) for question in judge.asked)
    assert max(asked.values()) == 7
    assert finished.cost.judge_calls == len(judge.asked)
    assert len(embedder.asked) == finished.cost.embedding_calls <= CASES
    assert all(len(texts) == 4 for texts in embedder.asked)


def test_the_four_headline_metrics_take_five() -> None:
    names = ["faithfulness", "answer_relevance", "context_precision", "context_recall"]
    full = [name for name in NAMES if min(table_of(name).claims, table_of(name).facts, table_of(name).passages) > 0]
    _, judge, embedder = run(full[:50], names)
    asked = Counter(name_in(question) for question in judge.asked)
    assert max(asked.values()) == 5
    assert len(embedder.asked) <= 50


def test_two_metrics_together_equal_each_alone() -> None:
    together = whole_run()[0]
    for name in IN_SEVEN_CALLS:
        alone = run(NAMES[:40], [name])[0]
        for one, both in zip(alone.results, together.results, strict=False):
            assert one.outcomes[name] == both.outcomes[name]
