"""Where a sentence ends, in many scripts and layouts."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.judging.sentences import split_sentences

CASES = {
    "two": ("The door is red. The key is blue.", ["The door is red.", "The key is blue."]),
    "marks": ("Open? Yes! Come in…", ["Open?", "Yes!", "Come in…"]),
    "title": ("Dr. Rao met Mrs. Iyer. They spoke.", ["Dr. Rao met Mrs. Iyer.", "They spoke."]),
    "latin": ("Bring tools, e.g. Pliers. Then wait.", ["Bring tools, e.g. Pliers.", "Then wait."]),
    "acronym inside": ("The U.S. Army left. It rained.", ["The U.S. Army left.", "It rained."]),
    "acronym last": ("She left the U.S. The flat is small.", ["She left the U.S.", "The flat is small."]),
    "initials": ("J. K. Mehta wrote it. We read it.", ["J. K. Mehta wrote it.", "We read it."]),
    "decimal": ("It costs 3.5 euros. Pay now.", ["It costs 3.5 euros.", "Pay now."]),
    "rupees": ("Pay Rs. 500 today. Ask Ravi.", ["Pay Rs. 500 today.", "Ask Ravi."]),
    "number sign": ("See room No. 5 first. Turn left.", ["See room No. 5 first.", "Turn left."]),
    "a plain no": ("Is it free? No. The fee is due.", ["Is it free?", "No.", "The fee is due."]),
    "a number at the end": ("We sold 30. 12 were left.", ["We sold 30.", "12 were left."]),
    "address": ("Write to a.b@example.org or see www.example.org. Bye.",
                ["Write to a.b@example.org or see www.example.org.", "Bye."]),
    "quote": ('He said "Go." Then he left.', ['He said "Go."', "Then he left."]),
    "citation mark": ("The moat is deep.[1] The wall is high [2].",
                      ["The moat is deep.[1]", "The wall is high [2]."]),
    "lower case goes on": ("The firm Yahoo! is old. It is big.", ["The firm Yahoo! is old.", "It is big."]),
    "German date": ("Frist ist der 31. Juli. Danach nicht.", ["Frist ist der 31. Juli.", "Danach nicht."]),
    "Chinese": ("房租五百元。押金多少？不知道！", ["房租五百元。", "押金多少？", "不知道！"]),
    "Chinese quote": ("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]),
    "Chinese decimal": ("版本是3.5。很新。", ["版本是3.5。", "很新。"]),
    "Japanese": ("駅は近い。部屋は広い。", ["駅は近い。", "部屋は広い。"]),
    "Hindi": ("शुल्क ५०० है। समय कम है।", ["शुल्क ५०० है।", "समय कम है।"]),
    "Arabic": ("هل الباب مفتوح؟ نعم.", ["هل الباب مفتوح؟", "نعم."]),
    "Thai": ("ประตูสีแดง กุญแจสีน้ำเงิน", ["ประตูสีแดง", "กุญแจสีน้ำเงิน"]),
    "list": ("- bread\n- milk\n* salt", ["- bread", "- milk", "* salt"]),
    "numbering": ("1. Open the lid. 2. Pour water.\n3) Close it.",
                  ["1. Open the lid.", "2. Pour water.", "3) Close it."]),
    "paragraphs": ("A title\n\nthe text of it", ["A title", "the text of it"]),
    "table": ("| item | fee |\n|---|---|\n| tea | 2. Or 3 |", ["| item | fee |", "| tea | 2. Or 3 |"]),
    "heading": ("## Opening hours\nnine to five", ["## Opening hours", "nine to five"]),
    "a wrapped line": ("The house by the river was built by\nthe mayor. It stands.",
                       ["The house by the river was built by\nthe mayor.", "It stands."]),
    "a wrapped name": ("The poet was born in\nLyon. He sang.", ["The poet was born in\nLyon.", "He sang."]),
    "separate lines": ("Fee: 500\nTime: 9", ["Fee: 500", "Time: 9"]),
    "Windows line ends": ("Red.\r\n\r\nBlue.", ["Red.", "Blue."]),
    "only marks": ("*** --- !!!", []),
    "a bare number": ("5.", ["5."]),
    "blank": (" \n\t ", []),
}  # fmt: skip


@pytest.mark.parametrize(("text", "sentences"), CASES.values(), ids=CASES.keys())
def test_borders(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


PIECES = st.sampled_from(
    ["The fee", "Dr", "e.g", "No", "5", "3.5", "用", "不", "ก", "है", "a", "U.S", ". ", "。", "।", "? ", "!",
     "…", "\n", "\n\n", "\r\n", "- ", "| ", "1. ", "# ", '"', "”", "[1]", " ", "\u2028", "\t", "．"]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=30).map("".join))


@given(TEXTS)
def test_sentences_are_verbatim_in_order_and_hold_every_letter_and_digit(text: str) -> None:
    at = 0
    left_out = ""
    for sentence in split_sentences(text):
        found = text.find(sentence, at)
        assert found >= at
        assert sentence == sentence.strip() != ""
        left_out += text[at:found]
        at = found + len(sentence)
    assert not any(map(str.isalnum, left_out + text[at:]))


@pytest.mark.parametrize("piece", ["The fee is 5. ", "a. ", ".", "“.”[1]", "((", "[1", " ", "a\n", "ก "])
def test_time_grows_with_the_length_of_the_text(piece: str) -> None:
    text = piece * (200_000 // len(piece))
    start = time.process_time()
    split_sentences(text)
    assert time.process_time() - start < 3  # a quadratic search takes minutes
