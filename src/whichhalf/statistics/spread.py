"""Where the true mean difference between two runs may lie, also when most questions are ties."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from whichhalf.statistics.distributions import student_below, student_quantile
from whichhalf.statistics.intervals import CONSTANT, all_equal
from whichhalf.statistics.power import detectable_difference
from whichhalf.statistics.units import Units

STUDENT = "Student's t, ties and skew hedged"
FEWEST_CLUSTERS = 30
"""Clusters that differ, below which nothing is called equivalent: simulated, it was wrong up to one time in five."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Student's t around a centre; the end on the side of the longer tail lies further out."""

    centre: float
    error: float
    """Standard error of the centre, above 0."""
    freedom: float
    """Degrees of freedom that this error is worth."""
    skew: float
    """The end on its side moves by skew · (1 + 2 t²)."""
    units: int
    """So many units of one size weigh as these do."""
    tells_equivalence: bool = True
    """False where too few clusters differ."""
    method = STUDENT

    def interval(self, level: float) -> tuple[float, float]:
        t = student_quantile((1 + level) / 2, self.freedom)
        shift, reach = self.skew * (1 + 2 * t**2), t * self.error
        return self.centre + min(shift, 0.0) - reach, self.centre + max(shift, 0.0) + reach

    def equivalence_p(self, margin: float) -> float:
        """The larger p-value of the two one-sided tests against ± margin (Schuirmann, 1987); 1 where it cannot tell."""
        if not self.tells_equivalence:
            return 1.0
        above = self._beyond(margin - self.centre, max(self.skew, 0.0))
        return max(above, self._beyond(margin + self.centre, max(-self.skew, 0.0)))

    def _beyond(self, distance: float, skew: float) -> float:
        """The p-value at which an end lies so far from the centre: distance = t · error + skew · (1 + 2 t²)."""
        left = distance - skew
        t = left / self.error
        if left > 0:
            t = 2 * left / (self.error + sqrt(self.error**2 + 8 * skew * left))
        return student_below(-t, self.freedom)

    def detectable(self, power: float, level: float) -> float | None:
        """None where clusters are so few, or so unlike in size, that nothing can be shown."""
        return _detectable(self.error * sqrt(self.units), self.units, power, level)


@dataclass(frozen=True, slots=True)
class NoSpread:
    """All units are alike, so nothing is known of the size of other differences, but that it is at most 1."""

    seen: Units
    method = CONSTANT

    def interval(self, level: float) -> tuple[float, float]:
        return all_equal(self.seen, level, lowest=-1.0)

    def equivalence_p(self, margin: float) -> float:
        """The chance that so many units are alike when just so many others exist that the mean is the margin."""
        value = abs(self.seen.mean)
        if margin <= value:
            return 1.0
        return max(1 - (margin - value) / (1 - value), 0.0) ** self.seen.effective if value < 1 else 0.0

    def detectable(self, power: float, level: float) -> float | None:
        """As if one win and one loss of the largest size had been seen besides."""
        units = int(self.seen.effective)
        return _detectable(sqrt(2 / (units + 2)), units, power, level)


def estimate_spread(units: Units) -> Spread | NoSpread | None:
    """The spread of the mean of differences; None where units are too few to tell.

    Student's t over the units, with two more imagined: one win and one loss, each as large as the differences seen
    (root mean square of those not 0) and each weighing as much as the share of ties. With passes and failures, nearly
    all ties, it is the adjusted Wald interval of Bonett and Price (Adjusted Wald confidence interval for a difference
    of binomial proportions based on paired data, 2012). A few differences among many ties look more certain than they
    are: this hedges, and so do degrees of freedom by kurtosis.

    Where differences lean to one side, the mean and its error are too small together or too large together. The
    correction is that of Johnson (Modified t tests and confidence intervals for asymmetrical populations, 1978) and
    Hall (On the removal of skewness by transformation, 1992): Σ stray³ ÷ Σ stray² · (1 + 2 t²) ÷ (6 n). It moves the
    end on the side of the longer tail outwards only: the other is not drawn in, for the skew is an estimate too.
    """
    if not units.are_enough:
        return None
    if units.scatter <= 1e-20 * float((units.strays(0.0) ** 2).sum()):
        return NoSpread(units)
    count, seen = len(units.sizes), units.strays(0.0)
    differing = int((seen != 0).sum())
    weight = 1 - differing / count
    size = sqrt(float((seen**2).sum()) / differing)
    number = count + 2 * weight
    centre = units.mean * count / number
    strays = np.append(units.strays(centre), [size - centre, -size - centre])
    weights = np.append(np.ones(count), [weight, weight])
    squares, cubes = float(weights @ strays**2), float(weights @ strays**3)
    freedom = number / count * (units.freedom + 1) - 1
    return Spread(
        centre=centre,
        error=sqrt(squares / number**2 * (freedom + 1) / freedom),
        freedom=units.freedom_of_variance,
        skew=cubes / squares / (6 * number),
        units=int(units.effective),
        tells_equivalence=differing >= FEWEST_CLUSTERS or bool((units.sizes == 1).all()),
    )


def _detectable(deviation: float, units: int, power: float, level: float) -> float | None:
    return None if units < 2 else detectable_difference(deviation, units, power=power, level=1 - level)
