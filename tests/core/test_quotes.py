"""A quote is found through the noise of copying, and not found once its meaning has changed."""

import time
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whichhalf.core.quotes import (
    _core,
    _normalised,
    comparable,
    find_parts,
    find_quote,
    whole_words,
    words_of,
)

PASSAGE = (
    "The non-deductible part of the co-operative's rent is €1,250.50 (about 12.5 %), not -5 °C; "
    "tenants \"may\" pay it—in full—by 31-12-2024, but they can't defer the café's naïve über-fee of 3 km²."
)

FOUND = {
    "plain": ("rent is 500", "The rent is 500 euros."),
    "at the very start": ("The rent", "The rent is 500."),
    "at the very end": ("is 500", "The rent is 500"),
    "the whole text": ("The rent is 500.", "The rent is 500."),
    "case": ("THE RENT", "the rent"),
    "sharp s": ("STRASSE", "an der Straße entlang"),
    "spaces": ("rent  is\t500", "The rent is\u00a0500."),
    "line break": ("rent is 500", "The rent\r\nis 500."),
    "word broken by a hyphen": ("international law", "under inter-\n  national law"),
    "word broken by a soft hyphen": ("international law", "under inter\u00ad\nnational law"),
    "word with or without hyphen": ("cooperative", "the co-operative pays"),
    "zero width": ("rent is 500", "The r\u200bent\ufeff is\u2060 500."),
    "right-to-left marks": ("rent is 500", "The \u200frent\u200e is 500."),
    "composed accents": ("café", unicodedata.normalize("NFD", "the café is open")),
    "decomposed accents": (unicodedata.normalize("NFD", "café"), "the café is open"),
    "ligature": ("office", "the oﬃce is open"),
    "full width": ("rent 500", "ｒｅｎｔ　５００"),
    "degree sign": ("20 °C", "at 20 ℃ or less"),
    "curly quotes": ('"may" pay', "tenants “may” pay"),
    "apostrophe": ("tenant's right", "the tenant’s right"),
    "kinds of hyphens": ("2020-2024", "from 2020–2024 on"),
    "minus sign": ("-5 degrees", "at −5 degrees"),
    "dash with spaces": ("rent — in full", "the rent—in full"),
    "dash as a hyphen with spaces": ("rent - in full", "the rent—in full"),
    "beside a dash": ("in full", "the rent—in full—is due"),
    "bold": ("deposit, and the rent", "the **deposit**, and the *rent*"),
    "bold inside a word": ("important", "an im**port**ant rule"),
    "bold number": ("costs 5% more", "costs **5**% more"),
    "underscores": ("the deposit is", "the _deposit_ is"),
    "code": ("set max_rent to 5", "set `max_rent` to 5"),
    "struck through": ("old rent", "~~old~~ rent"),
    "heading": ("Rent It is 500", "## Rent\nIt is 500"),
    "block quote": ("rent is 500", "> The rent\n> is 500"),
    "table cells": ("Rent 500 euros", "| Rent | 500 euros |"),
    "table with a rule": ("Item Price Rent 500", "| Item | Price |\n|:-----|------:|\n| Rent | 500 |"),
    "table with a rule, other line ends": ("Item Price Rent 500", "| Item | Price |\r\n|---|---|\r\n| Rent | 500 |"),
    "quotation marks around it": ('"rent is 500."', "The rent is 500 euros."),
    "ellipsis around it": ("…rent is 500...", "The rent is 500 euros."),
    "second place, where it is whole": ("art", "The party is art."),
    "end of a sentence": ("limit: 5", "The limit: 5."),
    "after a colon": ("5 days", "limit:5 days"),
    "after an abbreviation": ("5 applies", "Art.5 applies"),
    "end of a range": ("5 days", "10-5 days"),
    "French elision": ("appartement", "dans l'appartement"),
    "Chinese, no spaces": ("五百元", "房租五百元。"),
    "Japanese": ("近い", "駅は近いです"),
    "Thai": ("สีแดง", "ประตูสีแดง"),
    "Hindi": ("शुल्क ५०० है", "शुल्क ५०० है।"),
}  # fmt: skip

NOT_FOUND = {
    "digit": ("rent is 501", "The rent is 500."),
    "digit dropped": ("rent is 50", "The rent is 500."),
    "leading digit dropped": ("500 euros", "rent of 1500 euros"),
    "decimal dropped": ("rate is 1", "The rate is 1.5 percent"),
    "decimal comma dropped": ("rate is 1", "The rate is 1,5 percent"),
    "whole part dropped": ("5 percent", "1.5 percent"),
    "point dropped from the text": ("5 percent", "is .5 percent"),
    "point dropped from the quote": (".5 percent", "is 5 percent"),
    "point taken from a longer number": (".5 percent", "is 1.5 percent"),
    "point against comma": ("1.500", "rent of 1,500"),
    "thousands cut": ("rent is 1", "rent is 1'500"),
    "half a fraction": ("2 of it", "1/2 of it"),
    "half a fraction sign": ("2 months", "½ months"),
    "time cut": ("at 10", "at 10:30"),
    "power read as a number": ("102 metres", "10² metres"),
    "product read as a number": ("53 metres", "5*3 metres"),
    "power in stars read as a number": ("53 metres", "5**3 metres"),
    "mixed fraction read as a number": ("11/2 months", "1½ months"),
    "sign dropped": ("5 degrees", "at -5 degrees"),
    "sign dropped, minus sign": ("5 degrees", "at −5 degrees"),
    "sign before a currency dropped": ("€5 more", "-€5 more"),
    "sign added": ("-5 degrees", "at 5 degrees"),
    "range read as a sign": ("-5 days", "0-5 days"),
    "comparison turned": ("> 5 days", "< 5 days"),
    "comparison added": ("> 5 days", "5 days"),
    "about added": ("is ~5 days", "is 5 days"),
    "unit": ("5 km", "5 m away"),
    "unit cut": ("5 m", "5 mm thick"),
    "square cut": ("5 m", "5 m² in size"),
    "percent cut": ("rate is 5", "rate is 5% now"),
    "currency": ("€500", "$500"),
    "name": ("Mr Rao pays", "Mr Rau pays"),
    "letter": ("tenant pays", "tenants pays"),
    "accent": ("the cote", "the côte"),
    "end of a word": ("salarié", "les salariés"),
    "start of a word after an accent": ("avis", "le préavis"),
    "vowel sign cut": ("ह", "हिन्दी"),
    "voicing mark cut": ("か", "が"),
    "syllable cut": ("가", "각"),
    "inside a word": ("art", "The party"),
    "half a compound": ("deductible", "this is non-deductible"),
    "negation dropped": ("rent is deductible", "The rent is not deductible."),
    "negation added": ("rent is not deductible", "The rent is deductible."),
    "negation cut off": ("tenants can", "tenants can't sublet"),
    "word dropped": ("rent due monthly", "The rent is due monthly."),
    "words swapped": ("rent landlord", "The landlord rent"),
    "cut short with an ellipsis": ("The rent … monthly", "The rent is due monthly."),
    "empty": ("", "The rent is 500."),
    "only punctuation": (' "…" ', 'The "…" rent'),
    "only marks": ("**", "**bold**"),
    "empty text": ("rent", ""),
    "longer than the text": ("The rent is 500. Pay it.", "The rent is 500."),
}  # fmt: skip


@pytest.mark.parametrize(("quote", "text"), FOUND.values(), ids=FOUND.keys())
def test_noise_is_tolerated(quote: str, text: str) -> None:
    assert find_quote(quote, text) is not None


@pytest.mark.parametrize(("quote", "text"), NOT_FOUND.values(), ids=NOT_FOUND.keys())
def test_a_change_of_meaning_is_not(quote: str, text: str) -> None:
    assert find_quote(quote, text) is None


@pytest.mark.parametrize(
    ("quote", "text", "span"),
    [
        ("the rent", "The  rent is due", "The  rent"),
        ('"rent is 500."', "The rent is 500.", "rent is 500"),
        ("deposit, and", "The **deposit**, and", "deposit**, and"),
        ("international law", "under inter-\nnational law.", "inter-\nnational law"),
        ("office", "an oﬃce", "oﬃce"),
        ("café", "a cafe\u0301!", "cafe\u0301"),
        ("rent", "party\u200b rent\u200b", "rent"),
        ("in full", "rent—in full—due", "in full"),
        ("rent", "rents, rent, rent", "rent"),
        ("1/2", "1/2/3 or 1/2", "1/2"),
    ],
)
def test_the_span_points_at_the_original_text(quote: str, text: str, span: str) -> None:
    found = find_quote(quote, text)
    assert found is not None
    assert text[found.start : found.end] == span


def test_the_first_whole_place_is_taken() -> None:
    assert find_quote("rent", "rents, rent, rent") == (7, 11)


WORDS = st.sampled_from(
    ["rent", "Über", "café", "naïve", "5", "1.5", "1,250", "-3", "€40", "12%", "non-deductible", "can't", "Art", "m²",
     "31-12-2024", "½", "दस", "max_rent", "(b)", "“may”", "5*3", "10:30"]
) | st.text("abcxyzäéñ", min_size=1, max_size=6)  # fmt: skip
GAPS = st.sampled_from([" ", "  ", "\n", ", ", ". ", "; ", " - ", "—", " | ", " ** ", "\u00a0"])
TEXTS = st.lists(st.tuples(WORDS, GAPS), min_size=1, max_size=12)


@given(TEXTS, st.data())
def test_any_whole_word_part_of_a_text_is_found(pieces: list[tuple[str, str]], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(pieces) - 1))
    last = data.draw(st.integers(first, len(pieces) - 1))
    text = "".join(word + gap for word, gap in pieces)
    quote = "".join(word + gap for word, gap in pieces[first:last]) + pieces[last][0]
    found = find_quote(quote, text)
    assert found is not None
    original = text[found.start : found.end]
    assert find_quote(quote, original) is not None
    assert find_quote(original, quote) is not None
    assert found.start <= sum(len(word + gap) for word, gap in pieces[:first]) + len(pieces[first][0])


@given(st.text(max_size=40) | st.text("aB5.-,'—*_|>~` \n½²é#$%中", max_size=20))
def test_a_text_is_found_in_itself(text: str) -> None:
    found = find_quote(text, text)
    if found is None:
        assert not any(character.isalnum() for character in unicodedata.normalize("NFKD", text))
    else:
        assert 0 <= found.start < found.end <= len(text)


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_text_is_too_strange(quote: str, text: str) -> None:
    found = find_quote(quote, text)
    assert found is None or 0 <= found.start < found.end <= len(text)


NOISES: dict[str, Callable[[str], str]] = {
    "composed": lambda text: unicodedata.normalize("NFC", text),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "dashes": lambda text: text.replace("-", "–"),
    "non-breaking hyphens": lambda text: text.replace("-", "\u2011"),
    "curly": lambda text: text.replace("'", "’").replace('"', "”"),
    "line breaks": lambda text: text.replace(" ", "\n  "),
    "upper case": str.upper,
    "bold": lambda text: " ".join(f"**{word}**" for word in text.split(" ")),
    "italics": lambda text: " ".join(f"_{word}_" for word in text.split(" ")),
    "table": lambda text: "| " + text.replace(" ", " | ") + " |",
    "zero width": "\u200b".join,
    "soft hyphens": lambda text: text.replace("en", "e\u00adn"),
}


@given(st.lists(st.sampled_from(list(NOISES)), max_size=3), st.lists(st.sampled_from(list(NOISES)), max_size=2))
def test_noise_on_either_side_hides_nothing(on_text: list[str], on_quote: list[str]) -> None:
    text = quote = PASSAGE
    for name in on_text:
        text = NOISES[name](text)
    for name in on_quote:
        quote = NOISES[name](quote)
    assert find_quote(quote, text) is not None, (quote, text)


@given(st.integers(0, len(PASSAGE) - 1), st.sampled_from("0123456789aekz"), st.sampled_from(list(NOISES)))
def test_a_changed_letter_or_digit_is_not_found(at: int, new: str, noise: str) -> None:
    old = PASSAGE[at]
    changed = PASSAGE[:at] + new + PASSAGE[at + 1 :]
    if old.isalnum() and unicodedata.normalize("NFKD", old).casefold() != new:
        assert find_quote(changed, NOISES[noise](PASSAGE)) is None


@given(st.integers(0, len(PASSAGE) - 1))
def test_a_dropped_letter_or_digit_is_not_found(at: int) -> None:
    inside = 0 < at < len(PASSAGE) - 2
    if PASSAGE[at].isalnum() and inside:
        assert find_quote(PASSAGE[:at] + PASSAGE[at + 1 :], PASSAGE) is None


STRANGE = st.text(max_size=40) | st.text("aB5.-,'—*_|>~` \n\r\t½²é#$%中\u00ad\u200b\u0301“”", max_size=30)


@given(STRANGE)
def test_the_faster_way_to_the_comparable_form_leads_to_the_same(text: str) -> None:
    slow = _core(_normalised(text)[0])
    assert comparable(text) == (slow if any(character.isalnum() for character in slow) else "")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("So the rent is due monthly, as ever", ["the rent is due monthly"]),
        ("So the rent is", ["the rent is"]),
        ("due monthly. As ever", ["due monthly"]),
        ("rent is due", ["rent is due"]),
        ("So the rent is du", ["the rent is"]),
        ("ent is due monthly. As ever", ["is due monthly"]),
        ("due monthly. So the", ["the", "due monthly"]),
        ("clothe the rent", ["the rent"]),
        ("monthly-ish", []),
        ("rent is due soon", []),
        ("", []),
    ],
)
def test_parts_of_a_quote(text: str, parts: list[str]) -> None:
    quote = comparable("The rent is due monthly.")
    spans = [whole_words(quote, part) for part in find_parts(quote, comparable(text))]
    assert [quote[span.start : span.end].strip() for span in spans] == parts


def test_words() -> None:
    assert words_of(comparable("The co-operative's 1,250 max_rent: 房租!")) == [
        "the", "cooperative", "s", "1", "250", "max", "rent", "房", "租"
    ]  # fmt: skip


SIZE = 200_000


LONG = {
    "words": "word and more text. " * (SIZE // 20),
    "one word": "a" * SIZE,
    "dashes": "a" + "-" * SIZE + "b",
    "blanks": " " * SIZE + "-x",
    "underscores": "a" + "_" * SIZE + "b",
    "line breaks": "a-" + "\n" * SIZE + "1",
    "soft hyphens": "\u00ad" * SIZE + " 1",
    "stars": "*" * SIZE + "x",
    "block quotes": "> " * (SIZE // 2),
    "pipes": "|" * SIZE,
    "accents": "é" * SIZE,
    "numbers": "1." * (SIZE // 2),
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG.keys())
def test_200_kilobytes_take_less_than_a_second(text: str) -> None:
    """In processor time, so that a busy machine does not fail it."""
    started = time.process_time()
    for quote in ("no such words", text[:500].strip() + " no", "a" * 500 if text[0] == "a" else "zz"):
        find_quote(quote, text)
    assert time.process_time() - started < 1


@given(text=st.text(st.sampled_from("ab A1 2\n\t-.*_`~#>|\x0b'"), max_size=40), data=st.data())
def test_plain_text_is_searched_as_any_text_is(text: str, data: st.DataObject) -> None:
    """A letter that is not ASCII, far behind the quote, changes the way of searching and not what is found."""
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    assert find_quote(quote, text) == find_quote(quote, f"{text}\n\n% é")
