"""whichhalf answer CONFIG.toml"""

from pathlib import Path
from typing import Annotated

import typer

from whichhalf.cli.exit_codes import INCOMPLETE
from whichhalf.cli.progress import progress_bar


def answer(
    config: Annotated[Path, typer.Argument(help="A config file with an \\[assistant].", show_default=False)],
    prompt: Annotated[str | None, typer.Option(help="Version of the answer prompt, such as v1.")] = None,
    out: Annotated[Path | None, typer.Option(help="The outputs file to write; by default beside the runs.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Ask a seeded sample of this many questions.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be asked; ask nothing.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable result on stdout.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Ask the assistant every question of the golden set and write an outputs file, ready to be scored.

    A model answers from the passages of the config's outputs; a callable or an endpoint searches itself. A stopped
    command goes on where it was: only what is missing, or failed, is asked.

    Examples:

    whichhalf answer configs/answer.toml --out answers.jsonl

    whichhalf answer configs/answer.toml --prompt v1 --limit 10 --json
    """
    from whichhalf.errors import JudgeUnusable, WhichHalfError
    from whichhalf.jobs.answering import answer_questions, check_answering
    from whichhalf.reporting.answer_text import answered_as_json, print_answered, print_to_ask, to_ask_as_json
    from whichhalf.reporting.run_words import counts_in_words
    from whichhalf.reporting.terminal_text import open_console, plain, write_json
    from whichhalf.running.config import read_config

    settings = read_config(config)
    name = config.stem
    if dry_run:
        plan = check_answering(settings, name, out=out, prompt=prompt, limit=limit)
        if as_json:
            write_json(to_ask_as_json(plan))
        elif not quiet:
            print_to_ask(open_console(), plan)
        return
    kept = "answers had so far are kept, and the same command goes on from there"
    try:
        with progress_bar("asking", quiet or as_json) as progress:
            done = answer_questions(settings, name, out=out, prompt=prompt, limit=limit, progress=progress)
    except KeyboardInterrupt:
        raise WhichHalfError(f"stopped; {kept}") from None
    except JudgeUnusable as error:
        raise JudgeUnusable(f"{error}; {kept}") from error
    if as_json:
        write_json(answered_as_json(done))
    elif not quiet:
        console = open_console()
        print_answered(console, done)
        console.print(f"Score it: whichhalf run {config} --outputs {done.file}", soft_wrap=True)
    if done.answered < settings.run.coverage_floor * done.questions:
        first = next(row for row in done.rows if row.error is not None)
        message = f"whichhalf: {done.answered} of {done.questions} questions answered, under the coverage floor "
        message += (
            f"{settings.run.coverage_floor:g}; lost: {counts_in_words(done.failures)}; first {first.id}: {first.error}"
        )
        open_console(stderr=True).print(plain(message), soft_wrap=True)
        raise typer.Exit(INCOMPLETE)
