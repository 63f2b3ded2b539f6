"""Quantiles and tails of the few distributions the statistics rest on; scipy is loaded at the first call only."""

import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

_PACKAGE = "scipy.special"
_COMPILED = "scipy.special._ufuncs"
"""Holds the functions themselves. The rest of the package fits them to arrays of other libraries, and takes six times
as long to load."""
_FUNCTIONS = ("betaincinv", "stdtrit", "stdtr", "bdtr")


@cache
def load() -> ModuleType:
    """The functions of scipy.special; else loaded by the first call."""
    if _PACKAGE not in sys.modules:
        shortcut = _Shortcut(threading.get_ident())
        sys.meta_path.insert(0, shortcut)
        with suppress(ImportError):
            import_module(_PACKAGE)
        shortcut.thread = None
        functions = shortcut.functions
        if functions is not None and all(hasattr(functions, name) for name in _FUNCTIONS):
            return functions
    return import_module(_PACKAGE)


class _Shortcut(MetaPathFinder):
    """Lets one thread import the functions without the rest of their package, while others that import it wait for
    their turn. Whoever imports it later finds it whole."""

    def __init__(self, thread: int) -> None:
        self.thread: int | None = thread
        self.functions: ModuleType | None = None
        self._package: ModuleType | None = None

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname == _PACKAGE else None
        if spec is not None and spec.loader is not None:
            # the second time the same module again, for it holds those that were imported the first time
            spec.loader.create_module = lambda _: self._package  # type: ignore[method-assign, assignment]
            if self.thread == threading.get_ident():
                spec.loader.exec_module = self._import_functions  # type: ignore[method-assign, assignment]
        return spec

    def _import_functions(self, package: ModuleType) -> None:
        self._package = package
        self.functions = import_module(_COMPILED)
        raise ImportError("the rest is left out: the system forgets the package")


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
