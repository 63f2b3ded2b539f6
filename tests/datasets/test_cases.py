"""Questions meet outputs by id, never by position."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.core.case import Case, Passage, Question
from whichhalf.datasets.cases import join_cases, keep_split
from whichhalf.datasets.corpus import Corpus
from whichhalf.datasets.golden import GoldenSet
from whichhalf.datasets.outputs import Outputs
from whichhalf.datasets.rows import OutputRow
from whichhalf.errors import InputError


def golden(*ids: str, notices: tuple[str, ...] = ()) -> GoldenSet:
    return GoldenSet(tuple(Question(id=one, text=f"{one}?") for one in ids), notices=notices)


def outputs(*rows: OutputRow, notices: tuple[str, ...] = ()) -> Outputs:
    return Outputs({row.id: row for row in rows}, notices=notices)


def test_a_case_is_its_question_with_its_output() -> None:
    row = OutputRow(
        id="q1",
        retrieved=(Passage(id="c1"), Passage(id="c2")),
        reranked=(Passage(id="c2"),),
        context=(),
        answer="14 days.",
        model="assistant",
        latency_ms=3.0,
        meta={"trace": "t"},
    )
    assert join_cases(golden("q1"), outputs(row)).cases == (
        Case(
            question=Question(id="q1", text="q1?"),
            retrieved=(Passage(id="c1"), Passage(id="c2")),
            reranked=(Passage(id="c2"),),
            context=(),
            answer="14 days.",
            meta={"model": "assistant", "latency_ms": 3.0, "trace": "t"},
        ),
    )


def test_a_question_without_output_stays_and_is_listed() -> None:
    """bug-018"""
    joined = join_cases(golden("q1", "q2", "q3"), outputs(OutputRow(id="q2")))
    assert [(case.id, case.has_output) for case in joined.cases] == [("q1", False), ("q2", True), ("q3", False)]
    assert joined.notices == ("2 question(s) without an output, counted as nothing retrieved: q1, q3",)


def test_an_output_without_question_is_listed_and_left_out() -> None:
    rows = [OutputRow(id=one) for one in ("q1", *"abcdefg")]
    joined = join_cases(golden("q1"), outputs(*rows))
    assert [case.id for case in joined.cases] == ["q1"]
    assert joined.notices == ("7 output(s) without a question, left out: a, b, c, d, e and 2 more",)


def test_an_error_row_counts_as_no_output() -> None:
    row = OutputRow(id="q1", error="timed out", answer="half an ans", retrieved=(Passage(id="c1"),))
    case = join_cases(golden("q1"), outputs(row)).cases[0]
    assert case == Case(question=Question(id="q1", text="q1?"), has_output=False, meta={"error": "timed out"})


def test_no_overlap_is_an_input_error() -> None:
    with pytest.raises(InputError) as caught:
        join_cases(golden("q1", "q2"), outputs(OutputRow(id="1")))
    assert str(caught.value) == (
        "no output belongs to any question: the golden set has ids such as q1, q2, the outputs 1"
    )


def test_texts_come_from_the_corpus_for_the_context_alone() -> None:
    bare, own = Passage(id="c1", score=2.0), Passage(id="c2", text="As logged.")
    row = OutputRow(id="q1", retrieved=(bare,), context=(bare, own, Passage(id="c3")))
    corpus = {one: Passage(id=one, text=f"Corpus {one}.", doc="note") for one in ("c1", "c2")}
    case = join_cases(golden("q1"), outputs(row), corpus).cases[0]
    assert case.retrieved == (bare,)
    assert case.context == (
        Passage(id="c1", text="Corpus c1.", doc="note", score=2.0),
        Passage(id="c2", text="As logged.", doc="note"),
        Passage(id="c3"),
    )


def test_notices_of_the_files_come_first() -> None:
    corpus = Corpus()
    corpus.notices = ("c",)
    joined = join_cases(golden("q1", notices=("g",)), outputs(OutputRow(id="q1"), notices=("o",)), corpus)
    assert joined.notices == ("g", "o", "c")


@given(st.permutations(["q1", "q2", "q3", "q4"]), st.permutations(["q1", "q2", "q3", "q4"]))
def test_the_order_of_the_outputs_plays_no_part(asked: list[str], answered: list[str]) -> None:
    """bug-258: rows belong together by id."""
    rows = outputs(*(OutputRow(id=one, answer=f"answer to {one}") for one in answered))
    cases = join_cases(golden(*asked), rows).cases
    assert [(case.id, case.answer) for case in cases] == [(one, f"answer to {one}") for one in asked]


SPLIT = GoldenSet(
    (
        Question(id="a", text="a?", split="tune"),
        Question(id="b", text="b?", split="held_out"),
        Question(id="c", text="c?"),
    )
)
ROWS = outputs(*(OutputRow(id=one) for one in "abcd"))


@pytest.mark.parametrize(
    ("split", "kept", "notices"),
    [
        ("all", ["a", "b", "c"], ()),
        ("tune", ["a", "c"], ("1 question(s) left out: [data] split is 'tune'",)),
        ("held_out", ["b", "c"], ("1 question(s) left out: [data] split is 'held_out'",)),
    ],
)
def test_a_split_keeps_its_own_questions_and_those_without_one(
    split: str, kept: list[str], notices: tuple[str, ...]
) -> None:
    questions, rows = keep_split(SPLIT, ROWS, split)
    assert [question.id for question in questions.questions] == kept
    assert questions.notices == notices
    assert list(rows.rows) == [*kept, "d"]


def test_a_split_of_nothing_is_an_input_error() -> None:
    only_tune = GoldenSet((Question(id="a", text="a?", split="tune"),))
    with pytest.raises(InputError) as caught:
        keep_split(only_tune, ROWS, "held_out")
    assert str(caught.value) == "[data] split: no question belongs to the split 'held_out'"
