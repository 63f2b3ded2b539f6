"""whichhalf prompts list | show | diff | check"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from whichhalf.judging.kept_by_prompt import KeptByPrompt, KeptReplies

app = typer.Typer(help="The versioned judge prompts.", no_args_is_help=True)

Folder = Annotated[Path | None, typer.Option("--dir", help="A folder of your own, looked up first.")]


Cache = Annotated[
    Path | None, typer.Option("--cache", help="Tell what hangs on each version in this cache.", show_default=False)
]
ConfigFile = Annotated[
    Path | None,
    typer.Option("--config", "-c", help="Take prompt folder, cache and replies from this config.", show_default=False),
]


@app.command("list")
def list_prompts(own: Folder = None, cache: Cache = None, config: ConfigFile = None) -> None:
    """Every prompt with its versions, hashes and reasons.

    With --cache or --config also how many kept replies hang on each version, and about what it costs to ask for them
    anew, as an edit would. Other prompts may follow: new claims need new verdicts.

    Examples:

    whichhalf prompts list

    whichhalf prompts list -c configs/nightly.toml
    """
    from whichhalf.prompting.prompt_folder import list_names, list_versions, packaged_prompts
    from whichhalf.reporting.terminal_text import plain

    own, kept = _own_and_kept(own, cache, config)
    folders = [folder for folder in (own, packaged_prompts()) if folder]
    found = {
        (name, version) for folder in folders for name in list_names(folder) for version in list_versions(folder, name)
    }
    for name, version in sorted(found, key=lambda one: (one[0], int(one[1][1:]))):
        heading, reason = _facts(name, version, own)
        typer.echo(heading)
        typer.echo(f"    {reason.partition(chr(10))[0]}")
        if kept:
            typer.echo(f"    {_hanging(kept.by_prompt.get(f'{name}/{version}'))}")
    if kept:
        for prompt in sorted(kept.by_prompt.keys() - {f"{name}/{version}" for name, version in found}):
            typer.echo(f"{plain(prompt)}  its template is not here\n    {_hanging(kept.by_prompt[prompt])}")


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A prompt, or one version: split_claims or split_claims/v1.")],
    own: Folder = None,
) -> None:
    """Print the template of a prompt; the newest version where none is named.

    Examples:

    whichhalf prompts show split_claims

    whichhalf prompts show split_claims/v1 --dir my-prompts
    """
    from whichhalf.prompting.prompt_folder import load_prompt

    base, _, version = name.partition("/")
    typer.echo(load_prompt(base, version or None, own).text)


@app.command()
def diff(
    name: Annotated[str, typer.Argument(help="A prompt, for example verify_claims.")],
    first: Annotated[str, typer.Argument(help="A version, for example v1.")],
    second: Annotated[str, typer.Argument(help="The version to compare it with.")],
    own: Folder = None,
    cache: Cache = None,
    config: ConfigFile = None,
) -> None:
    """What differs between two versions of a prompt: reasons, hashes, variables, and the template line by line.

    With --cache or --config also how many kept replies hang on each, and about what it costs to ask for them anew.

    Examples:

    whichhalf prompts diff verify_claims v1 v2

    whichhalf prompts diff verify_claims v1 v3 -c configs/nightly.toml
    """
    from difflib import unified_diff

    from whichhalf.prompting.prompt_folder import load_prompt

    own, kept = _own_and_kept(own, cache, config)
    for version, facts in [(version, _facts(name, version, own)) for version in (first, second)]:
        hanging = [_hanging(kept.by_prompt.get(f"{name}/{version}"))] if kept else []
        typer.echo("\n".join([*facts, *hanging]) + "\n")
    old, new = (load_prompt(name, version, own).text.splitlines() for version in (first, second))
    lines = list(unified_diff(old, new, f"{name}/{first}", f"{name}/{second}", lineterm=""))
    typer.echo("\n".join(lines) if lines else "the templates are the same")


@app.command()
def check(own: Folder = None) -> None:
    """Compare the packaged prompts, or those of --dir, with their lock, and render each with hostile text.

    Examples:

    whichhalf prompts check

    whichhalf prompts check --dir my-prompts
    """
    from whichhalf.errors import Fault, InputError
    from whichhalf.prompting.check_prompts import prompt_faults
    from whichhalf.prompting.lock import LOCK
    from whichhalf.prompting.prompt_folder import list_names, packaged_prompts

    folder = own or packaged_prompts()
    if not list_names(folder):
        raise InputError(f"{folder} holds no prompts")
    faults = prompt_faults(folder)
    if faults:
        raise InputError([Fault(fault) for fault in faults])
    released = "is as it was released, and " if (folder / LOCK).is_file() else ""
    typer.echo(f"every prompt {released}keeps hostile text between its fences")


def _facts(name: str, version: str, own: Path | None) -> tuple[str, str]:
    """One line of what a version is, and its reason."""
    from whichhalf.prompting.changelog import read_entry
    from whichhalf.prompting.lock import Releases, read_lock
    from whichhalf.prompting.prompt_folder import find_prompt, load_prompt

    prompt, folder = load_prompt(name, version, own), find_prompt(name, version, own).parent
    variables = f"variables: {', '.join(sorted(prompt.variables))}"
    on_trial = ["on trial"] if version in read_lock(folder.parent).get(name, Releases()).on_trial else []
    heading = "  ".join([f"{name}/{version}", prompt.sha256[:12], variables, *on_trial])
    return heading, read_entry(folder, version) or "no reason is written down"


def _own_and_kept(
    own: Path | None, cache: Path | None, config: Path | None
) -> tuple[Path | None, "KeptByPrompt | None"]:
    """The folder looked up first, and what hangs on the prompts; None where neither cache nor config was given.

    A cache that is not there, and rows that cannot be read, are told on stderr: they are no fault of the prompts.
    """
    from whichhalf.errors import InputError
    from whichhalf.judging.kept_by_prompt import kept_by_prompt
    from whichhalf.judging.recorded_replies import read_recorded
    from whichhalf.reporting.terminal_text import plain
    from whichhalf.running.config import read_config

    if cache is not None and config is not None:
        raise InputError("give --cache or --config, not both")
    settings = read_config(config) if config else None
    folder = settings.run.cache if settings else cache
    if folder is None:
        return own, None
    replies = settings.judge.replies if settings else None
    kept = kept_by_prompt(folder, read_recorded(replies) if replies else {})
    if not kept.has_cache:
        typer.echo(f"whichhalf: {plain(str(folder))} holds no reply cache", err=True)
    if kept.damaged:
        typer.echo(f"whichhalf: {kept.damaged} row(s) cannot be read: see whichhalf cache verify", err=True)
    return own or (settings.prompts.dir if settings else None), kept


def _hanging(kept: "KeptReplies | None") -> str:
    from whichhalf.reporting.cache_text import in_dollars

    if kept is None:
        return "no kept replies"
    number = "1 kept reply" if kept.replies == 1 else f"{kept.replies:,} kept replies"
    return f"{number}; price of asking anew: {in_dollars(kept.usd, kept.without_price)}"
