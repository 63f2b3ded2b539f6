"""whichhalf cache stats | verify | forget | export | import"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from whichhalf.cli.exit_codes import INCOMPLETE

if TYPE_CHECKING:
    from whichhalf.judging.reply_store import ReplyStore

app = typer.Typer(help="The cache of judge replies, which were paid for.", no_args_is_help=True)

Folder = Annotated[
    Path | None, typer.Option("--cache", help="The cache's folder; by default .whichhalf-cache.", show_default=False)
]
ConfigFile = Annotated[
    Path | None, typer.Option("--config", "-c", help="Take the folder from this config.", show_default=False)
]
AsJson = Annotated[bool, typer.Option("--json", help="Machine-readable result on stdout.")]
File = Annotated[Path, typer.Argument(metavar="FILE", help="Replies as JSON Lines.", show_default=False)]


@app.command()
def stats(cache: Folder = None, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """How many replies are kept, by prompt version and model, with their size, tokens and price.

    Examples:

    whichhalf cache stats

    whichhalf cache stats -c configs/nightly.toml --json
    """
    from whichhalf.judging.cache_contents import contents
    from whichhalf.reporting.cache_text import print_contents
    from whichhalf.reporting.terminal_text import open_console, write_json

    with _opened(cache, config, read_only=True) as store:
        found = contents(store)
    if as_json:
        write_json(found.model_dump_json(indent=2))
    else:
        print_contents(open_console(), found)


@app.command()
def verify(cache: Folder = None, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Read every row, and list by key what is damaged, pickled or unreadable: exit code 3 if there is any.

    Examples:

    whichhalf cache verify --cache .whichhalf-cache

    whichhalf cache verify -c configs/nightly.toml --json
    """
    from whichhalf.judging.cache_contents import damages
    from whichhalf.reporting.cache_text import print_damages
    from whichhalf.reporting.terminal_text import open_console, plain, write_json

    with _opened(cache, config, read_only=True) as store:
        found = damages(store)
        folder = store.folder
    if as_json:
        import json

        write_json(json.dumps([one.model_dump() for one in found], ensure_ascii=False, indent=2))
    elif found:
        print_damages(open_console(), found)
    else:
        open_console().print(f"every row of {plain(str(folder))} can be read", soft_wrap=True)
    if found:
        _say(f"{len(found)} fault(s) in {folder}; whichhalf cache forget --damaged takes such rows out")
        raise typer.Exit(INCOMPLETE)


@app.command()
def forget(
    prompt: Annotated[str | None, typer.Option(help="Replies to this prompt.", show_default=False)] = None,
    version: Annotated[str | None, typer.Option(help="Only to this version of it.", show_default=False)] = None,
    damaged: Annotated[bool, typer.Option("--damaged", help="Rows that cannot be read.")] = False,
    cache: Folder = None,
    config: ConfigFile = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take replies to a prompt, or damaged rows, out of the cache. What it would cost is said and confirmed first.

    Examples:

    whichhalf cache forget --prompt split_claims --version v1

    whichhalf cache forget --damaged --yes
    """
    import json

    from whichhalf.errors import InputError
    from whichhalf.judging.cache_contents import count, damaged_rows, replies_to
    from whichhalf.judging.reply_store import DamagedRow
    from whichhalf.reporting.cache_text import in_dollars
    from whichhalf.reporting.terminal_text import write_json

    if damaged == (prompt is not None) or (version and not prompt):
        raise InputError("say what to forget: --prompt NAME, with --version V for one version only, or --damaged")
    with _opened(cache, config) as store:
        if prompt is None:
            rows = damaged_rows(store)
            _confirm(f"{len(rows)} row(s) that cannot be used go", yes)
            store.forget_damaged([row for row in rows if isinstance(row, DamagedRow)])
            store.forget(row.key for row in rows if not isinstance(row, DamagedRow))
            facts: dict[str, object] = {"forgotten": len(rows)}
        else:
            sums = count(chosen := replies_to(store, prompt, version))
            name = f"{prompt}/{version}" if version else prompt
            _confirm(f"{sums.replies} replies to {name} go, price {in_dollars(sums.usd, sums.without_price)}", yes)
            store.forget(reply.key for reply in chosen)
            facts = {"forgotten": sums.replies, "usd": sums.usd, "without_price": sums.without_price}
    if as_json:
        write_json(json.dumps(facts, indent=2))


@app.command("export")
def export_replies(file: File, cache: Folder = None, config: ConfigFile = None, as_json: AsJson = False) -> None:
    """Write every reply to a file, one a line, in the order of their keys: exit code 3 if a row cannot be read.

    The file can be kept in version control, named under [judge] replies, or imported into another cache.

    Examples:

    whichhalf cache export replies.jsonl

    whichhalf cache export replies.jsonl -c configs/nightly.toml
    """
    from whichhalf.judging.cache_contents import read_all
    from whichhalf.judging.recorded_replies import write_recorded
    from whichhalf.running.writable import check_writable

    check_writable(file.parent)
    with _opened(cache, config, read_only=True) as store:
        found = read_all(store)
    write_recorded(file, found.replies)
    _report(f"{len(found.replies)} replies written to {file}", {"written": len(found.replies)}, as_json)
    if found.damaged:
        _say(f"{found.damaged} row(s) cannot be read and are not in it: see whichhalf cache verify")
        raise typer.Exit(INCOMPLETE)


@app.command("import")
def import_file(
    file: File,
    cache: Folder = None,
    config: ConfigFile = None,
    replace: Annotated[bool, typer.Option("--replace", help="Where replies differ, take the file's.")] = False,
    as_json: AsJson = False,
) -> None:
    """Put the replies of a file into the cache; nothing when one of them differs from what the cache holds.

    Examples:

    whichhalf cache import replies.jsonl

    whichhalf cache import replies.jsonl --cache other-cache --replace
    """
    from whichhalf.judging.cache_contents import import_replies
    from whichhalf.judging.recorded_replies import read_recorded

    replies = read_recorded(file)
    with _opened(cache, config, may_be_new=True) as store:
        done = import_replies(store, replies, replace=replace)
    _report(f"{done.added} replies added, {done.replaced} replaced, {done.same} were there", done.model_dump(), as_json)


@contextmanager
def _opened(
    cache: Path | None, config: Path | None, *, may_be_new: bool = False, read_only: bool = False
) -> Iterator["ReplyStore"]:
    """Raises InputError when the folder holds no cache: looking must not make one."""
    from whichhalf.errors import Fault, InputError
    from whichhalf.judging.reply_store import ReplyStore
    from whichhalf.running.config import RunSettings, read_config

    if cache is not None and config is not None:
        raise InputError("give --cache or --config, not both")
    folder = cache or (read_config(config).run if config else RunSettings()).cache
    if not may_be_new and not ReplyStore.is_at(folder):
        raise InputError(Fault("holds no reply cache", str(folder)))
    store = ReplyStore(folder, read_only=read_only)
    try:
        yield store
    finally:
        store.close()


def _confirm(what: str, yes: bool) -> None:
    """Raises InputError unless the user agrees. Asks on stderr: stdout is for results."""
    from whichhalf.errors import InputError

    _say(what)
    if not yes:
        typer.echo("Forget them? [y/N] ", err=True, nl=False)
        if sys.stdin.readline().strip().casefold() not in {"y", "yes"}:
            raise InputError("nothing was forgotten; --yes forgets without asking")


def _report(sentence: str, facts: dict[str, int], as_json: bool) -> None:
    import json

    from whichhalf.reporting.terminal_text import open_console, plain, write_json

    if as_json:
        write_json(json.dumps(facts, indent=2))
    else:
        open_console().print(plain(sentence), soft_wrap=True)


def _say(sentence: str) -> None:
    """On stderr."""
    from whichhalf.reporting.terminal_text import open_console, plain

    open_console(stderr=True).print(f"whichhalf: {plain(sentence)}", soft_wrap=True)
