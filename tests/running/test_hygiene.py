"""What `validate` says of a golden set that can be read, and should not be trusted yet."""

from whichhalf.catalogue import Choices, build_metrics
from whichhalf.core.case import Case, EvidenceQuote, Passage, Question
from whichhalf.running.hygiene import golden_set_faults

TEXT = "The late fee is Rs 3,500 when the yearly income is above Rs 4 lakh, and it does not grow by the month."


def case(name: str, text: str, relevant: dict[str, int], retrieved: str = "a b", **more: object) -> Case:
    question = Question.model_validate({"id": name, "text": text, "relevant": relevant, **more})
    return Case(question=question, retrieved=tuple(Passage(id=one) for one in retrieved.split()))


CLEAN = [case("q1", "What is the late fee?", {"a": 1}), case("q2", "When is the refund paid?", {"b": 1}, "b a")]
METRICS = build_metrics(["recall@2"], Choices())


def test_a_clean_set_has_no_fault() -> None:
    """Both questions are answered in full, so their values do not spread and nothing is said of differences."""
    corpus = {one: Passage(id=one, text=f"{one} {TEXT if one == 'a' else 'Refunds are paid monthly.'}") for one in "ab"}
    assert golden_set_faults(CLEAN, METRICS, corpus) == []


def test_every_kind_of_fault() -> None:
    cases = [
        *CLEAN,
        case("q3", "what is the LATE fee", {"gone": 1, "a": 9}),
        case("q4", "Is there a discount?", {}),
        case("q5", "Who signs form 7?", {}, evidence=[EvidenceQuote(quote="the clerk signs")]),
        case("q6", "Taxes in Norway?", {}, answerable=False),
    ]
    metrics = build_metrics(["recall@2", "recall@3"], Choices())
    corpus = {one: Passage(id=one, text=TEXT) for one in "ab"}
    assert golden_set_faults(cases, metrics, corpus) == [
        "1 answerable question(s) without labels: no retrieval metric can score them: q4",
        "1 label(s) with a grade outside 0 to 4: q3 a (9)",
        "1 pair(s) of questions that ask nearly the same: q1 = q3",
        "1 label(s) for passages that are not in the corpus: stale?: q3 gone",
        "1 pair(s) of passages that say nearly the same: a second hit may be the same text again: a = b",
        "1 metric(s) whose k some rankings do not reach (questions): recall@3[retrieved] (6)",
        # recall@2 is 1, 1 and 0.5: deviation 0.288675; 2.801585 · 0.288675 ÷ √(3 − 1.920729) = 0.778480
        "3 questions can show a difference in recall@2[retrieved] of about 0.78 between two runs "
        "(80 % power, 5 % level, differences as spread as this run's values)",
    ]


def test_questions_without_an_answer_alone_reward_declining() -> None:
    """bug-238"""
    cases = [case(name, text, {}, answerable=False) for name, text in (("q1", "Taxes in Norway?"), ("q2", "Rain?"))]
    said = "2 question(s) and none with an answer: an assistant that declines everything would be right each time: "
    assert golden_set_faults(cases, []) == [f"{said}q1, q2"]
    assert golden_set_faults([*cases, case("q3", "What is the late fee?", {"a": 1})], []) == []


def test_long_lists_are_cut() -> None:
    cases = [case(f"q{number}", f"Question number {number} is what?", {"gone": 1}) for number in range(9)]
    (stale, *_) = golden_set_faults(cases, [], {"a": Passage(id="a", text=TEXT)})[:1]
    assert stale.endswith("q0 gone, q1 gone, q2 gone, q3 gone, q4 gone and 4 more")
