"""What scipy names without need is loaded by those who need it."""

import subprocess
import sys


def test_tools_for_developers_are_loaded_by_their_first_use() -> None:
    program = (
        "import sys\n"
        "from whichhalf.statistics.distributions import load, student_quantile\n"
        "assert abs(student_quantile(0.975, 1) - 12.7062047364) < 1e-9\n"  # tan(0.475 π)
        "assert 'numpy.f2py.crackfortran' not in sys.modules and 'unittest' not in sys.modules\n"
        "import numpy\n"
        "numpy.testing.assert_allclose([1.0], [1.0])\n"
        "assert numpy.f2py.get_include().endswith('src')\n"
        "assert 'numpy.f2py.crackfortran' in sys.modules and 'unittest' in sys.modules\n"
        "assert load() is load()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
