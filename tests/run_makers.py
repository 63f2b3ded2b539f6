"""Small runs made by hand, for tests that compare them."""

from collections.abc import Mapping, Sequence
from typing import Any

from whichhalf.core.case import Case, Passage, Question
from whichhalf.core.claim import Claim, Evidence, Label, Verdict
from whichhalf.core.outcome import Failed, Outcome, Scored, Undefined
from whichhalf.core.run import CaseResult, Cost, Run, RunManifest
from whichhalf.statistics.mean import summarise

JUDGE = {
    "model": "openai/judge-a",
    "returned": ["judge-a-2026-11-01"],
    "endpoint": "http://127.0.0.1:1/v1",
    "sampling": {"temperature": 0.0},
    "is_baseline": False,
    "embedding": {"model": "wordllama", "endpoint": None},
}
PROMPTS = {"split_claims/v1": "a" * 64, "verify_claims/v1": "b" * 64}


def a_case(question: str = "q1", **fields: Any) -> Case:
    """A case; fields of the question are given by their names, all others are the case's."""
    own = {name: fields.pop(name) for name in list(fields) if name in Question.model_fields}
    return Case(question=Question(**{"id": question, "text": f"What about {question}?", **own}), **fields)


def a_run(
    scores: Mapping[str, Sequence[float | Outcome]],
    cases: Sequence[Case] | None = None,
    *,
    cost: Cost | None = None,
    **manifest: Any,
) -> Run:
    """Metric → one number or outcome a question, the questions being q1, q2, … where no cases are given."""
    count = len(next(iter(scores.values())))
    cases = cases or [a_case(f"q{number}", answer="An answer.") for number in range(1, count + 1)]
    contracts = {name: f"contract of {name}" for name in scores}
    facts: dict[str, Any] = {
        "whichhalf": "0",
        "created": "2026-11-30T06:00:00+00:00",
        "config": {},
        "data": {"golden": "1" * 64, "outputs": "2" * 64},
        "prompts": PROMPTS,
        "judge": JUDGE,
        "metrics": contracts,
        **manifest,
    }
    outcomes = {name: [_outcome(one) for one in values] for name, values in scores.items()}
    results = tuple(
        CaseResult(case=case, outcomes={name: outcomes[name][number] for name in scores})
        for number, case in enumerate(cases)
    )
    summaries = {name: summarise(outcomes[name], contracts[name]) for name in scores}
    return Run(RunManifest(**facts), results, summaries, cost or Cost())


def refused() -> Undefined:
    return Undefined(because="refused")


def failed(error: str = "reply_cut") -> Failed:
    return Failed(stage="verify_claims", error=error, message="lost")


def judged(value: float, **verdicts: tuple[Label, str] | Label) -> Scored:
    """A score with verdicts: claim text (_ for a space) = label, or (label, passage)."""
    rows = [(text.replace("_", " "), (one, "") if isinstance(one, str) else one) for text, one in verdicts.items()]
    return Scored(
        value=value,
        verdicts=tuple(
            Verdict(
                claim=Claim(id=number, text=text),
                label=label,
                evidence=(Evidence(passage=passage, quote=f"quote of {passage}", start=0),) if passage else (),
            )
            for number, (text, (label, passage)) in enumerate(rows, start=1)
        ),
    )


def ranked(*ids: str) -> tuple[Passage, ...]:
    return tuple(Passage(id=one, text=f"Text of {one}.") for one in ids)


def _outcome(one: float | Outcome) -> Outcome:
    return Scored(value=one) if isinstance(one, int | float) else one
