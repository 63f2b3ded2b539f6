"""whichhalf triage … --replay"""

from pathlib import Path
from typing import TYPE_CHECKING

from whichhalf.cli.progress import progress_bar

if TYPE_CHECKING:
    from whichhalf.triage.label_flagged import Triage


def replayed(run: Path, labelled: "Triage", quiet: bool) -> "Triage":
    """The labels settled by asking the assistant of the run again; what that took is told on stderr."""
    from whichhalf.errors import WhichHalfError
    from whichhalf.jobs.replaying import replay_triage
    from whichhalf.reporting.terminal_text import open_console, plain

    try:
        with progress_bar("asking again", quiet) as progress:
            done = replay_triage(run, labelled, progress)
    except KeyboardInterrupt:
        message = "stopped; replays had so far are kept, and the same command goes on from there"
        raise WhichHalfError(message) from None
    if not quiet:
        console = open_console(stderr=True)
        told = f"Replays: {done.asked} asked now, {done.kept} kept from before, {done.judge_calls} judge calls"
        console.print(told, soft_wrap=True)
        if done.not_offered:
            why = "texts of needed passages, labels or a reference answer are missing"
            console.print(f"Not replayed: {plain(', '.join(done.not_offered))} ({why})", soft_wrap=True)
    return done.triage
