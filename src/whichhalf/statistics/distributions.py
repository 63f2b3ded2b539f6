"""Quantiles and tails of the few distributions the statistics rest on; scipy is loaded at the first call only."""

import sys
from functools import cache
from importlib import import_module
from importlib.util import LazyLoader, find_spec, module_from_spec
from types import ModuleType

_UNUSED = ("f2py", "testing")
"""Tools of numpy for developers, which scipy names, and would load: it takes as long as all it needs itself."""


@cache
def load() -> ModuleType:
    """scipy.special; else loaded by the first call."""
    numpy = import_module("numpy")
    for name in _UNUSED:
        _load_when_used(numpy, name)
    return import_module("scipy.special")


def _load_when_used(package: ModuleType, name: str) -> None:
    """Put a module of a package in its place, to be loaded by the first use of anything in it."""
    full_name = f"{package.__name__}.{name}"
    spec = None if full_name in sys.modules else find_spec(full_name)
    if spec is None or spec.loader is None:
        return
    spec.loader = LazyLoader(spec.loader)
    module = sys.modules[full_name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    setattr(package, name, module)


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
