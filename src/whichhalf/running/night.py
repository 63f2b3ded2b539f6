"""What a night says of itself: `night.json` in its run folder."""

from collections.abc import Sequence
from typing import Literal

from whichhalf.core.record import Record
from whichhalf.core.run import Cost
from whichhalf.running.gate import GateVerdict, GateWord

NIGHT_FILE = "night.json"

NightWord = Literal["green", "red", "incomplete"]
"""`incomplete` goes before `red`: numbers of a night that did not finish are not to be trusted either way."""


class CanaryResult(Record):
    """How the frozen anchors were judged tonight."""

    anchors_sha256: str
    """Of the anchors file: another file begins another series."""
    judged: int
    """Anchors that got a verdict."""
    flipped: tuple[str, ...]
    """Ids of the anchors whose verdict is no longer the frozen one."""
    failed: int
    """Anchors that got none."""
    lost: dict[str, int] = {}
    """Reason → anchors that got none."""
    enough: bool = True
    """Whether so large a share got a verdict that the night may rest on it ([run] coverage_floor)."""
    judge: str = ""
    """As named in the config: another judge begins another series. Empty in a night of an older version."""
    cost: Cost = Cost()
    """What judging them took; `spent` of the run's manifest does not hold it."""
    models_returned: tuple[str, ...]
    statistic: float
    """Of the sequential test, after this night."""
    limit: float
    """The judge is said to have moved when the statistic reaches it."""
    moved: bool
    sentence: str

    @property
    def word(self) -> GateWord:
        """The canary as one more gate."""
        return "failed" if self.moved else "passed" if self.enough else "incomplete"


class Night(Record):
    """One run of the nightly job."""

    job: str
    """Name of the config."""
    verdict: NightWord
    headline: str
    gates: tuple[GateVerdict, ...]
    baseline: str
    """The night that drops are measured against, or why there is none."""
    canary: CanaryResult | None = None
    seconds: float
    """Wall clock time of the whole night."""


def night_cost(run: Cost, canary: CanaryResult | None) -> Cost:
    """The run and the canary together."""
    return run if canary is None else run.plus(canary.cost)


def night_verdict(
    gates: Sequence[GateVerdict], lost: Sequence[str], canary: CanaryResult | None
) -> tuple[NightWord, str]:
    """The verdict and the sentence on top of the report. `lost` says, one sentence each, what was not finished."""
    open_gates = [one for one in gates if one.verdict == "incomplete"]
    failed = [one for one in gates if one.verdict == "failed"]
    moved = canary is not None and canary.moved
    unwatched = [canary.sentence] if canary is not None and not canary.enough else []
    if lost or open_gates or unwatched:
        why = [*lost, *(one.sentence for one in open_gates), *unwatched][0]
        return "incomplete", f"Incomplete: {why}. The same command goes on from here."
    if failed:
        rest = f", and {len(failed) - 1} more" if len(failed) > 1 else ""
        doubt = " The judge has moved too: see the canary before blaming the assistant." if moved else ""
        return "red", f"Red: {failed[0].sentence}{rest}.{doubt}"
    if canary is not None and canary.moved:
        return "red", f"Red: {canary.sentence}"
    passed = sum(one.verdict == "passed" for one in gates)
    skipped = len(gates) - passed
    note = f", {skipped} with nothing to compare with" if skipped else ""
    return "green", f"Green: {passed} of {len(gates)} gates passed{note}."
