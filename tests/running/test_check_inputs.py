"""What a reader should know, and what is found missing before the first judge call."""

from collections.abc import Sequence

import pytest

from whichhalf.catalogue import Choices, build_metrics
from whichhalf.core.case import Case, Passage, Question
from whichhalf.errors import InputError
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.running.check_inputs import check_inputs


def case(
    one: str, retrieved: Sequence[str] | None = ("c1", "c2"), relevant: Sequence[str] = ("c1",), **fields: object
) -> Case:
    passages = None if retrieved is None else tuple(Passage(id=passage) for passage in retrieved)
    question = Question(id=one, text="?", relevant=dict.fromkeys(relevant, 1))
    return Case(question=question, retrieved=passages).model_copy(update={"answer": "Yes.", "context": (), **fields})


def check(cases: Sequence[Case], *names: str) -> list[str]:
    judge = ScriptedJudge([])
    return check_inputs(cases, build_metrics(names, Choices(), ClaimTables(judge, PromptSet())))


NOTICES: dict[str, tuple[list[Case], list[str], list[str]]] = {
    "all is well": ([case("q1")], ["recall@2", "faithfulness"], []),
    "k beyond the longest list": (
        [case("q1"), case("q2", ["c1"])],
        ["recall@2", "recall@3", "ndcg@10", "rr"],
        ["recall@3[retrieved], ndcg@10[retrieved]: k is larger than the longest list, which has 2 passages"],
    ),
    "nothing retrieved anywhere needs no word on k": ([case("q1", [])], ["recall@3"], []),
    "repeated ids": (
        [case("q1", ["c1", "c1"]), case("q2")],
        ["recall@2"],
        ["1 retrieved list(s) repeat a passage id: q1"],
    ),
    "ids that no label knows (bug-034)": (
        [case("q1", ["store/0/c1"]), case("q2", ["store/0/c2"])],
        ["recall@1"],
        ["none of the 2 retrieved passage ids is a labelled one: check that both use the same ids"],
    ),
    "a context that was never logged": (
        [case("q1", context=None)],
        ["recall@2", "faithfulness"],
        ["faithfulness: no output logs its context, so there is nothing to score"],
    ),
    "a context logged once": ([case("q1", context=None), case("q2")], ["faithfulness"], []),
    "a context stage logged once": (
        [case("q1", context=None), case("q2", context=(Passage(id="c1"),))],
        ["recall@1[context]"],
        [],
    ),
    "a question without output": (
        [case("q1"), case("q2", None, answer=None, context=None, has_output=False)],
        ["recall@2", "faithfulness"],
        [],
    ),
}


@pytest.mark.parametrize(("cases", "names", "notices"), NOTICES.values(), ids=NOTICES.keys())
def test_notices(cases: list[Case], names: list[str], notices: list[str]) -> None:
    assert check(cases, *names) == notices


BARE = (Passage(id="c1", text="Fees."), Passage(id="c2"))
FAULTS: dict[str, tuple[list[Case], list[str], list[str]]] = {
    "a stage some outputs lack": (
        [case("q1"), case("q2", None)],
        ["recall@2", "rr"],
        [
            "recall@2[retrieved] needs the stage 'retrieved', which 1 output(s) do not log: q2",
            "rr[retrieved] needs the stage 'retrieved', which 1 output(s) do not log: q2",
        ],
    ),
    "a context stage nobody logged": (
        [case("q1", context=None)],
        ["rr[context]"],
        ["rr[context] needs the stage 'context', which 1 output(s) do not log: q1"],
    ),
    "no answers": (
        [case("q1", answer=None), case("q2", answer="")],
        ["faithfulness"],
        ["faithfulness needs answers, and no output has one"],
    ),
    "no labels": (
        [case("q1", relevant=())],
        ["rr"],
        ["rr[retrieved] needs labels, and no question has relevant passages"],
    ),
    "passages without text": (
        [case("q1", context=BARE), case("q2", context=BARE)],
        ["faithfulness"],
        [
            "faithfulness needs passage texts: 2 context passage(s) have none, first 'c2' of question 'q1'. "
            "Give [data] corpus, or log the texts in the outputs"
        ],
    ),
    "everything at once": (
        [case("q1", None, (), context=BARE)],
        ["rr", "faithfulness"],
        [
            "rr[retrieved] needs the stage 'retrieved', which 1 output(s) do not log: q1",
            "rr[retrieved] needs labels, and no question has relevant passages",
            "faithfulness needs passage texts: 1 context passage(s) have none, first 'c2' of question 'q1'. "
            "Give [data] corpus, or log the texts in the outputs",
        ],
    ),
}


@pytest.mark.parametrize(("cases", "names", "messages"), FAULTS.values(), ids=FAULTS.keys())
def test_faults(cases: list[Case], names: list[str], messages: list[str]) -> None:
    with pytest.raises(InputError) as caught:
        check(cases, *names)
    assert [str(fault) for fault in caught.value.faults] == messages
