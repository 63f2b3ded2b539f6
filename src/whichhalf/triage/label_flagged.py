"""Label every flagged answer of a run."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from whichhalf.core.case import Case, Passage
from whichhalf.core.diagnosis import Diagnosis
from whichhalf.core.options import STAGES, Rule
from whichhalf.core.outcome import Outcome
from whichhalf.core.run import CaseResult, Run
from whichhalf.errors import InputError
from whichhalf.retrieval.quote_index import QuoteIndex
from whichhalf.triage.flagged import Flag, FlaggedAnswer, Flags
from whichhalf.triage.which_half_failed import which_half_failed

Label = Callable[[Mapping[str, Outcome]], Diagnosis]
"""From the outcomes of one case to its label."""
Settle = Callable[[CaseResult, Label], Diagnosis]
"""Gives the label of a case, having asked again where that is wanted."""
Mapper = Callable[[Callable[[Flag], FlaggedAnswer], Iterable[Flag]], Iterable[FlaggedAnswer]]


@dataclass(frozen=True, slots=True)
class Triage:
    """The flagged answers with their labels, in the order of the flags."""

    answers: tuple[FlaggedAnswer, ...]
    unknown: tuple[str, ...]
    """Flagged ids that are not in the run."""
    fine: int
    """Answers that were checked and found right."""
    notices: tuple[str, ...] = ()
    """What the reader of the labels should know."""


def label_as_scored(result: CaseResult, label: Label) -> Diagnosis:
    """The label of a case by the outcomes it has."""
    return label(result.outcomes)


def label_flagged(
    run: Run,
    flags: Flags,
    *,
    rule: Rule = "default",
    k: int = 5,
    faithfulness_floor: float | None = None,
    off_topic_cosine: float | None = None,
    corpus: Mapping[str, Passage] | None = None,
    settle: Settle = label_as_scored,
    mapper: Mapper = map,
) -> Triage:
    """Label with the settings of `which_half_failed`. `mapper` may work on several answers at once.

    Raises InputError when no flag belongs to a question of the run.
    """
    results = {result.case.id: result for result in run.results}
    known = [flag for flag in flags.wrong if flag.id in results]
    if flags.wrong and not known:
        raise InputError(
            f"no flagged id is in the run: flags have {flags.wrong[0].id!r}, the run {next(iter(results))!r}"
        )
    passages = known_passages([results[flag.id].case for flag in known], corpus)

    def labelled(flag: Flag) -> FlaggedAnswer:
        result = results[flag.id]

        def label(outcomes: Mapping[str, Outcome]) -> Diagnosis:
            return which_half_failed(
                result.case,
                outcomes,
                rule=rule,
                k=k,
                faithfulness_floor=faithfulness_floor,
                off_topic_cosine=off_topic_cosine,
                known=passages[flag.id],
            )

        return FlaggedAnswer(flag=flag, others=flags.others.get(flag.id, ()), diagnosis=settle(result, label))

    unknown = tuple(flag.id for flag in flags.wrong if flag.id not in results)
    return Triage(tuple(mapper(labelled, known)), unknown, len(flags.fine))


def known_passages(
    cases: Sequence[Case], corpus: Mapping[str, Passage] | None
) -> dict[str, tuple[Passage, ...] | None]:
    """Question id → the passages of the corpus that its labels name or quote, and those it retrieved; None without a
    corpus."""
    if corpus is None:
        return {case.id: None for case in cases}
    index = QuoteIndex(corpus) if any(case.question.evidence for case in cases) else None
    found: dict[str, tuple[Passage, ...] | None] = {}
    for case in cases:
        ids = [*case.question.relevant, *(one.id for stage in STAGES for one in case.ranking(stage) or ())]
        passages = {one: corpus[one] for one in ids if one in corpus}
        if index is not None:
            passages |= {one.id: one for label in case.question.evidence for one in index.holders(label)}
        found[case.id] = tuple(passages.values())
    return found
