"""Where the page of a comparison is written."""

from collections.abc import Sequence
from pathlib import Path

from whichhalf.comparing.comparison import Comparison
from whichhalf.errors import InputError
from whichhalf.reporting.comparison_page import comparison_page
from whichhalf.running.run_folder import write_text

COMPARISON_PAGE = "comparison.html"


def write_comparison(comparisons: Sequence[Comparison], out: Path) -> Path:
    """Write, or replace, an .html file, or comparison.html in a folder that is made where it is missing.

    Raises InputError when `out` is a file of another kind.
    """
    is_page = out.suffix.casefold() in (".html", ".htm")
    if out.is_file() and not is_page:
        raise InputError(f"{out} is a file: --out takes an .html file or a folder")
    path = out if is_page else out / COMPARISON_PAGE
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, comparison_page(comparisons))
    return path
