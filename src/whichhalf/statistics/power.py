"""How small a difference a number of questions can show."""

from math import ceil, sqrt
from statistics import NormalDist

from whichhalf.errors import InputError


def detectable_difference(deviation: float, questions: int, *, power: float = 0.8, level: float = 0.05) -> float:
    """The smallest true mean difference that a paired two-sided test over so many questions finds with this power.

    `deviation` is the standard deviation of the differences between the two runs, question by question:
    (z(1 − level ÷ 2) + z(power)) · deviation ÷ √(questions − z(1 − level ÷ 2)² ÷ 2). Raises InputError when so few
    questions can show nothing. Sources: Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988, chapter
    2; Guenther, Sample size formulas for normal theory t tests, 1981 (the term for the estimated deviation).
    """
    reach, few = _reach(power, level)
    if questions <= few:
        raise InputError(f"{questions} question(s) can show no difference at level {level:g}")
    return reach * deviation / sqrt(questions - few)


def questions_needed(deviation: float, difference: float, *, power: float = 0.8, level: float = 0.05) -> int:
    """The fewest questions with which `difference` is found with this power: the same formula, solved for them.

    Raises InputError for a difference of 0, which no number of questions shows.
    """
    if difference == 0:
        raise InputError("no number of questions shows a difference of 0")
    reach, few = _reach(power, level)
    return max(ceil((reach * deviation / difference) ** 2 + few), 2)


def _reach(power: float, level: float) -> tuple[float, float]:
    """Distance in standard errors, and the questions that estimating the deviation costs."""
    if not 0 < level < 1 or not level < power < 1:
        raise InputError(f"power {power} and level {level}: 0 < level < power < 1")
    normal = NormalDist()
    return normal.inv_cdf(1 - level / 2) + normal.inv_cdf(power), normal.inv_cdf(1 - level / 2) ** 2 / 2
