"""What a metric is called, what it says about itself, and the one method it has."""

import re
from dataclasses import dataclass
from typing import Literal, Protocol

from whichhalf.core.case import Case
from whichhalf.core.options import STAGES, Stage
from whichhalf.core.outcome import Outcome
from whichhalf.errors import InputError

Half = Literal["retrieval", "generation", "both"]
Need = Literal["labels", "ranking", "answer", "passage_texts", "reference_answer"]

_NAME = re.compile(
    r"(?P<family>[a-z][a-z0-9_]*)"
    r"(?:\((?P<options>[^()]*)\))?"
    r"(?:@(?P<k>[0-9]+))?"
    r"(?:\[(?P<stage>[a-z]+)\])?"
)


@dataclass(frozen=True, slots=True)
class MetricName:
    """`family(option=value,…)@k[stage]`: one string in configs, reports, dictionary keys and repr."""

    family: str
    options: tuple[tuple[str, str], ...] = ()
    k: int | None = None
    stage: Stage | None = None

    @classmethod
    def parse(cls, text: str) -> "MetricName":
        """Read a name as printed by `str`. Raises InputError that says what is wrong."""
        match = _NAME.fullmatch(text.strip())
        if match is None:
            raise InputError(f"metric {text!r} cannot be read; a name looks like ndcg(gain=linear)@10[retrieved]")
        k = int(match["k"]) if match["k"] else None
        if k == 0:
            raise InputError(f"metric {text!r}: k starts at 1")
        stage = match["stage"]
        if stage is not None and stage not in STAGES:
            raise InputError(f"metric {text!r}: unknown stage {stage!r}; stages are {', '.join(STAGES)}")
        return cls(match["family"], _options(text, match["options"]), k, stage)

    def __str__(self) -> str:
        options = "(" + ",".join(f"{key}={value}" for key, value in self.options) + ")" if self.options else ""
        cut = f"@{self.k}" if self.k is not None else ""
        stage = f"[{self.stage}]" if self.stage else ""
        return f"{self.family}{options}{cut}{stage}"


def _options(text: str, inside: str | None) -> tuple[tuple[str, str], ...]:
    options: dict[str, str] = {}
    for part in (inside or "").split(","):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not part.strip():
            continue
        if not (key and equals and value):
            raise InputError(f"metric {text!r}: options look like (gain=linear), not ({part.strip()})")
        if key in options:
            raise InputError(f"metric {text!r}: option {key!r} is given twice")
        options[key] = value
    return tuple(sorted(options.items()))


@dataclass(frozen=True, slots=True)
class MetricCard:
    """What a metric says about itself."""

    name: MetricName
    half: Half
    contract: str
    """One line: what the number means, with every convention that could change it."""
    needs: tuple[Need, ...]
    prompts: tuple[str, ...] = ()
    """Names of the judge prompts it asks; empty for plain arithmetic."""


class Metric(Protocol):
    """Anything that yields one outcome for one case. It keeps nothing between cases."""

    @property
    def card(self) -> MetricCard: ...

    def score(self, case: Case) -> Outcome: ...
