"""Faults that people met in tools like this one, each with its right outcome. Ids are those of the collection.

Where a case and the definitions differ, the definitions hold; the test says so.
"""

from typing import Any

import pytest

from judge_replies import case, passages, split, tables, verdict, verdicts
from whichhalf.catalogue import JUDGED
from whichhalf.core.case import Case
from whichhalf.core.metric import MetricName
from whichhalf.core.outcome import Failed, Outcome, Scored, Undefined
from whichhalf.datasets.golden import GoldenSet
from whichhalf.datasets.outputs import Outputs
from whichhalf.datasets.rows import OutputRow
from whichhalf.judged.family import JudgedMetric
from whichhalf.judging.offline import OfflineJudge
from whichhalf.judging.scripted import ScriptedJudge
from whichhalf.judging.seam import Judge
from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.running.evaluate import evaluate
from whichhalf.running.score_case import score_case


def score(name: str, given: Case, judge: Judge | list[str]) -> Outcome:
    known = tables(ScriptedJudge(judge) if isinstance(judge, list) else judge)
    return score_case(given, [JudgedMetric(JUDGED[name], MetricName(name), known)]).outcomes[name]


def value(name: str, given: Case, judge: Judge | list[str]) -> float:
    outcome = score(name, given, judge)
    assert isinstance(outcome, Scored), outcome
    return outcome.value


FEE = case("The fee is 12 EUR.", passages("The fee is 12 EUR."), reference_answers=("The fee is 12 EUR.",))


@pytest.mark.parametrize(
    ("name", "answer", "context", "reference", "wanted"),
    [
        pytest.param("faithfulness", "一。二。三。", ["一。二。"], "", 2 / 3, id="bug-066 no space after the stop"),
        pytest.param(
            "faithfulness",
            "Paris is the capital of France.",
            ["I had a great day in Paris last week."],
            "",
            0.0,
            id="bug-070 mention is not support",
        ),
        pytest.param(
            "faithfulness",
            "Battery life is 10 hours.",
            ["Review of another phone: battery life is 10 hours."],
            "",
            1.0,
            id="bug-071 support from an off-topic passage",
        ),
        pytest.param(
            "context_precision",
            "x",
            ["Customer data must not leave the site.", "<!-- LOC 12, (48,756,614,786) -->"],
            "Customer data must not leave the site.",
            0.5,
            id="bug-081 a passage of mark-up only",
        ),
        pytest.param(
            "context_recall",
            "x",
            ["Paris is the capital of France."],
            "The Eiffel Tower is in Paris.",
            0.0,
            id="bug-085 mention without support",
        ),
        pytest.param("answer_correctness", "yes", [], "yes", 1.0, id="bug-090 yes and yes"),
        pytest.param("answer_correctness", "yes", [], "no", 0.0, id="bug-090 yes and no"),
        pytest.param("answer_correctness", "no", [], "no", 1.0, id="bug-090 no and no"),
        pytest.param("answer_correctness", "五味子", [], "五味子", 1.0, id="bug-063 one-word answer"),
    ],
)
def test_with_the_offline_judge(name: str, answer: str, context: list[str], reference: str, wanted: float) -> None:
    references = (reference,) if reference else ()
    given = case(answer, passages(*context), reference_answers=references)
    assert value(name, given, OfflineJudge()) == pytest.approx(wanted)


def test_bug_071_what_only_an_irrelevant_passage_supports_is_noise() -> None:  # bug-071
    # the case wants label manual; that is for triage to say, the metric names the passage's part in it
    given = case(
        "Battery life is 10 hours.",
        passages("Review of another phone: battery life is 10 hours."),
        reference_answers=("The X1 runs for 7 hours.",),
    )
    assert value("noise_sensitivity_irrelevant", given, OfflineJudge()) == 1.0


def test_bug_067_a_reply_without_claims_is_not_taken_for_a_refusal() -> None:  # bug-067
    # the case wants a retry and then a failed judge; the definitions say Undefined(no_claims)
    given = case("Die Garantie beträgt zwei Jahre.", passages("Die Garantie beträgt zwei Jahre."))
    assert score("faithfulness", given, [split()]) == Undefined(because="no_claims")


def test_bug_068_a_run_names_the_wording_it_was_made_with() -> None:  # bug-068
    # the case wants a wording for each language; here one wording keeps the language of the answer, whatever it is
    golden = GoldenSet((FEE.question,))
    outputs = Outputs({"q1": OutputRow(id="q1", context=FEE.context, answer="费用是12欧元。")})
    run = evaluate(golden, outputs, ["faithfulness", "answer_relevance"], judge="offline")
    prompts = PromptSet()
    assert run.manifest.prompts == {
        "split_claims/v2": prompts["split_claims"].sha256,
        "verify_claims/v3": prompts["verify_claims"].sha256,
        "write_questions/v2": prompts["write_questions"].sha256,
    }
    for name in ("split_claims", "write_questions"):
        assert "language" in prompts[name].text
        assert "Do not translate" in prompts[name].text


RANKS = {"A": ([1, 1, 0, 0], 1.0), "B": ([0, 0, 1, 1], 5 / 12)}


@pytest.mark.parametrize(("useful", "ranked"), RANKS.values(), ids=RANKS)
def test_bug_077_the_share_and_the_ranked_form_have_two_names(useful: list[int], ranked: float) -> None:  # bug-077
    places = [(number, "text") for number, one in enumerate(useful, start=1) if one]
    given = case("x", passages("a text", "b text", "c text", "d text"), reference_answers=("The fee is 12 EUR.",))

    def replies() -> list[str]:
        return [split("The fee is 12 EUR."), verdicts(verdict(1, "supported", *places))]

    assert value("context_precision", given, replies()) == 0.5
    assert value("context_precision_ranked", given, replies()) == pytest.approx(ranked, abs=1e-6)


def test_bug_079_and_080_nothing_is_asked_where_there_is_nothing_to_judge() -> None:  # bug-079, bug-080
    for name in ("context_precision", "context_recall"):
        assert value(name, case("x", (), reference_answers=("The fee is 12 EUR.",)), []) == 0.0
        blank = case("x", passages("The fee is 12 EUR."), reference_answers=("   ",))
        assert score(name, blank, []) == Undefined(because="no_reference_answer")


def test_bug_083_words_of_the_judge_are_no_words_of_the_passage() -> None:  # bug-083
    # the case is about a metric we do not have; the rule is the same for quotes
    bad = verdicts(verdict(1, "supported", (1, "candidate sentences:"), (2, "It was first released in 1991.")))
    given = case("x", passages("Python is a language.", "It was first released in 1991."), reference_answers=("1991.",))
    assert value("context_precision", given, [split("1991."), bad, bad]) == 0.5


def test_bug_084_lines_within_a_reason_do_not_count() -> None:  # bug-084
    rows = [
        verdict(
            1, "supported", (1, "The fee is 12 EUR"), reason="The fee is 12 EUR.\nThis is in the text.\n[Attributed]"
        ),
        verdict(2, "not_mentioned", reason="It renews yearly.\nNot mentioned.\n[Not Attributed]"),
    ]
    given = case("x", FEE.context, reference_answers=("The fee is 12 EUR. It renews yearly.",))
    assert value("context_recall", given, [split("The fee is 12 EUR.", "It renews yearly."), verdicts(*rows)]) == 0.5


def test_bug_167_no_passage_is_cut_or_left_out_to_fit_a_window() -> None:  # bug-167
    context = passages(*(f"Text {number}: " + "word " * 3000 + f"end {number}." for number in range(40)))
    judge = ScriptedJudge(
        lambda question: (
            split("The end is 39.")
            if question.prompt.name == "split_claims"
            else verdicts(verdict(1, "supported", (1, "word word")))
        )
    )
    metric = JudgedMetric(JUDGED["faithfulness"], MetricName("faithfulness"), tables(judge, max_prompt_tokens=24_000))
    assert isinstance(metric.score(case("The end is 39.", context)), Scored)
    sent = [one.prompt.messages[1].content for one in judge.asked if one.prompt.name == "verify_claims"]
    assert len(sent) > 1
    assert all(sum(str(passage.text) in text for text in sent) == 1 for passage in context)


def test_bug_246_one_classification_for_four_claims_is_no_full_recall() -> None:  # bug-246
    facts = [f"Fact {number} holds." for number in range(4)]
    one = verdicts(verdict(1, "supported", (1, "The fee")))
    given = case("x", FEE.context, reference_answers=(" ".join(facts),))
    outcome = score("context_recall", given, [split(*facts), one, one])
    assert isinstance(outcome, Failed)
    assert outcome.error == "verdicts_missing"
    assert "3 of 4 claims (number 2, 3, 4)" in outcome.message


def test_bug_092_every_outcome_shows_which_claims_counted() -> None:  # bug-092
    known: dict[str, Any] = {"reference_answers": ("The fee is 12 EUR. It renews yearly.",)}
    outcome = score("answer_correctness", case("The fee is 12 EUR. Pay in cash.", None, **known), OfflineJudge())
    assert isinstance(outcome, Scored)
    assert [(one.claim.text, one.label) for one in outcome.verdicts] == [
        ("The fee is 12 EUR.", "supported"),
        ("Pay in cash.", "not_mentioned"),
        ("The fee is 12 EUR.", "supported"),
        ("It renews yearly.", "not_mentioned"),
    ]
