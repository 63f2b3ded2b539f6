"""Read amounts out of text: a value with its unit, however it is written.

1,50,000 and 150,000 and 1.5 lakh are one value; so are 12% and 12 per cent, Rs and ₹, two weeks and 14 days. A single
point is a decimal point, and so is a comma that groups no thousands.
"""

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from whichhalf.core.quotes import comparable

_GROUP_MARK = re.compile("(?<=\\d)[\u00a0\u2009\u202f'’](?=\\d{3}(?!\\d))")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{2,3})*,\d{3}|\d{1,3}(?:\.\d{3}){2,}")
_SMALL = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen twenty"
)
_TENS = "thirty forty fifty sixty seventy eighty ninety"
_WORDS = {
    **{word: value for value, word in enumerate(_SMALL.split(), start=2)},
    **{word: 10 * tens for tens, word in enumerate(_TENS.split(), start=3)},
}
"""Without `one`, which is more often no number."""
_SCALES = {
    "hundred": 10**2,
    **dict.fromkeys(("thousand", "k"), 10**3),
    **dict.fromkeys(("lakh", "lakhs", "lac", "lacs"), 10**5),
    **dict.fromkeys(("million", "mn"), 10**6),
    **dict.fromkeys(("crore", "crores", "cr"), 10**7),
    **dict.fromkeys(("billion", "bn"), 10**9),
}
_CURRENCIES = {
    **dict.fromkeys(("rs", "inr", "₹", "rupee", "rupees"), "INR"),
    **dict.fromkeys(("usd", "us$", "$", "dollar", "dollars"), "USD"),
    **dict.fromkeys(("eur", "€", "euro", "euros"), "EUR"),
    **dict.fromkeys(("gbp", "£"), "GBP"),
}
_MULTIPLES = {
    "week": ("day", 7),
    "year": ("month", 12),
    "hour": ("minute", 60),
    "kg": ("g", 1000),
    "km": ("m", 1000),
}
_NUMBER = re.compile(
    r"(?:(?<![\w$])(?P<before>rs|inr|usd|us\$|eur|gbp|[₹$€£])\.?\s*|(?<![\w.,]))"
    rf"(?P<number>\d[\d.,]*|(?:{'|'.join(_WORDS)})\b)"
    rf"(?:[\s-]*(?P<scale>{'|'.join(sorted(_SCALES, key=len, reverse=True))})\b\.?)?"
    r"(?:[\s-]*(?P<unit>%|per\s?cent\b|[₹$€£]|[^\W\d_]+))?"
)


class Quantity(NamedTuple):
    """A value and what it counts; the unit is empty where no word follows."""

    value: Fraction
    unit: str


def quantities(text: str) -> tuple[Quantity, ...]:
    """The amounts in a text, in order."""
    return tuple(quantity for quantity, _ in _matches(text))


def without_numbers(text: str) -> str:
    """The text in comparable form with its numbers, their scales and signs of currency taken out; units stay."""
    plain = _plain(text)
    for _, match in reversed(list(_matches(text))):
        start, end = match.start(), match.end("scale") if match["scale"] else match.end("number")
        plain = f"{plain[:start]} {plain[end:]}"
    return plain


def _plain(text: str) -> str:
    return comparable(_GROUP_MARK.sub("", text))


def _matches(text: str) -> Iterator[tuple[Quantity, re.Match[str]]]:
    for match in _NUMBER.finditer(_plain(text)):
        value = _value(match["number"]) * _SCALES.get(match["scale"] or "", 1)
        if match["before"]:
            yield Quantity(value, _CURRENCIES[match["before"]]), match
        else:
            yield _in_base_unit(value, match["unit"] or ""), match


def _value(number: str) -> Fraction:
    if number in _WORDS:
        return Fraction(_WORDS[number])
    digits = number.rstrip(".,")
    whole, _, rest = digits.rpartition(".") if "," in digits and "." in digits else (digits, "", "")
    if whole and rest and whole != digits and _GROUPED.fullmatch(whole):
        return Fraction(f"{whole.replace(',', '')}.{rest}")
    if _GROUPED.fullmatch(digits):
        return Fraction(re.sub(r"[.,]", "", digits))
    head, *tail = re.split(r"[.,]", digits)
    return Fraction(f"{head or 0}.{''.join(tail) or 0}")


def _in_base_unit(value: Fraction, word: str) -> Quantity:
    if word == "%" or (word.startswith("per") and word.endswith("cent")):
        return Quantity(value, "%")
    if word in _CURRENCIES:
        return Quantity(value, _CURRENCIES[word])
    unit = word.removesuffix("s") if len(word) > 2 and not word.endswith("ss") else word
    base, factor = _MULTIPLES.get(unit, (unit, 1))
    return Quantity(value * factor, base)
