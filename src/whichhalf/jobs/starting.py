"""Write a working evaluation into a folder: a config, and a small data set of our own to replace."""

from pathlib import Path

from whichhalf.errors import Fault, InputError
from whichhalf.running.run_folder import write_text
from whichhalf.running.writable import check_writable

STARTER = Path(__file__).parents[1] / "starter"
CONFIG = "eval.toml"


def write_starter(folder: Path) -> list[Path]:
    """The files written, the config first. Raises InputError, and writes nothing, when one of them is there."""
    sources = sorted(STARTER.iterdir(), key=lambda path: (path.name != CONFIG, path.name))
    targets = [folder / source.name for source in sources]
    faults = [Fault("is there already, and is not overwritten", str(path)) for path in targets if path.exists()]
    if folder.exists() and not folder.is_dir():
        faults = [Fault("is not a folder", str(folder))]
    if faults:
        raise InputError(faults)
    check_writable(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for source, target in zip(sources, targets, strict=True):
        write_text(target, source.read_text(encoding="utf-8"))
    return targets
