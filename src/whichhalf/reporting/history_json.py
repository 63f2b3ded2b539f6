"""The history for machines."""

import json
from collections.abc import Sequence
from dataclasses import asdict

from whichhalf.running.history import PastRun, Point


def runs_as_json(runs: Sequence[PastRun]) -> str:
    """One JSON array, oldest first."""
    return _strict([run.model_dump(mode="json") for run in runs])


def trend_as_json(metric: str, points: Sequence[Point]) -> str:
    """One JSON object: the metric and its points, oldest first."""
    rows = [{**asdict(point), "run": point.run.model_dump(mode="json")} for point in points]
    return _strict({"metric": metric, "points": rows})


def _strict(facts: object) -> str:
    return json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=2)
