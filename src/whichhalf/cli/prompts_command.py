"""whichhalf prompts list | show | diff | check"""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="The versioned judge prompts.", no_args_is_help=True)

Folder = Annotated[Path | None, typer.Option("--dir", help="A folder of your own, looked up first.")]


@app.command("list")
def list_prompts() -> None:
    """Every packaged prompt with its versions, hashes and reasons.

    Example:

    whichhalf prompts list
    """
    from whichhalf.prompting.prompt_folder import list_names, list_versions, packaged_prompts

    folder = packaged_prompts()
    for name in list_names(folder):
        for version in list_versions(folder, name):
            heading, reason = _facts(name, version, None)
            typer.echo(heading)
            typer.echo(f"    {reason.partition(chr(10))[0]}")


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
) -> None:
    """What differs between two versions of a prompt: reasons, hashes, variables, and the template line by line.

    Example:

    whichhalf prompts diff verify_claims v1 v2
    """
    from difflib import unified_diff

    from whichhalf.prompting.prompt_folder import load_prompt

    for facts in [_facts(name, version, own) for version in (first, second)]:
        typer.echo("\n".join(facts) + "\n")
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
