"""What the judged metrics share: preconditions, options, and the Metric made from a formula."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from whichhalf.core.case import Case
from whichhalf.core.claim import Verdict
from whichhalf.core.metric import Half, MetricCard, MetricName, Need, Option
from whichhalf.core.outcome import Outcome, Scored, Undefined, UndefinedReason
from whichhalf.judged.claim_tables import ClaimTables
from whichhalf.judged.claims import SPLIT_CLAIMS, ClaimList
from whichhalf.judged.verdicts import VERIFY_CLAIMS

Options = Mapping[str, str]
Formula = Callable[[ClaimTables, Case, Options], Scored]
"""Gives the number, or raises NoNumber where the question has none, or JudgeError where it could not be had."""


class NoNumber(Exception):
    """This case has no number under this metric; becomes Undefined."""

    def __init__(self, because: UndefinedReason, notes: tuple[str, ...] = ()) -> None:
        super().__init__(because)
        self.because = because
        self.notes = notes


@dataclass(frozen=True, slots=True)
class JudgedFamily:
    """One formula on claims and verdicts."""

    name: str
    half: Half
    meaning: str
    source: str
    formula: Formula
    needs: tuple[Need, ...]
    """Checked in this order before anything is asked."""
    conventions: str = ""
    """What else could change the number. Here and in `meaning`, `{option}` becomes the option's value and `{embedding}`
    the name of the embedding model."""
    higher_is_better: bool = True
    prompts: tuple[str, ...] = (SPLIT_CLAIMS, VERIFY_CLAIMS)
    options: Mapping[str, Option] = field(default_factory=dict)


@dataclass(frozen=True)  # without slots, so that what every case asks for is made once
class JudgedMetric:
    """A family with its options and the judge it asks."""

    family: JudgedFamily
    name: MetricName
    tables: ClaimTables

    @cached_property
    def card(self) -> MetricCard:
        family = self.family
        direction = "" if family.higher_is_better else "lower is better"
        text = "; ".join(filter(None, (family.meaning, family.conventions, direction)))
        contract = text.format(**self._options, embedding=self.tables.embedder.identity.model)
        return MetricCard(self.name, family.half, contract, family.needs, family.prompts, family.higher_is_better)

    def score(self, case: Case) -> Outcome:
        """Raises JudgeError when a reply could not be had."""
        try:
            _check_needs(case, self.family.needs)
            return self.family.formula(self.tables, case, self._options)
        except NoNumber as reason:
            return Undefined(because=reason.because, notes=reason.notes)

    @cached_property
    def _options(self) -> dict[str, str]:
        usual = {key: option.default for key, option in self.family.options.items() if option.default is not None}
        return {**usual, **dict(self.name.options)}


def _check_needs(case: Case, needs: tuple[Need, ...]) -> None:
    if "answer" in needs and not (case.has_output and case.answer and case.answer.strip()):
        raise NoNumber("missing_output")
    if not case.has_output:
        raise NoNumber("missing_output")
    if "reference_answer" in needs:
        if not case.question.answerable:
            raise NoNumber("no_answer_question")
        if not any(map(str.strip, case.question.reference_answers)):
            raise NoNumber("no_reference_answer")
    if "passage_texts" in needs and case.context is None:
        raise NoNumber("context_not_logged")


def claims_of_answer(tables: ClaimTables, case: Case) -> ClaimList:
    """A, with at least one claim. Raises NoNumber for a refusal or an answer without claims."""
    found = tables.answer_claims(case)
    if found.refused:
        raise NoNumber("refused")
    if not found.claims:
        raise NoNumber("no_claims", found.notes)
    return found


def supported(verdict: Verdict) -> bool:
    """Whether the verdict counts as support; unsure does not."""
    return verdict.label == "supported"


def supported_share(verdicts: Sequence[Verdict]) -> float:
    """Supported ÷ all, in [0, 1]. Raises ZeroDivisionError without verdicts: that case has its own outcome."""
    return sum(map(supported, verdicts)) / len(verdicts)


def share_scored(
    verdicts: tuple[Verdict, ...], counts: Callable[[Verdict], bool] = supported, notes: tuple[str, ...] = ()
) -> Scored:
    """The share of verdicts that count, with the bounds that unsure verdicts leave open."""
    value = sum(map(counts, verdicts)) / len(verdicts)
    unsure = sum(verdict.label == "unsure" for verdict in verdicts)
    if not unsure:
        return Scored(value=value, verdicts=verdicts, notes=notes)
    note = f"{unsure} of {len(verdicts)} verdicts unsure, counted as not supported"
    bounds = (value, min(1.0, value + unsure / len(verdicts)))
    return Scored(value=value, bounds=bounds, verdicts=verdicts, notes=(note, *notes))


def has_passage_text(case: Case) -> bool:
    """Whether any text reached the model."""
    return any(passage.text and passage.text.strip() for passage in case.context or ())
