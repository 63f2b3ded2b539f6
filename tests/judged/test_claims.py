"""Splitting: only statements the text makes count, and a refusal has none."""

import pytest

from judge_replies import split
from whichhalf.core.claim import Claim
from whichhalf.errors import ReplyUnreadable
from whichhalf.judged.claims import ClaimList, split_claims
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.prompting.prompt_folder import PromptSet

ANSWER = "The plan costs 10 EUR, and it can be cancelled\nat any time."


def ask(reply: str, answer: str = ANSWER, question: str = "What does the plan cost?") -> ClaimList:
    return split_claims(ScriptedJudge([reply]), PromptSet(), question, answer)


def test_claims_are_numbered_and_carry_the_words_they_come_from() -> None:
    reply = split(
        ("the plan costs 10 eur", "The plan costs 10 EUR."),
        ("it can be cancelled at any time", "The plan can be\ncancelled at any time."),
    )
    assert ask(reply) == ClaimList(
        False,
        (
            Claim(id=1, text="The plan costs 10 EUR.", quote="The plan costs 10 EUR"),
            Claim(id=2, text="The plan can be cancelled at any time.", quote="it can be cancelled\nat any time"),
        ),
    )


def test_a_claim_the_answer_never_made_is_dropped_and_said() -> None:  # bug-062
    reply = split("The plan costs 10 EUR", ("it renews itself", "Renewal happens every year."))
    found = ask(reply)
    assert [claim.text for claim in found.claims] == ["The plan costs 10 EUR"]
    assert found.notes == ("dropped a claim that the text does not make: Renewal happens every year.",)


def test_a_reworded_claim_without_a_findable_quote_counts_when_most_words_are_the_answers() -> None:
    found = ask(split(("plan price: ten", "The plan costs 10 EUR")))
    assert found.claims == (Claim(id=1, text="The plan costs 10 EUR", quote=""),)


def test_a_one_word_answer_makes_a_full_claim() -> None:  # bug-063
    reply = split(("五味子", "The herb that restores the lung qi is 五味子."))
    found = ask(reply, answer="五味子", question="Which herb restores the lung qi?")
    assert [claim.text for claim in found.claims] == ["The herb that restores the lung qi is 五味子."]


def test_a_refusal_has_no_claims_whatever_else_the_judge_lists() -> None:
    assert ask(split(refuses=True)) == ClaimList(True, ())
    assert ask(split("The documents say nothing", refuses=True)) == ClaimList(True, ())


def test_blank_claims_are_no_claims() -> None:
    assert ask(split(("The plan costs", "  "))) == ClaimList(False, ())


@pytest.mark.parametrize(
    "reply",
    ['{"statements": ["The fee is 12 EUR."]}', '{"claims": []}', '{"refuses": false, "claims": ["text"]}', "N/A"],
    ids=["bug-061 wrong key", "no refusal flag", "claims as text", "bug-111 prose"],
)
def test_a_reply_of_another_shape_is_unreadable_never_an_empty_list(reply: str) -> None:
    with pytest.raises(ReplyUnreadable):
        ask(reply)


def test_question_and_answer_reach_the_judge() -> None:
    judge = ScriptedJudge([split()])
    split_claims(judge, PromptSet(), "What does it cost?", ANSWER)
    (asked,) = judge.asked
    assert asked.variables == {"question": "What does it cost?", "answer": ANSWER}
    assert ANSWER in asked.prompt.messages[1].content
    assert "What does it cost?" in asked.prompt.messages[1].content
