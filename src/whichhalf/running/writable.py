"""Find out before anything is asked whether what comes of it can be written."""

import os
from pathlib import Path

from whichhalf.errors import Fault, InputError


def check_writable(folder: Path, field: str = "") -> None:
    """Raises InputError when nothing could be written into a folder, which may be yet to be made."""
    nearest = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK):
        message = "is not a folder that can be written; allow it, or name another"
        raise InputError(Fault(message, str(nearest if nearest.name else nearest.absolute()), field=field))
