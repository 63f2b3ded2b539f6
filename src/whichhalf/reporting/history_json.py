"""The history for machines."""

from collections.abc import Sequence
from dataclasses import asdict

from whichhalf.reporting.strict_json import strict_json
from whichhalf.running.history import PastRun, Point


def runs_as_json(runs: Sequence[PastRun]) -> str:
    """One JSON array, oldest first."""
    return strict_json([run.model_dump(mode="json") for run in runs])


def trend_as_json(metric: str, points: Sequence[Point]) -> str:
    """One JSON object: the metric and its points, oldest first."""
    rows = [{**asdict(point), "run": point.run.model_dump(mode="json")} for point in points]
    return strict_json({"metric": metric, "points": rows})
