"""Answer relevance: written questions, their flags, and a cosine that is never anything but a number or a reason."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_replies import FixedEmbedder, asked_prompts, case, passages, questions, split, tables
from whichhalf.core.metric import MetricName
from whichhalf.core.outcome import Failed, Outcome, Scored, Undefined, WrittenQuestion
from whichhalf.errors import EmbeddingFailed, JudgeError, JudgeRefused, JudgeUnreachable
from whichhalf.judged.answer_relevance import ANSWER_RELEVANCE, cosine
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.family import JudgedMetric
from whichhalf.judging.embedding import Embedded, Vector
from whichhalf.judging.offline import OfflineJudge
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.running.score_case import score_case

ASKED = "What is the fee?"
ANSWER = "The fee is 12 EUR."
CASE = case(ANSWER, passages("The fee is 12 EUR."))


def at(angle_cosine: float) -> Vector:
    """A vector with this cosine to the one of the real question."""
    return (angle_cosine, math.sqrt(1 - angle_cosine**2))


def score(
    replies: list[str | JudgeError], vectors: dict[str, Vector] | None = None, **options: str
) -> tuple[Outcome, ScriptedJudge, FixedEmbedder]:
    judge, embedder = ScriptedJudge(replies), FixedEmbedder({ASKED: (1.0, 0.0), **(vectors or {})})
    name = MetricName("answer_relevance", tuple(options.items()))
    metric = JudgedMetric(ANSWER_RELEVANCE, name, tables(judge, embedder=embedder))
    return score_case(CASE, [metric]).outcomes[str(name)], judge, embedder


def test_the_mean_cosine_with_all_its_evidence() -> None:
    vectors = {"a?": at(0.9), "b?": at(0.6), "c?": at(0.3)}
    outcome, judge, embedder = score(
        [split(ANSWER), questions("a?", "b?", "c?", evasive=(False, True, False))], vectors
    )
    assert isinstance(outcome, Scored)
    assert outcome.value == pytest.approx(0.6, abs=1e-12)
    assert [(one.text, one.evasive, round(one.cosine or 0, 9)) for one in outcome.questions] == [
        ("a?", False, 0.9),
        ("b?", True, 0.6),
        ("c?", False, 0.3),
    ]
    assert outcome.notes == (
        "mean cosine 0.6 over 3 of 3 written questions",
        "“a?”, cosine 0.9",
        "“b?”, cosine 0.6, evasive",
        "“c?”, cosine 0.3",
    )
    assert asked_prompts(judge) == ["split_claims", "write_questions"]
    assert embedder.asked == [(ASKED, "a?", "b?", "c?")], "one call"


def test_the_judge_sees_the_answer_and_not_the_question() -> None:
    _, judge, _ = score([split(ANSWER), questions("a?", "b?")], questions="2")
    asked = judge.asked[1]
    assert asked.variables == {"answer": ANSWER, "count": 2}
    assert ANSWER in asked.prompt.messages[1].content
    assert ASKED not in "".join(message.content for message in asked.prompt.messages)


def test_bug_073_a_negative_mean_is_0_and_is_kept_in_the_notes() -> None:  # bug-073
    vectors = {"a?": at(-0.02), "b?": at(0.01), "c?": at(0.0)}
    outcome, _, _ = score([split(ANSWER), questions("a?", "b?", "c?")], vectors)
    assert isinstance(outcome, Scored)
    assert outcome.value == 0.0
    assert outcome.notes[0] == "mean cosine -0.003333 over 3 of 3 written questions"


def test_bug_075_blank_questions_are_not_embedded() -> None:  # bug-075
    outcome, _, embedder = score([split(ANSWER), questions("", "a?", " \n")], {"a?": at(0.8)})
    assert isinstance(outcome, Scored)
    assert outcome.value == pytest.approx(0.8)
    assert outcome.notes[0] == "mean cosine 0.8 over 1 of 3 written questions"
    assert outcome.questions[0] == WrittenQuestion(text="", evasive=False)
    assert embedder.asked == [(ASKED, "a?")]


@pytest.mark.parametrize("zero", [ASKED, "a?"], ids=["real question", "written question"])
def test_bug_076_a_vector_of_zeros_is_failed(zero: str) -> None:  # bug-076
    outcome, _, _ = score([split(ANSWER), questions("a?")], {zero: (0.0, 0.0)})
    assert isinstance(outcome, Failed)
    assert (outcome.stage, outcome.error) == ("embedding", "embedding")


@pytest.mark.parametrize("written", [(), ("", " "), ("?", "!!")], ids=["none", "blank", "marks only"])
def test_without_a_usable_question_it_is_failed(written: tuple[str, ...]) -> None:
    outcome, _, embedder = score([split(ANSWER), questions(*written)])
    assert isinstance(outcome, Failed)
    assert (outcome.stage, outcome.error) == ("embedding", "embedding")
    assert f"none of {len(written)} written questions can be used" in outcome.message
    assert embedder.asked == []


@pytest.mark.parametrize(
    ("flags", "value"),
    [
        ((True, True, True), 0.0),
        ((True, True, False), 0.0),
        ((True, False, False), 1.0),
        ((True, True, False, False), 1.0),
        ((True,), 0.0),
    ],
    ids=str,
)
def test_more_than_half_evasive_is_0(flags: tuple[bool, ...], value: float) -> None:
    replies: list[str | JudgeError] = [split(ANSWER), questions(*["a?"] * len(flags), evasive=flags)]
    outcome, _, embedder = score(replies, questions="4")
    assert isinstance(outcome, Scored)
    assert outcome.value == value
    assert [one.evasive for one in outcome.questions] == list(flags)
    assert len(embedder.asked) == (1 if value else 0)


def test_a_refusal_wins_and_no_question_is_written() -> None:
    outcome, judge, embedder = score([split(refuses=True)])
    assert outcome == Scored(value=0.0, notes=("the answer refuses",))
    assert (asked_prompts(judge), embedder.asked) == (["split_claims"], [])


@pytest.mark.parametrize(
    ("given_case", "expected"),
    [
        (case(ANSWER, (), answerable=False), Undefined(because="no_answer_question")),
        (case(None, ()), Undefined(because="missing_output")),
        (case(" ", None), Undefined(because="missing_output")),
    ],
    ids=["no answer in the corpus", "no answer given", "blank answer"],
)
def test_where_there_is_no_number(given_case: object, expected: Undefined) -> None:
    judge = ScriptedJudge([])
    metric = JudgedMetric(ANSWER_RELEVANCE, MetricName("answer_relevance"), tables(judge))
    assert metric.score(given_case) == expected  # type: ignore[arg-type]


def test_more_questions_than_asked_for_are_left_out() -> None:
    outcome, _, embedder = score([split(ANSWER), questions(*"abcd")])
    assert isinstance(outcome, Scored)
    assert embedder.asked == [(ASKED, "a", "b", "c")]


@pytest.mark.parametrize(
    "row", [{"question": "a?"}, {"question": ["a?"], "evasive": False}, {"question": "a?", "evasive": "rather"}, "a?"]
)
def test_a_reply_of_another_shape_is_failed(row: object) -> None:
    outcome, _, _ = score([split(ANSWER), json.dumps({"questions": [row]})])
    assert isinstance(outcome, Failed)
    assert (outcome.stage, outcome.error) == ("answer_relevance", "reply_unreadable")


def test_a_judge_that_refuses_to_write_is_failed_with_its_own_reason() -> None:
    outcome, _, _ = score([split(ANSWER), JudgeRefused("no")])
    assert isinstance(outcome, Failed)
    assert outcome.error == "judge_refused"


def test_a_lost_embedding_call_is_failed_at_the_embedding() -> None:
    class Down(FixedEmbedder):
        def embed(self, texts: object) -> Embedded:
            raise JudgeUnreachable(f"no vectors for {texts}")

    judge = ScriptedJudge([split(ANSWER), questions("a?")])
    metric = JudgedMetric(ANSWER_RELEVANCE, MetricName("answer_relevance"), tables(judge, embedder=Down()))
    outcome = score_case(CASE, [metric]).outcomes["answer_relevance"]
    assert isinstance(outcome, Failed)
    assert (outcome.stage, outcome.error) == ("embedding", "judge_unreachable")


VECTORS = st.lists(st.floats(-1e6, 1e6), min_size=3, max_size=3).map(tuple)


@given(VECTORS, VECTORS)
def test_a_cosine_is_a_number_within_its_range_or_an_error(one: Vector, other: Vector) -> None:
    try:
        found = cosine(one, other)
    except EmbeddingFailed:
        assert not (math.hypot(*one) and math.hypot(*other))
    else:
        assert -1.0 <= found <= 1.0
        assert found == cosine(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [((0.0, 0.0), (1.0, 0.0)), ((1.0,), (1.0, 0.0)), ((1.7e308, 1.7e308), (1.0, 0.0)), ((), ())],
    ids=["zero", "lengths", "overflow", "nothing"],
)
def test_no_angle_is_an_error(one: Vector, other: Vector) -> None:
    with pytest.raises(EmbeddingFailed):
        cosine(one, other)


def test_the_contract_names_what_changes_the_number() -> None:
    metric = JudgedMetric(
        ANSWER_RELEVANCE, MetricName("answer_relevance", (("questions", "5"),)), tables(OfflineJudge())
    )
    assert "the question and 5 questions written from the answer alone" in metric.card.contract
    assert "embeddings of fixed" in metric.card.contract
    assert str(metric.card.name) == "answer_relevance(questions=5)"


def test_the_offline_judge_writes_questions_too() -> None:
    def relevance(answer: str) -> float:
        real = ClaimTables(OfflineJudge(), PromptSet())
        outcome = JudgedMetric(ANSWER_RELEVANCE, MetricName("answer_relevance"), real).score(case(answer, None))
        assert isinstance(outcome, Scored)
        return outcome.value

    assert relevance(ANSWER) > relevance("Whales are mammals. They breathe air.") + 0.3
    assert relevance("Sorry, I could not find that in the documents.") == 0.0
    assert 0.0 <= relevance("Good question!") <= 1.0
    assert relevance(ANSWER) == relevance(ANSWER)
