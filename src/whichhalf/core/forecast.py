"""What a run would ask, before it asks."""

from whichhalf.core.record import Record


class PromptForecast(Record):
    """Questions of one version of a prompt, or texts to embed."""

    prompt: str
    """`name/version`, `embedding`, or `canary` for all that a night asks of it."""
    questions: int
    kept: int
    """Of these, answered by kept replies."""
    calls: int
    prompt_tokens: int
    """Estimates, for the calls alone; so is the next."""
    completion_tokens: int
    usd: float | None
    """None = unknown."""


class Forecast(Record):
    """All of a run. Faults, repeats after a fault and questions asked again come on top."""

    questions: int
    """Of the golden set."""
    judge: str
    prompts: tuple[PromptForecast, ...]
    kept: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    usd: float | None
    """None = unknown, never 0 for a model without a known price."""
    notices: tuple[str, ...] = ()
