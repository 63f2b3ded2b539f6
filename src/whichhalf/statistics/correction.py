"""Several tests at once: how strong the evidence is when any of them could have come out by chance."""

from collections.abc import Sequence

import numpy as np

from whichhalf.errors import InputError


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values in the order given; rejecting those ≤ 0.05 errs anywhere among them in ≤ 5 % of families.

    p-values sorted upwards: the i-th of m is multiplied by m − i + 1, never falls below the one before, at most 1.
    Valid whatever the dependence between the tests. Raises InputError for a value outside [0, 1].
    Source: Holm, A simple sequentially rejective multiple test procedure, 1979.
    """
    values = np.asarray(p_values, dtype=float)
    if not bool(np.all((values >= 0) & (values <= 1))):
        raise InputError(f"p-values lie in [0, 1]: {list(p_values)}")
    order = np.argsort(values, kind="stable")
    steps = values[order] * np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0) if len(values) else steps
    return [float(value) for value in adjusted]
