"""Prices come from litellm's table, in its units, and litellm is not imported for them."""

import subprocess
import sys

import pytest

from whichhalf.judging.prices import Price, price_of
from whichhalf.judging.seam import Usage


@pytest.mark.parametrize(
    ("tokens", "usd"), [((1000, 100), 0.0035), ((0, 0), 0.0), ((None, 5), None), ((5, None), None)]
)
def test_a_price_is_per_token(tokens: tuple[int | None, int | None], usd: float | None) -> None:
    found = Price(prompt=2.5e-06, completion=1e-05).of(Usage(*tokens))
    assert found == (None if usd is None else pytest.approx(usd, rel=1e-12))


@pytest.mark.parametrize(
    ("usage", "cached_price", "usd"),
    [
        (Usage(1000, 0, 900), 0.1, 0.19),  # not 1.09: the cached tokens are part of the prompt tokens
        (Usage(1000, 0, 900), None, 1.0),
        (Usage(1000, 0, None), 0.1, 1.0),
        (Usage(1000, 0, 1000), 0.1, 0.1),
        (Usage(1000, 0, 2000), 0.1, 0.1),  # a server that counts otherwise makes no price negative
    ],
)
def test_bug_191_cached_prompt_tokens_are_billed_once(usage: Usage, cached_price: float | None, usd: float) -> None:
    cached = None if cached_price is None else cached_price / 1000
    assert Price(prompt=1.0 / 1000, completion=0.0, cached_prompt=cached).of(usage) == pytest.approx(usd, rel=1e-12)


def test_models_are_found_by_the_names_of_a_config() -> None:
    """The provider's own names: openai/NAME and anthropic/NAME stand in the table as NAME, gemini/NAME in full."""
    known = {name: price_of(name) for name in ("openai/gpt-4o-mini", "anthropic/claude-sonnet-4-5", "gpt-4o-mini")}
    assert known["openai/gpt-4o-mini"] == Price(prompt=1.5e-07, completion=6e-07, cached_prompt=7.5e-08)
    assert known["anthropic/claude-sonnet-4-5"] == Price(prompt=3e-06, completion=1.5e-05, cached_prompt=3e-07)
    assert known["gpt-4o-mini"] == known["openai/gpt-4o-mini"]
    assert price_of("gemini/gemini-2.5-flash") is not None
    embedding = price_of("openai/text-embedding-3-small")
    assert embedding is not None
    assert (embedding.prompt, embedding.completion) == (2e-08, 0.0)


@pytest.mark.parametrize("name", ["openai/judge-a", "mistral/gpt-4o-mini", "sample_spec", "", "openai/", "offline"])
def test_what_the_table_does_not_know_has_no_price(name: str) -> None:
    assert price_of(name) is None


def test_litellm_is_not_imported() -> None:
    code = (
        "import sys; from whichhalf.judging.prices import price_of; price_of('gpt-4o'); print('litellm' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
