"""What the members of a metric family share, and the Metric made from one of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import get_args

from whichhalf.core.case import Case
from whichhalf.core.metric import MetricCard, MetricName
from whichhalf.core.options import Duplicates, Stage
from whichhalf.core.outcome import Outcome, Scored, Undefined
from whichhalf.errors import InputError
from whichhalf.retrieval.labelled_ranking import LabelledRanking, label_ranking

Value = Callable[[LabelledRanking, int | None, Mapping[str, str]], float]


@dataclass(frozen=True, slots=True)
class Family:
    """One formula; a name such as `recall@5` picks its k and options."""

    name: str
    meaning: str
    """The formula in words, with {k} where the cut stands."""
    source: str
    value: Value
    cut: str = "required"
    """`required`, `optional` or `none`."""
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Option → allowed values, the default first."""
    graded: bool = False
    """True when grades count, not only whether they reach the relevance threshold."""

    def check(self, name: MetricName) -> None:
        """Raises InputError when the name gives a k or an option this family does not have."""
        if name.k is None and self.cut == "required":
            raise InputError(f"metric {str(name)!r} needs a cut, for example {self.name}@5")
        if name.k is not None and self.cut == "none":
            raise InputError(f"metric {str(name)!r}: {self.name} takes no cut")
        for key, value in name.options:
            allowed = self.options.get(key)
            if allowed is None:
                known = f"it knows {', '.join(self.options)}" if self.options else "it has none"
                raise InputError(f"metric {str(name)!r}: unknown option {key!r}; {known}")
            if value not in allowed:
                raise InputError(f"metric {str(name)!r}: {key} is one of {', '.join(allowed)}, not {value!r}")


@dataclass(frozen=True, slots=True)
class Conventions:
    """Run-wide choices that change retrieval numbers; each is printed in every contract."""

    relevance_threshold: int = 1
    duplicates: Duplicates = "first_copy"

    def __post_init__(self) -> None:
        if self.relevance_threshold < 1:
            raise InputError(
                f"relevance_threshold starts at 1, not {self.relevance_threshold!r}: grade 0 is not relevant"
            )
        if self.duplicates not in get_args(Duplicates):
            raise InputError(f"duplicates is one of {', '.join(get_args(Duplicates))}, not {self.duplicates!r}")

    def label(self, ids: list[str], grades: Mapping[str, int]) -> LabelledRanking:
        return label_ranking(ids, grades, relevance_threshold=self.relevance_threshold, duplicates=self.duplicates)


@dataclass(frozen=True, slots=True)
class RetrievalMetric:
    """A family with its k, options, stage and conventions: plain arithmetic on ids."""

    family: Family
    name: MetricName
    stage: Stage
    conventions: Conventions = Conventions()

    @property
    def card(self) -> MetricCard:
        return MetricCard(self.name, "retrieval", self._contract(), needs=("labels", "ranking"))

    def score(self, case: Case) -> Outcome:
        """0 when nothing was retrieved or the question has no output row."""
        if not case.question.answerable:
            return Undefined(because="no_answer_question")
        passages = case.ranking(self.stage)
        if passages is None and case.has_output and self.stage == "context":
            return Undefined(because="context_not_logged")
        ids = [passage.id for passage in passages or ()]
        ranking = self.conventions.label(ids, case.question.relevant)
        value = self.value(ranking)
        if value is None:
            return Undefined(because="no_relevant_labels")
        return Scored(value=value, notes=self._notes(case, ranking))

    def value(self, ranking: LabelledRanking) -> float | None:
        """In [0, 1]; None when the question has no relevant label."""
        if not (ranking.grades if self.family.graded else ranking.relevant_count):
            return None
        return self.family.value(ranking, self.name.k, dict(self.name.options))

    def _notes(self, case: Case, ranking: LabelledRanking) -> tuple[str, ...]:
        notes = []
        if not case.has_output:
            notes.append("no output row: counted as nothing retrieved")
        if ranking.duplicate_count:
            notes.append(f"{ranking.duplicate_count} position(s) repeat an id")
        return tuple(notes)

    def _contract(self) -> str:
        meaning = self.family.meaning.format(k=self.name.k, **self._options())
        if self.name.k is None:
            meaning = meaning.replace(" in the first None", "")
        relevant = "" if self.family.graded else f"; relevant = grade ≥ {self.conventions.relevance_threshold}"
        copies = {
            "first_copy": "only the first copy of an id earns",
            "collapse": "later copies are dropped first",
        }
        return (
            f"{meaning}; unjudged = not relevant{relevant}; "
            f"{copies.get(self.conventions.duplicates, 'a repeated id is an error')}; labels: all, found or not; "
            f"stage {self.stage}"
        )

    def _options(self) -> dict[str, str]:
        return {**{key: values[0] for key, values in self.family.options.items()}, **dict(self.name.options)}
