"""Quantiles and tails of the few distributions the statistics rest on; scipy is loaded at the first call only."""

import sys
import threading
from functools import cache
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from types import ModuleType

_PACKAGE = "scipy.special"
_COMPILED = "scipy.special._ufuncs"
"""Holds the functions themselves. The rest of the package fits them to arrays of other libraries, and takes six times
as long to load."""


@cache
def load() -> ModuleType:
    """The functions of scipy.special; else loaded by the first call."""
    is_alone = threading.active_count() == 1  # another thread might import the package at this very moment
    return (_without_the_rest() if is_alone and _PACKAGE not in sys.modules else None) or import_module(_PACKAGE)


def _without_the_rest() -> ModuleType | None:
    """None where this scipy is built otherwise."""
    spec = find_spec(_PACKAGE)
    if spec is None:
        return None
    sys.modules[_PACKAGE] = module_from_spec(spec)  # knows where its modules are, and is never run
    try:
        return import_module(_COMPILED)
    except ImportError:
        return None
    finally:
        del sys.modules[_PACKAGE]


def beta_quantile(share: float, a: float, b: float) -> float:
    """The value below which Beta(a, b) holds this share."""
    return float(load().betaincinv(a, b, share))


def student_quantile(share: float, freedom: float) -> float:
    """The value below which Student's t with so many degrees of freedom holds this share."""
    return float(load().stdtrit(freedom, share))


def student_below(value: float, freedom: float) -> float:
    """The share of Student's t below a value."""
    return float(load().stdtr(freedom, value))


def coin_at_most(heads: int, tosses: int) -> float:
    """The chance of at most so many heads in tosses of a fair coin."""
    return float(load().bdtr(heads, tosses, 0.5))
