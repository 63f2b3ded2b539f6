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
            "assert scipy.special.comb(4, 2) == 6.0 and scipy.stats.t(1).cdf(1) == student_below(1, 1)",
            id="all of it later",
        ),
    ],
)
def test_what_is_loaded(rest: str) -> None:
    subprocess.run([sys.executable, "-c", ALONE + rest], check=True, timeout=60)


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("import scipy.special", id="loaded already"),
        pytest.param(
            "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()",
            id="another thread might load it",
        ),
    ],
)
def test_the_whole_package_is_used_where_that_is_safer(before: str) -> None:
    code = f"{before}\n{ALONE}import scipy.special\nassert functions is scipy.special\n"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_nothing_is_left_behind_where_it_cannot_be_loaded_alone() -> None:
    code = (
        "import sys\nsys.modules['scipy.special._ufuncs_cxx'] = None\n"
        "from whichhalf.statistics import distributions\n"
        "assert distributions._without_the_rest() is None and 'scipy.special' not in sys.modules\n"
        "del sys.modules['scipy.special._ufuncs_cxx']\n"
    )
    subprocess.run([sys.executable, "-c", code + ALONE], check=True, timeout=60)
