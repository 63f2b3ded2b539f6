"""What users import is an explicit, short list, and importing it costs next to nothing."""

import subprocess
import sys

import whichhalf


def test_every_public_name_loads() -> None:
    assert len(whichhalf.__all__) < 25
    assert list(whichhalf.__all__) == sorted(whichhalf.__all__)
    for name in whichhalf.__all__:
        assert getattr(whichhalf, name).__name__ == name


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(whichhalf, "no_such_name")


def test_import_loads_no_heavy_library() -> None:
    code = (
        "import sys, whichhalf; whichhalf.evaluate; whichhalf.which_half_failed;"
        "print([name for name in ('openai', 'litellm', 'scipy', 'pandas', 'rich') if name in sys.modules])"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"
