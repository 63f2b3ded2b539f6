"""Label every flagged answer of a run."""

from dataclasses import dataclass

from whichhalf.core.options import Rule
from whichhalf.core.run import Run
from whichhalf.errors import InputError
from whichhalf.triage.flagged import FlaggedAnswer, Flags
from whichhalf.triage.which_half_failed import which_half_failed


@dataclass(frozen=True, slots=True)
class Triage:
    """The flagged answers with their labels, in the order of the flags."""

    answers: tuple[FlaggedAnswer, ...]
    unknown: tuple[str, ...]
    """Flagged ids that are not in the run."""
    fine: int
    """Answers the expert checked and found right."""


def label_flagged(
    run: Run, flags: Flags, *, rule: Rule = "default", k: int = 5, faithfulness_floor: float | None = None
) -> Triage:
    """Raises InputError when no flag belongs to a question of the run."""
    results = {result.case.id: result for result in run.results}
    known = [flag for flag in flags.wrong if flag.id in results]
    if flags.wrong and not known:
        raise InputError(
            f"no flagged id is in the run: flags have {flags.wrong[0].id!r}, the run {next(iter(results))!r}"
        )
    answers = tuple(
        FlaggedAnswer(
            flag=flag,
            diagnosis=which_half_failed(
                results[flag.id].case,
                results[flag.id].outcomes,
                rule=rule,
                k=k,
                faithfulness_floor=faithfulness_floor,
            ),
        )
        for flag in known
    )
    unknown = tuple(flag.id for flag in flags.wrong if flag.id not in results)
    return Triage(answers, unknown, len(flags.fine))
