"""What goes into a statistic: finite numbers, and the units among which they count as independent."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whichhalf.errors import InputError

Floats = NDArray[np.float64]


def finite(values: Sequence[float] | Floats, what: str = "values") -> Floats:
    """The values as an array of one dimension. Raises InputError for NaN, infinities and None."""
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what}: not all of them are numbers") from error
    if found.ndim != 1:
        raise InputError(f"{what}: a plain list of numbers is needed")
    if not bool(np.isfinite(found).all()):
        place = int(np.flatnonzero(~np.isfinite(found))[0])
        raise InputError(f"{what}: number {place} of {len(found)}, counted from 0, is not finite")
    return found


@dataclass(frozen=True, slots=True)
class Units:
    """Values summed by the units that count as independent: the questions themselves, or clusters of them."""

    totals: Floats
    """Sum of the values of each unit."""
    sizes: Floats
    """Number of values of each unit."""

    @property
    def mean(self) -> float:
        """Over the values, so a larger cluster weighs more."""
        return float(self.totals.sum() / self.sizes.sum())

    @property
    def effective(self) -> float:
        """So many units of one size weigh as these do: (Σ size)² ÷ Σ size² (Kish, Survey Sampling, 1965)."""
        return float(self.sizes.sum() ** 2 / (self.sizes**2).sum())

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the variance below."""
        return self.effective - 1

    @property
    def are_enough(self) -> bool:
        """Whether a variance can be told: two units, and none that holds nearly everything."""
        return len(self.sizes) > 1 and self.effective >= 1.5

    def strays(self, centre: float) -> Floats:
        """total − centre · size, in units of the mean size."""
        return (self.totals - centre * self.sizes) / float(self.sizes.mean())

    @property
    def scatter(self) -> float:
        """Σ of the squared strays from the mean."""
        return float((self.strays(self.mean) ** 2).sum())

    @property
    def freedom_of_variance(self) -> float:
        """Degrees of freedom that the variance below is worth: fewer where few units bring about most of it.

        2 n ÷ (κ − 1 + 2 ÷ (n − 1)) with the effective number n and the kurtosis κ of the strays, which is n − 1 for
        κ = 3; never more than `freedom`.
        Sources: Cramér, Mathematical Methods of Statistics, 1946 (variance of a variance); Satterthwaite, An
        approximate distribution of estimates of variance components, 1946 (the degrees of freedom that match it).
        """
        strays = self.strays(self.mean)
        squares = (strays / np.abs(strays).max()) ** 2  # else the squares of the squares of tiny numbers are 0
        kurtosis = len(squares) * float((squares**2).sum()) / float(squares.sum()) ** 2
        return min(self.freedom, max(2 * self.effective / (kurtosis - 1 + 2 / self.freedom), 1.0))

    @property
    def variance_of_mean(self) -> float:
        """Of the mean over the values, from the spread between units; needs two units or more.

        For clusters of one size it is the variance of their means ÷ clusters. Source: Cochran, Sampling Techniques,
        1977, chapter 9A (ratio to size).
        """
        return self.scatter / len(self.sizes) ** 2 * (self.freedom + 1) / self.freedom


def as_units(values: Floats, clusters: Sequence[str] | None) -> Units:
    """One unit a value, or one a cluster. Raises InputError when the lengths differ."""
    if clusters is None:
        return Units(values, np.ones(len(values)))
    if len(clusters) != len(values):
        raise InputError(f"{len(values)} values but {len(clusters)} clusters")
    places: dict[str, int] = {}
    of_value = np.array([places.setdefault(one, len(places)) for one in clusters], dtype=np.intp)
    return Units(
        np.bincount(of_value, values, minlength=len(places)).astype(np.float64),
        np.bincount(of_value, minlength=len(places)).astype(np.float64),
    )
