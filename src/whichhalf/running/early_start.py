"""Begin to load the judge's SDK while the rest of the program loads, where a run is about to ask for certain.

Loading either takes a second: side by side, a first run begins to ask that much sooner.
"""

import tomllib
from contextlib import suppress
from pathlib import Path

from whichhalf.judging.model_names import is_free
from whichhalf.judging.sdk_process import begin_to_load

CACHE = Path(".whichhalf-cache")
"""Where replies are kept unless a config says otherwise."""


def begin_early(config: Path, judge: str | None = None) -> None:
    """Where no reply is kept yet and the judge is one that is asked over a network. `judge` replaces the config's.

    This reads no more of the file than it must, before the readers of configs are loaded: they tell what is wrong.
    """
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        settings = tomllib.loads(config.read_text(encoding="utf-8"))
        model = judge or settings["judge"]["model"]
        cache = config.parent / settings.get("run", {}).get("cache", CACHE)
        if settings["metrics"]["judged"] and not is_free(model) and not cache.exists():
            begin_to_load(model)
