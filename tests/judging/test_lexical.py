"""The lexical baseline: what it calls a claim, a refusal, a support and a clash."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import whichhalf.judging.lexical as lexical
from whichhalf.judging.lexical import SUPPORT_THRESHOLD, LexicalVerdict, lexical_verdict
from whichhalf.judging.sentences import split_sentences
from whichhalf.judging.statements import is_refusal, split_into_claims

CLAIMS = {
    "two facts": ("The pool opens at six. Towels are free.", ["The pool opens at six.", "Towels are free."]),
    "a short number": ("5", ["5"]),
    "a short Chinese answer": ("五味子", ["五味子"]),
    "a bare yes": ("Yes.", ["Yes."]),
    "a yes before the reason": ("Yes. Dogs may enter.", ["Dogs may enter."]),
    "an offer": ("Dogs may enter. Hope this helps! Let me know if you need more.", ["Dogs may enter."]),
    "a greeting": ("Hello there! Dogs may enter.", ["Dogs may enter."]),
    "a greeting with a fact": ("Sure, dogs may enter.", ["Sure, dogs may enter."]),
    "a condition is no offer": ("If you have a card, entry is free.", ["If you have a card, entry is free."]),
    "an instruction": ("Contact your bank first.", ["Contact your bank first."]),
    "a question": ("Dogs may enter. Do you have a dog?", ["Dogs may enter."]),
    "a heading": ("## Pets\nDogs may enter.", ["Dogs may enter."]),
    "a bold heading": ("**Pets**\n\nDogs may enter.", ["Dogs may enter."]),
    "a bold fact": ("**Dogs may enter.**", ["**Dogs may enter.**"]),
    "a lead-in": ("The steps are:\n1. Open the lid.\n2. Pour water.", ["Open the lid.", "Pour water."]),
    "a table": ("| item | fee |\n|---|---|\n| tea | 2 |", ["| tea | 2 |"]),
    "a refusal beside a fact": ("I don't know the fee. Dogs may enter.", ["Dogs may enter."]),
    "only a refusal": ("I could not find that in the documents.", []),
    "blank": ("  \n", []),
}


@pytest.mark.parametrize(("answer", "claims"), CLAIMS.values(), ids=CLAIMS.keys())
def test_claims(answer: str, claims: list[str]) -> None:
    assert split_into_claims(answer) == claims


@given(st.text(max_size=120))
def test_claims_are_verbatim_and_in_order(answer: str) -> None:
    at = 0
    for claim in split_into_claims(answer):
        at = answer.index(claim, at) + len(claim)


@pytest.mark.parametrize(
    "answer",
    [
        "I'm sorry, I could not find that in the documents.",
        "IDK",
        "I don’t know.",
        "Sorry, but I don't know.",
        "I don't have access to the attached picture, please describe it.",
        "I could not find this. Please contact the office.",
        "I'm unable to help with that, but you can contact support.",
        "Based on the provided documents, I cannot determine the fee.",
        "There is no information about this in the provided context.",
        "The documents do not mention the fee.",
        "It is not mentioned in the documents.",
        "Unfortunately, the context does not contain the answer. Could you give more details?",
        "As an assistant, I cannot access your files.",
        "Ich weiß es leider nicht.",
        "Leider kann ich das in den Dokumenten nicht finden.",
        "Lo siento, no puedo encontrar esa información.",
        "Je ne sais pas.",
        "抱歉，我无法回答这个问题。",
        "文档中没有提到费用。",
        "मुझे नहीं पता।",
        "Mujhe iske baare mein pata nahi hai.",
    ],
)
def test_a_refusal(answer: str) -> None:
    assert is_refusal(answer)
    assert split_into_claims(answer) == []


@pytest.mark.parametrize(
    "answer",
    [
        "The notes do not mention a fee, but the deadline is 31 July.",
        "I could not find the fee; the deadline is 31 July.",
        "I don't know the fee. The deadline is 31 July.",
        "The landlord cannot find a tenant.",
        "The landlord said that he does not know.",
        'He said, "I do not know."',
        "We do not have a refund policy.",
        "We cannot provide refunds.",
        "It is not covered.",
        "It is not available in India.",
        "Files do not need to be signed.",
        "The records do not have to be kept.",
        "There is no evidence that it works.",
        "房东找不到租客。",
        "No.",
        "5",
        "Hope this helps!",
        "",
    ],
)
def test_no_refusal(answer: str) -> None:
    assert not is_refusal(answer)


SUPPORTED = {
    "same words, another order": ("Paris is the capital of France.", "The capital of France is Paris."),
    "English endings": ("The library closes early.", "They were closing the libraries early."),
    "grouped number": ("The fee is 1,500 rupees.", "A fee of Rs. 1500 is due."),
    "trailing zero": ("The fee is 3.5 euros.", "The fee is €3.50."),
    "number word": ("Guests get two keys.", "Guests get 2 keys."),
    "Indian digits": ("शुल्क ५०० रुपये है।", "शुल्क 500 रुपये है।"),
    "two neighbouring sentences": ("The Lodge closes at 22.", "This is the Lodge. It closes at 22."),
    "a negation elsewhere": ("The hostel closes at ten.", "The hostel, which is not heated, closes at ten."),
    "the same negation": ("The fee is not refundable.", "The fee is never refundable."),
    "no later than": ("The form is due no later than 5 July.", "The form is due by 5 July."),
    "Chinese": ("押金是五百元。", "租客须知：押金五百元。"),
    "a single sign": ("五", "共五个。"),
    "German nouns are no names": (
        "Das Amt prüft und bewilligt den schnellen Antrag.",
        "Das Amt prüft und bewilligt den schnellen Bauantrag.",
    ),
    "a short answer": ("5", "There are 5 doors."),
    "list marker and citation say nothing": ("2. Tea is hot [3].", "Tea is hot."),
    "composed and decomposed letters": ("Caf\u00e9 opens.", "The cafe\u0301 opens."),
}
CONTRADICTED = {
    "number": ("The fee is 500 rupees.", "The fee is Rs. 600."),
    "day of the month": ("The deadline is 31 July.", "The deadline is 30 July."),
    "unit": ("The walk takes 5 minutes.", "The walk takes 5 hours."),
    "half of the day": ("The train leaves at 5 pm.", "The train leaves at 5 a.m."),
    "negation in the passage": ("The fee is refundable.", "The fee is not refundable."),
    "negation in the claim": ("The fee is not refundable.", "The fee is refundable."),
    "contraction": ("Students may borrow maps.", "Students can't borrow maps."),
    "German": ("Die Gebühr wird erstattet.", "Die Gebühr wird nicht erstattet."),
    "Hinglish": ("Fee lagta hai.", "Fee nahi lagta."),
    "Hindi": ("शुल्क लगता है।", "शुल्क नहीं लगता है।"),
    "Chinese": ("费用退还。", "费用不退还。"),
}
NOT_MENTIONED = {
    "one word of three": ("Paris is the capital of France.", "I had a great day in Paris last week."),
    "two words of three": ("The library opens daily.", "The library closes daily."),
    "another name": ("The old mill opened early under Meera.", "The old mill opened early under Ravi."),
    "a number that is not there": ("The yearly parking fee rose by 500.", "The yearly parking fee rose."),
    "another kind of number": ("The fee is 500.", "The fee was set in 1998."),
    "too little in common to clash": (
        "The yearly parking fee rose to 500.",
        "The yearly dinner fee rose to 600.",
    ),
    "no clash about another person": (
        "The yearly old parking fee of Ravi rose to 500.",
        "The yearly old parking fee rose to 600.",
    ),
    "a year is no count": ("The bridge opened to 40 cars.", "The bridge opened in 1990 to cars."),
    "a long sentence with one shared word": ("The fee is 5%.", "A new loan has a yearly fee of 7%."),
    "a decimal comma is not guessed": ("It weighs 1,5 kg.", "It weighs 1.5 kg."),
    "a group point is not guessed": ("It weighs 1.500 kg.", "It weighs 1500 kg."),
    "words too far apart": ("Red wine stains linen.", "Red. Bone. Coal. Wine. Dune. Elm. Stains linen."),
    "only function words": ("It is what it is.", "It is what it is."),
    "blank passage": ("Tea is hot.", " \n"),
    "blank claim": (" ", "Tea is hot."),
}


@pytest.mark.parametrize(("claim", "passage"), SUPPORTED.values(), ids=SUPPORTED.keys())
def test_supported(claim: str, passage: str) -> None:
    assert lexical_verdict(claim, [passage]).label == "supported"


@pytest.mark.parametrize(("claim", "passage"), CONTRADICTED.values(), ids=CONTRADICTED.keys())
def test_contradicted(claim: str, passage: str) -> None:
    assert lexical_verdict(claim, ["Tea is hot.", passage]).label == "contradicted"
    assert lexical_verdict(claim, ["Tea is hot.", passage]).evidence == ((1, passage),)


@pytest.mark.parametrize(("claim", "passage"), NOT_MENTIONED.values(), ids=NOT_MENTIONED.keys())
def test_not_mentioned(claim: str, passage: str) -> None:
    verdict = lexical_verdict(claim, [passage])
    assert (verdict.label, verdict.evidence) == ("not_mentioned", ())
    assert verdict.score < SUPPORT_THRESHOLD


@pytest.mark.parametrize(
    ("claim", "passage", "score"),
    [
        ("Paris is the capital of France.", "The capital of France is Paris.", 1.0),
        ("Green tea tastes bitter.", "Green tea tastes of grass.", 3 / 4),
        ("Green tea tastes bitter.", "I drank green tea.", 2 / 4),
        ("Tea costs 5.", "Tea costs little.", 0.7 * 2 / 3),  # the number is missing
        ("We met old Ravi.", "We met an old man.", 0.7 * 2 / 3),  # the name is missing
        ("Tea is hot.", "Tea is not hot.", 0.25),
        ("Tea is hot.", "", 0.0),
    ],
)
def test_score(claim: str, passage: str, score: float) -> None:
    assert lexical_verdict(claim, [passage]).score == pytest.approx(score, abs=1e-12)


def test_every_passage_that_supports_is_named_with_its_best_sentence() -> None:
    passages = ["Rain fell. Tea is hot. Bread is dear.", "Bread is dear.", "", "Hot tea!", "Tea is not hot."]
    expected = LexicalVerdict("supported", 1.0, ((0, "Tea is hot."), (3, "Hot tea!")))
    assert lexical_verdict("Tea is hot.", passages) == expected


def test_every_clashing_passage_is_named() -> None:
    passages = ["Tea is not hot.", "Rain fell.", "The tea is never hot. Rain fell."]
    expected = ((0, "Tea is not hot."), (2, "The tea is never hot."))
    assert lexical_verdict("Tea is hot.", passages).evidence == expected


def test_words_spread_over_two_passages_support_nothing() -> None:
    verdict = lexical_verdict("Green tea tastes bitter.", ["Green tea.", "It tastes bitter."])
    assert (verdict.label, verdict.score) == ("not_mentioned", 0.5)


def test_no_passages() -> None:
    assert lexical_verdict("Tea is hot.", []) == LexicalVerdict("not_mentioned", 0.0, ())


WORDS = st.sampled_from(
    ["tea", "hot", "Ravi", "Paris", "not", "no", "the", "is", "5", "5.", "600", "rupees", "km", "never",
     "fee", "不", "费用", "退还", "है", "नहीं", "closed", ".", "\n\n", "!", "don't"]
)  # fmt: skip
TEXTS = st.one_of(st.lists(WORDS, max_size=14).map(" ".join), st.text(max_size=40))


@given(TEXTS, st.lists(TEXTS, max_size=4))
def test_laws_of_a_verdict(claim: str, passages: list[str]) -> None:
    verdict = lexical_verdict(claim, passages)
    assert 0 <= verdict.score <= 1
    assert (verdict.label == "supported") == (verdict.score >= SUPPORT_THRESHOLD)
    assert (verdict.label == "not_mentioned") == (verdict.evidence == ())
    indices = [index for index, _ in verdict.evidence]
    assert indices == sorted(set(indices))
    for index, sentence in verdict.evidence:
        assert sentence in split_sentences(passages[index])
        assert lexical_verdict(claim, [passages[index]]).label == verdict.label


@given(TEXTS, st.lists(TEXTS, max_size=3), TEXTS)
def test_another_passage_never_takes_support_away(claim: str, passages: list[str], another: str) -> None:
    before = lexical_verdict(claim, passages)
    after = lexical_verdict(claim, [*passages, another])
    assert after.score >= before.score
    if before.label == "supported":
        assert after.label == "supported"
        assert after.evidence[: len(before.evidence)] == before.evidence


@given(TEXTS)
def test_a_text_with_a_content_word_never_clashes_with_its_own_copy(text: str) -> None:
    sentences = split_sentences(text)
    for sentence in sentences:
        assert lexical_verdict(sentence, [sentence]).label != "contradicted"


def test_hash_seed_changes_nothing() -> None:
    code = (
        "from whichhalf.judging.lexical import lexical_verdict;"
        "from whichhalf.judging.statements import split_into_claims as s;"
        "print([lexical_verdict(c, ['Tea is not hot. The fee is 5 km.', 'Old tea is hot'])"
        " for c in s('Tea is hot. The fee is 6 km. Ravi drank old tea.')])"
    )
    source = Path(lexical.__file__).parents[2]
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(source), "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(printed) == 1
    assert b"contradicted" in printed.pop()
