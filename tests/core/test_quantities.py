"""One amount, however it is written."""

from fractions import Fraction

import pytest

from whichhalf.core.quantities import quantities, without_numbers

LAKH_AND_A_HALF = [(150_000, "INR")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Rs 1,50,000 a year", LAKH_AND_A_HALF),
        ("Rs.150,000", LAKH_AND_A_HALF),
        ("₹1.5 lakh", LAKH_AND_A_HALF),
        ("150000 rupees", LAKH_AND_A_HALF),
        ("150'000 INR", LAKH_AND_A_HALF),
        ("150\u202f000 INR", LAKH_AND_A_HALF),
        ("0.015 crore rupees", LAKH_AND_A_HALF),
        ("1,234.50 USD", [(Fraction("1234.5"), "USD")]),
        ("$2 million", [(2_000_000, "USD")]),
        ("1.500.000 euros", [(1_500_000, "EUR")]),
        ("12%", [(12, "%")]),
        ("12 per cent", [(12, "%")]),
        ("twelve percent", [(12, "%")]),
        ("0.4% a month", [(Fraction("0.4"), "%")]),
        ("1,5 kg", [(1500, "g")]),
        ("two weeks", [(14, "day")]),
        ("14 days", [(14, "day")]),
        ("a 14-day limit", [(14, "day")]),
        ("1 year", [(12, "month")]),
        ("three instalments or 4 instalments", [(3, "instalment"), (4, "instalment")]),
        ("Rs 60 per meal", [(60, "INR")]),
        ("three hundred days", [(300, "day")]),
        ("५ days", [(5, "day")]),
        ("within 45 days, at Rs 500.", [(45, "day"), (500, "INR")]),
        ("one may claim; the form is H3", []),
        ("no amount at all", []),
        ("", []),
    ],
)
def test_values_and_units(text: str, found: list[tuple[int | Fraction, str]]) -> None:
    assert [tuple(one) for one in quantities(text)] == found


def test_the_words_without_their_numbers() -> None:
    assert without_numbers("Pay Rs 1,50,000 within 45 days.").split() == ["pay", "within", "days"]
    assert without_numbers("1.5 lakh and 12%").split() == ["and", "%"]
