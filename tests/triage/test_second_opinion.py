"""Only what a label rests on is asked again, and the majority counts."""

from functools import partial
from typing import Any

import pytest

from judge_replies import FixedEmbedder, case, passages, split, verdict, verdicts
from whichhalf.catalogue import Choices, build_metrics
from whichhalf.core.diagnosis import Diagnosis
from whichhalf.jobs.labelling import SecondOpinion
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judging.caching import CachingJudge
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import JudgeQuestion
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.running.score_case import score_case
from whichhalf.triage.second_opinion import CarefulTables
from whichhalf.triage.which_half_failed import which_half_failed

TEXT = "The fee is 12 EUR. It is due in May."
CLAIMS = ("The fee is 12 EUR.", "It is due in May.")
GIVEN = case(TEXT, passages(TEXT), relevant={"p1": 1})


def settle(second_claim: list[str], repeats: int, refusals: tuple[bool, ...] = ()) -> tuple[Diagnosis, list[Any]]:
    """The label where the verdicts on the second claim are these, one a repeat; and what was asked."""

    def reply(question: JudgeQuestion[Any]) -> str:
        variables: Any = question.variables
        if question.prompt.name == "split_claims":
            return split(*CLAIMS, refuses=refusals[question.repeat] if refusals else False)
        rows = []
        for claim in variables["claims"]:
            label = "supported" if claim["text"] == CLAIMS[0] else second_claim[question.repeat]
            rows.append(verdict(claim["number"], label, *([(1, claim["text"])] if label != "not_mentioned" else [])))
        return verdicts(*rows)

    judge = ScriptedJudge(reply)
    careful = CarefulTables(CachingJudge(judge), PromptSet(), embedder=FixedEmbedder(), repeats=repeats)
    once = ClaimTables(careful.judge, careful.prompts, embedder=careful.embedder)
    result = score_case(GIVEN, build_metrics(["faithfulness"], Choices(), once))
    found = SecondOpinion(careful)(result, partial(which_half_failed, GIVEN))
    return found, [(one.repeat, one.prompt.name, _claims_of(one)) for one in judge.asked]


def _claims_of(question: JudgeQuestion[Any]) -> int:
    variables: Any = question.variables
    return len(variables.get("claims", ()))


@pytest.mark.parametrize(
    ("replies", "reason"),
    [
        (["not_mentioned", "supported", "supported"], "all_checks_passed"),
        (["not_mentioned", "not_mentioned", "supported"], "unsupported_claims"),
        (["contradicted", "supported", "contradicted"], "contradicts_context"),
        (["not_mentioned", "supported", "contradicted"], "unsupported_claims"),  # no majority: unsure
    ],
)
def test_the_majority_decides(replies: list[str], reason: str) -> None:
    found, asked = settle(replies, 3)
    assert (found.reason, found.thresholds["repeats"]) == (reason, 3)
    assert asked == [
        (0, "split_claims", 0),
        (0, "verify_claims", 2),
        (1, "verify_claims", 1),  # the deciding claim alone
        (2, "verify_claims", 1),
    ]


def test_a_label_that_rests_on_no_judge_is_not_asked_again() -> None:
    found, asked = settle(["supported"], 3)
    assert found.reason == "all_checks_passed"
    assert [repeat for repeat, _, _ in asked] == [0, 0]


def test_a_refusal_that_only_one_reply_saw_is_none() -> None:
    found, asked = settle(["supported"] * 3, 3, refusals=(True, False, False))
    assert found.reason == "all_checks_passed"
    assert [name for repeat, name, _ in asked if repeat] == ["split_claims", "split_claims"]
    assert settle(["supported"] * 3, 3, refusals=(True, True, False))[0].reason == "false_refusal"
