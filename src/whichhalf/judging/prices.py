"""What litellm's table says of models, such as list prices; litellm itself takes seconds to import, and is not."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from whichhalf.judging.seam import Usage

_TABLE = "model_prices_and_context_window_backup.json"


@dataclass(frozen=True, slots=True)
class Price:
    """In USD a token."""

    prompt: float
    completion: float
    cached_prompt: float | None = None
    """Of a prompt token that the server had kept; None where it costs what any other does."""

    def of(self, usage: Usage) -> float | None:
        """What a call took; None where its tokens are not known."""
        if usage.prompt_tokens is None or usage.completion_tokens is None:
            return None
        cached = min(usage.cached_prompt_tokens or 0, usage.prompt_tokens)
        cached_price = self.prompt if self.cached_prompt is None else self.cached_prompt
        prompt = (usage.prompt_tokens - cached) * self.prompt + cached * cached_price
        return prompt + usage.completion_tokens * self.completion


@cache
def price_of(model: str) -> Price | None:
    """The price of a model as named in a config, on whatever server; None where the table does not know it."""
    row = listed(model)
    prompt, completion = row.get("input_cost_per_token"), row.get("output_cost_per_token")
    if prompt is None or completion is None or not (prompt or completion):  # no price a token, not a gift
        return None
    cached = row.get("cache_read_input_token_cost")
    return Price(float(prompt), float(completion), None if cached is None else float(cached))


def listed(model: str) -> dict[str, Any]:
    """The row of a model; empty where there is none."""
    provider, _, name = model.rpartition("/")
    table = _table()
    own = table.get(name, {})
    return table.get(model) or (own if own.get("litellm_provider") == provider else {})


@cache
def _table() -> dict[str, dict[str, Any]]:
    """Empty where litellm is laid out otherwise: then no price is known."""
    found = find_spec("litellm")
    for folder in (found.submodule_search_locations if found else None) or ():
        path = Path(folder) / _TABLE
        if path.is_file():
            table: dict[str, dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
            return table
    return {}
