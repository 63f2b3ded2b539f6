"""The `whichhalf` command. Every command imports what it needs when it is called: `--help` stays fast."""

import gc
import os
import sys
import traceback
from collections.abc import Sequence

import typer

from whichhalf.cli.answer_command import answer
from whichhalf.cli.cache_command import app as cache
from whichhalf.cli.canary_command import app as canary
from whichhalf.cli.compare_command import compare
from whichhalf.cli.exit_codes import INCOMPLETE, INPUT
from whichhalf.cli.golden_command import app as golden
from whichhalf.cli.history_command import history
from whichhalf.cli.init_command import init
from whichhalf.cli.metrics_command import metrics
from whichhalf.cli.nightly_command import nightly
from whichhalf.cli.prompts_command import app as prompts
from whichhalf.cli.prompts_compare_command import compare_versions
from whichhalf.cli.report_command import report
from whichhalf.cli.retrieval_command import retrieval
from whichhalf.cli.run_command import run
from whichhalf.cli.show_command import show
from whichhalf.cli.triage_command import triage
from whichhalf.cli.validate_command import validate
from whichhalf.errors import Fault, InputError, WhichHalfError

_MOST_SHOWN = 30

app = typer.Typer(
    help="Which half of a retrieval-augmented assistant failed: retrieval or generation?",
    epilog="Exit codes: 0 fine · 1 a gate failed · 2 bad usage or input, nothing was spent · 3 incomplete.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)
for command in (
    init,
    run,
    answer,
    triage,
    show,
    compare,
    nightly,
    history,
    report,
    retrieval,
    metrics,
    validate,
):
    app.command()(command)
prompts.command("compare")(compare_versions)
app.add_typer(prompts, name="prompts")
app.add_typer(cache, name="cache")
app.add_typer(canary, name="canary")
app.add_typer(golden, name="golden")


def main() -> None:
    """Entry point. Known errors become one message and an exit code; anything else is a bug and shows itself."""
    from whichhalf.reporting.terminal_text import let_no_text_crash

    let_no_text_crash()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's other threads wait by spinning, and find little to do
    gc.set_threshold(500_000, 20, 20)  # much is made, little in cycles: looking for those took a tenth of a run
    try:
        app()
    except InputError as error:
        _say(_folded(error.faults))
        sys.exit(INPUT)
    except WhichHalfError as error:
        _say([str(error)])
        sys.exit(INCOMPLETE)
    except OSError as error:  # a full disk, a folder that may not be written
        _say([_in_words(error)])
        sys.exit(INCOMPLETE)
    except Exception:  # noqa: BLE001  a bug is shown in full, and never taken for a gate that failed
        traceback.print_exc()
        sys.exit(INCOMPLETE)
    finally:
        if "whichhalf.assistants.functions" not in sys.modules:  # else objects of others may have something to do
            gc.freeze()  # the system takes all of it back at once: looking through it first took a sixth of a rerun


def _in_words(error: OSError) -> str:
    what = error.strerror or str(error)
    remedy = "; allow it, or name another place" if isinstance(error, PermissionError | NotADirectoryError) else ""
    return f"{error.filename}: {what}{remedy}" if error.filename else f"{what}{remedy}"


def _folded(faults: Sequence[Fault]) -> list[str]:
    """One message for a fault that many lines of a file have, where the first of them is named."""
    alike: dict[tuple[str, str, str], list[Fault]] = {}
    for fault in faults:
        alike.setdefault((fault.file, fault.field, fault.message), []).append(fault)
    more = {1: "", 2: " (and on 1 more line)"}
    return [f"{same[0]}{more.get(len(same), f' (and on {len(same) - 1} more lines)')}" for same in alike.values()]


def _say(lines: list[str]) -> None:
    from whichhalf.reporting.terminal_text import open_console, plain

    console = open_console(stderr=True)
    for line in lines[:_MOST_SHOWN]:
        console.print(f"whichhalf: {plain(line)}", soft_wrap=True)
    if len(lines) > _MOST_SHOWN:
        console.print(f"whichhalf: and {len(lines) - _MOST_SHOWN} more faults")
