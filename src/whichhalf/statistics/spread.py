"""Where the true mean difference between two runs may lie, also when most questions are ties."""

from dataclasses import dataclass
from math import sqrt

from whichhalf.statistics.distributions import student_below, student_quantile
from whichhalf.statistics.power import detectable_difference
from whichhalf.statistics.units import Units

STUDENT = "Student's t, ties hedged"


@dataclass(frozen=True, slots=True)
class Spread:
    """Where the true mean difference may lie: Student's t around a centre."""

    centre: float
    error: float
    """Standard error of the centre, above 0."""
    freedom: float
    """Degrees of freedom: units − 1, fewer where clusters differ in size."""

    def interval(self, level: float) -> tuple[float, float]:
        reach = student_quantile((1 + level) / 2, self.freedom) * self.error
        return self.centre - reach, self.centre + reach

    def equivalence_p(self, margin: float) -> float:
        """The larger p-value of the two one-sided tests against ± margin (Schuirmann, 1987)."""
        nearer = margin - abs(self.centre)
        return student_below(-nearer / self.error, self.freedom)

    def detectable(self, power: float, level: float) -> float | None:
        """None where clusters are so few, or so unlike in size, that nothing can be shown."""
        units = int(self.freedom + 1)
        if units < 2:
            return None
        return detectable_difference(self.error * sqrt(units), units, power=power, level=1 - level)


def estimate_spread(units: Units) -> Spread | None:
    """The spread of the mean of differences; None where units are too few to tell.

    Student's t over the units, with two more imagined: one win and one loss, each as large as the differences seen
    (root mean square of those not 0) and each weighing as much as the share of ties. Without ties that is Student's
    t; with passes and failures, nearly all ties, it is the adjusted Wald interval of Bonett and Price (Adjusted Wald
    confidence interval for a difference of binomial proportions based on paired data, 2012). A few differences among
    many ties look more certain than they are: this hedges. Where all units are alike nothing is known of the size,
    and the two weigh 1 each at the largest size possible for scores in [0, 1], which is 1.
    """
    count = len(units.sizes)
    if not units.are_enough:
        return None
    squares = float((units.totals**2).sum()) * (count / units.sizes.sum()) ** 2
    differing = int((units.totals != 0).sum())
    all_alike = units.scatter <= 1e-20 * squares
    weight = 2.0 if all_alike else 2 * (1 - differing / count)
    size = 1.0 if all_alike else squares / differing
    number = count + weight
    centre = units.mean * count / number
    variance = (units.scatter + count * units.mean**2 + weight * size) / number - centre**2
    freedom = number / count * (units.freedom + 1) - 1
    return Spread(centre, sqrt(variance / number * (freedom + 1) / freedom), units.freedom)
