"""Passages that disagree on a claim."""

from typing import Any

import pytest

from judge_replies import case, passages, split, tables, verdict, verdicts
from whichhalf.core.metric import MetricName
from whichhalf.core.outcome import Outcome, Scored
from whichhalf.judged.context_conflict import CONTEXT_CONFLICT
from whichhalf.judged.family import JudgedMetric
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import JudgeQuestion

CLAIMS = ("The fee is 12 EUR.", "It is due in May.", "It renews.")
SAYS = {  # passage → claims it supports, claims it contradicts
    "The fee is 12 EUR, due in May.": ({0, 1}, set()),
    "The fee is 15 EUR.": (set(), {0}),
    "It renews by itself.": ({2}, set()),
}


def reply(question: JudgeQuestion[Any]) -> str:
    variables: Any = question.variables
    if question.prompt.name == "split_claims":
        return split(*CLAIMS)
    rows = []
    for claim in variables["claims"]:
        at = CLAIMS.index(claim["text"])
        places = [
            [(one["number"], one["text"]) for one in variables["passages"] if at in SAYS[one["text"]][side]]
            for side in (0, 1)
        ]
        label = "supported" if places[0] else "contradicted" if places[1] else "not_mentioned"
        rows.append(verdict(claim["number"], label, *(places[0] or places[1])))
    return verdicts(*rows)


def score(*texts: str) -> tuple[Outcome, ScriptedJudge]:
    judge = ScriptedJudge(reply)
    given = case(" ".join(CLAIMS), passages(*texts))
    metric = JudgedMetric(CONTEXT_CONFLICT, MetricName("context_conflict"), tables(CachingJudge(judge)))
    return metric.score(given), judge


def test_a_claim_with_a_passage_for_and_one_against_it() -> None:
    found, judge = score(*SAYS)
    assert isinstance(found, Scored)
    assert found.value == pytest.approx(1 / 3, abs=1e-12)
    assert [(one.claim.id, one.label, [place.passage for place in one.evidence]) for one in found.verdicts] == [
        (1, "supported", ["p1"]),
        (1, "contradicted", ["p2"]),
    ]
    assert len(judge.asked) == 4  # the claims, all passages, then without p1 and without p3


def test_passages_that_agree() -> None:
    texts = list(SAYS)
    assert score(texts[0], texts[2])[0] == Scored(value=0.0)
    assert score(texts[1])[0] == Scored(value=0.0)  # contradicted by all there is: no conflict among passages


def test_one_passage_cannot_disagree_with_another() -> None:
    found, judge = score(next(iter(SAYS)))
    assert found == Scored(value=0.0)
    assert len(judge.asked) == 2
