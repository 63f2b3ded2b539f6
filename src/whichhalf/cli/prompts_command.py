"""whichhalf prompts list | show | check"""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="The versioned judge prompts.", no_args_is_help=True)

Folder = Annotated[Path | None, typer.Option("--dir", help="A folder of your own, looked up first.")]


@app.command("list")
def list_prompts() -> None:
    """Every packaged prompt with its versions and hashes.

    Example:

    whichhalf prompts list
    """
    from whichhalf.prompting.prompt_folder import list_names, list_versions, load_prompt, packaged_prompts

    folder = packaged_prompts()
    for name in list_names(folder):
        for version in list_versions(folder, name):
            prompt = load_prompt(name, version)
            typer.echo(f"{name}/{version}  {prompt.sha256[:12]}  variables: {', '.join(sorted(prompt.variables))}")


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
def check() -> None:
    """Compare the packaged prompts with the hashes they were released with.

    Example:

    whichhalf prompts check
    """
    from whichhalf.errors import Fault, InputError
    from whichhalf.prompting.check_prompts import lock_faults
    from whichhalf.prompting.prompt_folder import packaged_prompts

    faults = lock_faults(packaged_prompts())
    if faults:
        raise InputError([Fault(fault) for fault in faults])
    typer.echo("every prompt is as it was released")
