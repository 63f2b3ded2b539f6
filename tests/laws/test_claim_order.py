"""Whatever the order in which claims are shown, a judge that does not look at it gives the same verdict table."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from judge_replies import passages, verdict, verdicts
from whichhalf.core.claim import Claim, Label
from whichhalf.judged.verdicts import verify_claims
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import JudgeQuestion
from whichhalf.prompting.prompt_folder import PromptSet

LABELS: list[Label] = ["supported", "contradicted", "not_mentioned"]
PROMPTS = PromptSet()
PASSAGES = passages("First text.", "Second text.", "Third text.")


def shown(question: JudgeQuestion[Any], what: str) -> list[Any]:
    values: Any = question.variables[what]
    return [(one["number"], one["text"]) for one in values]


@given(
    st.lists(st.tuples(st.text(min_size=1, max_size=12), st.sampled_from(LABELS), st.booleans()), max_size=8),
    st.integers(1, 50),
)
def test_the_table_does_not_depend_on_the_order(rows: list[tuple[str, Label, bool]], repeat: int) -> None:
    """`True` in a row: the judge forgets the claim at first, so that it is asked for again."""
    claims = [Claim(id=number, text=text) for number, (text, _, _) in enumerate(rows, start=1)]

    def script(question: JudgeQuestion[Any]) -> str:
        is_first = not question.variables["problems"]
        told = []
        for number, _ in shown(question, "claims"):
            _, label, is_forgotten = rows[number - 1]
            places = [] if label == "not_mentioned" else [(number % 3 + 1, "text")]
            if not (is_forgotten and is_first):
                told.append(verdict(number, label, *places))
        return verdicts(*told)

    tables = {}
    for one in (0, repeat):
        judge = ScriptedJudge(script)
        tables[one] = verify_claims(judge, PROMPTS, claims, PASSAGES, repeat=one)
        assert [verdict.claim for verdict in tables[one]] == claims
        for question in judge.asked:
            assert question.repeat == one
            assert shown(question, "passages") == [(n, p.text) for n, p in enumerate(PASSAGES, start=1)]
        sent = shown(judge.asked[0], "claims")
        in_text_order = [(claim.id, claim.text) for claim in claims]
        assert sorted(sent) == sorted(in_text_order)
        assert one or sent == in_text_order
    assert tables[0] == tables[repeat]


def test_a_repeat_has_its_own_order_and_keeps_it() -> None:
    claims = [Claim(id=number, text=f"Claim {number}.") for number in range(1, 9)]
    orders = []
    for repeat in (0, 1, 1, 2, 3):
        judge = ScriptedJudge([verdicts(*(verdict(n, "not_mentioned") for n in range(1, 9)))])
        verify_claims(judge, PROMPTS, claims, PASSAGES, repeat=repeat)
        orders.append(tuple(number for number, _ in shown(judge.asked[0], "claims")))
    assert orders[0] == (1, 2, 3, 4, 5, 6, 7, 8)
    assert orders[1] == orders[2]
    assert len(set(orders)) == 4
