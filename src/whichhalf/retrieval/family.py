"""What the members of a metric family share, and the Metric made from one of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import get_args

import numpy as np

from whichhalf.core.case import Case
from whichhalf.core.held_quotes import scored_by_quotes
from whichhalf.core.metric import MetricCard, MetricName, Need, Option, settle_options
from whichhalf.core.options import Duplicates, Missing, NearDuplicates, Stage, Unit, Unjudged
from whichhalf.core.outcome import Outcome, Scored, Undefined
from whichhalf.errors import InputError
from whichhalf.retrieval.evidence import NOTE, QuotedRanking, look_for_quotes
from whichhalf.retrieval.judged_rankings import Bools, Floats, JudgedRankings, judge_lists

Options = Mapping[str, str]
Values = Callable[[JudgedRankings, int | None, Options], Floats]
"""(n,) values in [0, 1]; what stands for a question without relevant labels does not matter."""
Ratio = Callable[[JudgedRankings, int | None], tuple[Floats, Floats]]
"""(n,) numerators and denominators of a value that is a ratio of counts."""


@dataclass(frozen=True, slots=True)
class Family:
    """One formula; a name such as `recall@5` picks its k and options."""

    name: str
    meaning: str
    """The formula in words; `{in_k}` becomes "in the first 5", or nothing without a cut."""
    source: str
    values: Values
    cut: str = "required"
    """`required`, `optional` or `none`."""
    options: Mapping[str, Option] = field(default_factory=dict)
    graded: bool = False
    """True when grades count, not only whether they reach the relevance threshold."""
    higher_is_better: bool | None = True
    """None for a number that says nothing about quality."""
    own_unjudged: str = ""
    """How unjudged passages are treated, where they do not simply count as not relevant."""
    ratio: Ratio | None = None
    """For values that are ratios of counts: allows the micro mean."""

    trec: str = ""
    """What trec_eval calls it without a cut; empty where it has no such measure."""
    trec_cut: str = ""
    """What trec_eval calls it with the cut {k}."""

    def named(self, name: MetricName, defaults: Options) -> MetricName:
        """The one name of this metric. Raises InputError when its cut or options do not fit the family."""
        if name.k is None and self.cut == "required":
            raise InputError(f"metric {str(name)!r} needs a cut, for example {self.name}@5")
        if name.k is not None and self.cut == "none":
            raise InputError(f"metric {str(name)!r}: {self.name} takes no cut")
        return settle_options(name, self.options, defaults)

    def trec_name(self, name: MetricName) -> str:
        """What trec_eval calls this metric, with its linear gain and its order of ties; empty where it has none."""
        template = self.trec if name.k is None else self.trec_cut
        numbers = {key: float(value) for key, value in name.options if not self.options[key].words}
        return template.format(k=name.k, **numbers)


@dataclass(frozen=True, slots=True)
class Conventions:
    """Run-wide choices that change retrieval numbers; each is printed in every contract."""

    relevance_threshold: int = 1
    duplicates: Duplicates = "first_copy"
    unjudged: Unjudged = "not_relevant"
    missing: Missing = "zero"
    near_duplicates: NearDuplicates = "keep"
    unit: Unit = "passage"
    same: Mapping[str, str] = field(default_factory=dict)
    """Passage → what it counts as, where near-duplicates are collapsed or documents are labelled."""

    def __post_init__(self) -> None:
        if self.relevance_threshold < 1:
            raise InputError(
                f"relevance_threshold starts at 1, not {self.relevance_threshold!r}: grade 0 is not relevant"
            )
        words_of = {
            "duplicates": Duplicates,
            "unjudged": Unjudged,
            "missing": Missing,
            "near_duplicates": NearDuplicates,
            "unit": Unit,
        }
        for name, words in words_of.items():
            if (word := getattr(self, name)) not in get_args(words):
                raise InputError(f"{name} is one of {', '.join(get_args(words))}, not {word!r}")
        if self.unit == "doc" and self.near_duplicates == "collapse":
            raise InputError("near_duplicates = collapse is for labels that name passages, not with unit = doc")

    def judge(self, cases: Sequence[Case], stage: Stage) -> JudgedRankings:
        """The rankings of a stage; a case without that stage, or without output, retrieved nothing."""
        judged = judge_lists(
            [[self.same.get(passage.id, passage.id) for passage in case.ranking(stage) or ()] for case in cases],
            [self._merged(case.question.relevant) for case in cases],
            relevance_threshold=self.relevance_threshold,
            duplicates=self.duplicates,
        )
        return judged.without_unjudged() if self.unjudged == "removed" else judged

    def _merged(self, grades: Mapping[str, int]) -> Mapping[str, int]:
        """The labels of passages that count as one; the highest grade stands."""
        merged: dict[str, int] = {}
        for passage, grade in grades.items():
            one = self.same.get(passage, passage)
            merged[one] = max(grade, merged.get(one, grade))
        return merged

    def look_for_quotes(self, case: Case, stage: Stage) -> QuotedRanking:
        """The ranking of a stage seen through the quotes of its question."""
        return look_for_quotes(case.question, case.ranking(stage) or (), self.duplicates)


@dataclass(frozen=True, slots=True)
class RetrievalMetric:
    """A family with its k, options, stage and conventions: plain arithmetic on ids."""

    family: Family
    name: MetricName
    stage: Stage
    conventions: Conventions = Conventions()

    @property
    def card(self) -> MetricCard:
        needs: tuple[Need, ...] = ("labels", "ranking")
        better = self.family.higher_is_better
        return MetricCard(self.name, "retrieval", self._contract(), needs, higher_is_better=better)

    def score(self, case: Case) -> Outcome:
        """0 when nothing was retrieved or the question has no output row.

        Raises InputError where a passage has no text and the question is labelled by quotes alone.
        """
        if scored_by_quotes(case.question):
            return self.score_quotes(case, self.conventions.look_for_quotes(case, self.stage))
        return self.score_all([case], self.conventions.judge([case], self.stage))[0]

    def score_all(self, cases: Sequence[Case], rankings: JudgedRankings) -> list[Outcome]:
        """Outcomes in the order of the cases, whose rankings at this stage are given."""
        values = self.values(rankings)
        return [
            self._outcome(case, value, int(copies))
            for case, value, copies in zip(cases, values, rankings.duplicate_counts, strict=True)
        ]

    def score_quotes(self, case: Case, ranking: QuotedRanking) -> Outcome:
        """The outcome of a case that is labelled by quotes, whose ranking at this stage is given."""
        outcome = self._outcome(case, ranking.value(self.family.name, self.name.k), ranking.copies)
        if isinstance(outcome, Scored):
            return Scored(value=outcome.value, notes=(NOTE, *outcome.notes))
        if isinstance(outcome, Undefined) and outcome.because == "no_relevant_labels":
            return Undefined(because="no_passage_labels", notes=(NOTE,))
        return outcome

    def values(self, rankings: JudgedRankings) -> list[float | None]:
        """One value a question, in [0, 1]; None where the question has no relevant label."""
        values: list[float | None] = self.family.values(rankings, self.name.k, self._options()).tolist()
        for question in np.flatnonzero(~self.is_defined(rankings)).tolist():
            values[question] = None
        return values

    def micro_mean(self, rankings: JudgedRankings, counted: Bools | None = None) -> float | None:
        """Σ numerators ÷ Σ denominators over the counted questions with labels.

        None where the value is no ratio of counts, or nothing is defined.
        """
        if self.family.ratio is None:
            return None
        above, below = self.family.ratio(rankings, self.name.k)
        defined = self.is_defined(rankings)
        if counted is not None:
            defined = defined & counted
        total = float(below[defined].sum())
        return float(above[defined].sum()) / total if total else None

    def is_defined(self, rankings: JudgedRankings) -> Bools:
        """(n,) whether the question has a relevant label, or, for graded metrics, a positive grade."""
        return rankings.has_gain if self.family.graded else rankings.relevant_count > 0

    def _outcome(self, case: Case, value: float | None, copies: int) -> Outcome:
        if not case.question.answerable:
            return Undefined(because="no_answer_question")
        if self.stage == "context" and case.has_output and case.context is None:
            return Undefined(because="context_not_logged")
        if not case.has_output and self.conventions.missing == "skip":
            return Undefined(because="missing_output")
        if value is None:
            return Undefined(because="no_relevant_labels")
        notes = []
        if not case.has_output:
            notes.append("no output row: counted as nothing retrieved")
        if copies:
            notes.append(f"{copies} position(s) repeat an id")
        return Scored(value=value, notes=tuple(notes))

    def _options(self) -> dict[str, str]:
        defaults = {key: option.default for key, option in self.family.options.items() if option.default is not None}
        return {**defaults, **dict(self.name.options)}

    def _contract(self) -> str:
        in_k = "" if self.name.k is None else f" in the first {self.name.k}"
        meaning = self.family.meaning.format(in_k=in_k, k=self.name.k, **self._options())
        removed = self.conventions.unjudged == "removed"
        unjudged = "unjudged removed" if removed else self.family.own_unjudged or "unjudged = not relevant"
        relevant = "" if self.family.graded else f"; relevant = grade ≥ {self.conventions.relevance_threshold}"
        copies = {
            "first_copy": "only the first copy of an id earns",
            "collapse": "later copies are dropped first",
            "error": "a repeated id is an error",
        }[self.conventions.duplicates]
        extra = "; near-duplicate texts are one passage" if self.conventions.near_duplicates == "collapse" else ""
        extra += "; labels name documents, and a ranking their passages" if self.conventions.unit == "doc" else ""
        extra += "" if self.conventions.missing == "zero" else "; questions without output left out"
        return f"{meaning}; {unjudged}{relevant}; {copies}{extra}; labels: all, found or not; stage {self.stage}"
