"""The first Ctrl-C ends a run in good order; the second ends it at once."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from whichhalf.cli.exit_codes import INCOMPLETE

RESUME = "judge replies had so far are kept, and the same command goes on from there"

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stoppable(quiet: bool) -> Iterator[None]:
    """In the block the first of these signals raises KeyboardInterrupt; the next one ends the process."""
    if threading.current_thread() is not threading.main_thread():  # only there may signals be handled
        yield
        return
    before = {number: signal.getsignal(number) for number in _SIGNALS}

    def end(_number: int, _frame: FrameType | None) -> None:
        if sys.stderr.isatty():
            os.write(2, b"\x1b[?25h\n")  # the progress bar hides the cursor
        os._exit(INCOMPLETE)

    def stop(_number: int, _frame: FrameType | None) -> None:
        for number in _SIGNALS:
            signal.signal(number, end)
        if not quiet:
            os.write(2, b"\nwhichhalf: stopping; calls under way may end. Once more to stop at once\n")
        raise KeyboardInterrupt

    for number in _SIGNALS:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
