"""Whether a number alone sets a claim against a passage."""

import pytest

from whichhalf.triage.numbers_differ import only_numbers_differ


@pytest.mark.parametrize(
    ("claim", "quote", "differ"),
    [
        ("A demand notice has to be paid within 60 days of its date.", "Pay within 45 days of the date", True),
        ("The fee is Rs 3,500.", "the late fee is Rs 5,300", True),
        ("The gain is taxed at 12%.", "the gain is taxed at 10 per cent", True),
        ("The limit is Rs 1,50,000.", "the limit is 15 lakh rupees", True),
        ("Shop opens at nine o'clock in 2 weeks.", "the shop opens at nine o'clock in 10 days", True),
        ("Chhoot ki seema 60 rupees hai.", "chhoot ki seema 50 rupees hai", True),
        ("The limit is Rs 1,50,000.", "the limit is 1.5 lakh rupees", False),  # one value, written twice
        ("It takes two weeks.", "It takes 14 days", False),
        ("The tax is 12%.", "The tax is 12 rupees", False),  # another unit
        ("The refund is paid in 5 days.", "The refund is not paid in 6 days", False),  # more than the number
        ("The refund isn't paid in 5 days.", "The refund is not paid in 6 days", True),
        ("A loan lasts 7 days.", "Members of the library pay 5 euros a year", False),
        ("A refund arrives in 5 days at Rs 30.", "a refund arrives in 6 days", False),  # the Rs 30 stand nowhere
        ("Rent is accepted.", "Rent is never accepted", False),
        ("", "", False),
    ],
)
def test_only_numbers_differ(claim: str, quote: str, differ: bool) -> None:
    assert only_numbers_differ(claim, quote) is differ
