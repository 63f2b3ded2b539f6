"""A run as a pandas frame, for notebooks. pandas is no dependency: it is used where it is installed."""

from typing import TYPE_CHECKING

from whichhalf.core.outcome import Failed, Outcome, Scored

if TYPE_CHECKING:
    import pandas

    from whichhalf.core.run import Run


def frame_of(run: "Run") -> "pandas.DataFrame":
    """See Run.to_pandas. Raises ImportError saying what to install."""
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas needs pandas, which does not come with whichhalf: pip install pandas") from error
    tags = list(dict.fromkeys(tag for result in run.results for tag in result.case.question.tags))
    rows = [
        (result.case.id, metric, *_told(outcome), *(result.case.question.tags.get(tag) for tag in tags))
        for result in run.results
        for metric, outcome in result.outcomes.items()
    ]
    columns = ["id", "metric", "outcome", "value", "reason", *(f"tag.{tag}" for tag in tags)]
    frame = pandas.DataFrame(rows, columns=columns, dtype="object")
    return frame.astype({name: "Float64" if name == "value" else "string" for name in columns})


def _told(outcome: Outcome) -> tuple[str, float | None, str | None]:
    if isinstance(outcome, Scored):
        return outcome.kind, outcome.value, None
    return outcome.kind, None, outcome.error if isinstance(outcome, Failed) else outcome.because
