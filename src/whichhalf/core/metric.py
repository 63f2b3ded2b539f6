"""What a metric is called, what it says about itself, and the one method it has."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
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
class Option:
    """What an option of a metric may be: one of a few words, or a number in a range."""

    default: str | None
    """None when it must be given."""
    words: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 0.0
    whole: bool = False
    """True when the number must be whole."""

    def checked(self, text: str) -> str:
        """The value as it is printed in names. Raises InputError that says what is allowed."""
        if self.words:
            if text not in self.words:
                raise InputError(f"one of {', '.join(self.words)}, not {text!r}")
            return text
        try:
            value = float(text)
        except ValueError:
            value = float("nan")
        if not self.low <= value <= self.high or (self.whole and value != int(value)):
            kind = "whole number" if self.whole else "number"
            raise InputError(f"a {kind} from {self.low:g} to {self.high:g}, not {text!r}")
        return f"{value:g}"


def settle_options(name: MetricName, known: Mapping[str, Option], defaults: Mapping[str, str]) -> MetricName:
    """The one name of a metric: options checked, filled in from `defaults`, and left out where they are usual.

    Raises InputError for an option that is unknown, missing or out of range.
    """
    given = {key: value for key, value in defaults.items() if key in known} | dict(name.options)
    for key in given:
        if key not in known:
            there = f"it knows {', '.join(known)}" if known else "it has none"
            raise InputError(f"metric {str(name)!r}: unknown option {key!r}; {there}")
    kept = []
    for key, option in sorted(known.items()):
        text = given.get(key, option.default)
        if text is None:
            raise InputError(f"metric {str(name)!r}: {key} must be given, for example {name.family}({key}=…)")
        try:
            value = option.checked(text)
        except InputError as error:
            raise InputError(f"metric {str(name)!r}: {key} is {error}") from error
        if value != option.default:
            kept.append((key, value))
    return replace(name, options=tuple(kept))


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
    higher_is_better: bool | None = True
    """None for a number that says nothing about quality."""


class Metric(Protocol):
    """Anything that yields one outcome for one case. It keeps nothing between cases."""

    @property
    def card(self) -> MetricCard: ...

    def score(self, case: Case) -> Outcome: ...
