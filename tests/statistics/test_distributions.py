"""Of scipy only what is needed is loaded, and whoever needs the rest finds all of it."""

import subprocess
import sys

import pytest

ALONE = (
    "import sys\n"
    "from whichhalf.statistics.distributions import beta_quantile, coin_at_most, load\n"
    "from whichhalf.statistics.distributions import student_below, student_quantile\n"
    "functions = load()\n"
    "assert abs(student_quantile(0.975, 1) - 12.7062047364) < 1e-9\n"  # tan(0.475 π)
    "assert abs(beta_quantile(0.25, 1, 2) - (1 - 0.75 ** 0.5)) < 1e-12\n"  # 1 - (1 - x)² = 1/4
    "assert abs(student_below(1, 1) - 0.75) < 1e-12 and coin_at_most(1, 3) == 0.5\n"
)


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param("assert 'scipy.special' not in sys.modules and 'unittest' not in sys.modules", id="the least"),
        pytest.param(
            "import scipy.special, scipy.stats\n"
            "assert scipy.special.stdtrit is functions.stdtrit and load() is functions\n"
            "assert scipy.special.comb(4, 2) == 6.0 and scipy.stats.t(1).cdf(1) == student_below(1, 1)\n"
            "with scipy.special.errstate(all='raise'):\n"  # looks for modules of the package by their names
            "    try:\n        scipy.special.gammaln(-1.0)\n        raise AssertionError\n"
            "    except scipy.special.SpecialFunctionError:\n        pass\n",
            id="all of it later",
        ),
    ],
)
def test_what_is_loaded(rest: str) -> None:
    _run(ALONE + rest)


def test_what_was_loaded_before_is_used() -> None:
    _run(f"import scipy.special\n{ALONE}assert functions is scipy.special\n")


def test_threads_that_import_the_package_meanwhile_find_all_of_it() -> None:
    _run(
        "import threading, time\n"
        "from whichhalf.statistics import distributions\n"
        "faults = []\n"
        "def others():\n"
        "    try:\n        import scipy.special\n        assert scipy.special.comb(4, 2) == 6.0\n"
        "    except BaseException as error:\n        faults.append(error)\n"
        "threads = [threading.Thread(target=others) for _ in range(4)]\n"
        "original = distributions.import_module\n"
        "def while_others_try(name):\n"
        "    if name == 'scipy.special._ufuncs':\n"
        "        [one.start() for one in threads]\n        time.sleep(0.3)\n"
        "        assert all(one.is_alive() for one in threads)\n"
        "    return original(name)\n"
        "distributions.import_module = while_others_try\n"
        "assert distributions.load().bdtr(1, 3, 0.5) == 0.5\n"
        "assert distributions.load().__name__ == 'scipy.special._ufuncs'\n"
        "[one.join() for one in threads]\nassert not faults, faults\n"
    )


@pytest.mark.parametrize("other", ["_COMPILED = 'scipy.special._elsewhere'", "_FUNCTIONS = ('stdtrit', 'elsewhere')"])
def test_the_whole_package_is_used_where_a_scipy_is_built_otherwise(other: str) -> None:
    _run(
        f"from whichhalf.statistics import distributions\ndistributions.{other}\n"
        "assert distributions.load().__name__ == 'scipy.special'\n"
        "assert distributions.load().comb(4, 2) == 6.0\n"
    )


def _run(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
