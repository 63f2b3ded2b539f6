"""How small a difference a number of questions can show."""

from math import sqrt
from statistics import NormalDist


def detectable_difference(deviation: float, questions: int, *, power: float = 0.8, level: float = 0.05) -> float:
    """The smallest true mean difference that a paired two-sided test over so many questions finds with this power.

    `deviation` is the standard deviation of the differences between the two runs, question by question. Normal
    approximation: (z(1 − level ÷ 2) + z(power)) · deviation ÷ √questions.
    Source: Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988, chapter 2.
    """
    normal = NormalDist()
    return (normal.inv_cdf(1 - level / 2) + normal.inv_cdf(power)) * deviation / sqrt(questions)
