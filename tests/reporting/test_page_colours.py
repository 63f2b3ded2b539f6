"""Text can be read in light and dark: contrast of at least 4.5 (WCAG 2.2, success criterion 1.4.3)."""

import re
from importlib.resources import files
from itertools import product

import pytest

TEXT = ("ink", "soft", "link", "bad", "retrieval", "generation", "manual", "both")
CSS = (files("whichhalf.reporting") / "templates" / "page.css").read_text(encoding="utf-8")
SCHEMES = re.findall(r":root \{(.*?)\}", CSS, re.DOTALL)[:2]


def luminance(colour: str) -> float:
    """Relative luminance as WCAG defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_the_formula() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize(
    ("scheme", "text", "ground"),
    [*product((0, 1), TEXT, ("ground", "sheet")), *product((0, 1), ["ink"], ["bad-wash", "warn-wash", "quote-wash"])],
)
def test_contrast(scheme: int, text: str, ground: str) -> None:
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", SCHEMES[scheme]))
    assert contrast(colours[text], colours[ground]) >= 4.5
