"""whichhalf golden freeze CONFIG.toml NEW.jsonl"""

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Golden sets: freeze the labels with what the passages say today.", no_args_is_help=True)


@app.callback()
def golden() -> None:
    """Golden sets: freeze the labels with what the passages say today."""


@app.command()
def freeze(
    config: Annotated[Path, typer.Argument(help="The config with golden set and corpus.", show_default=False)],
    out: Annotated[Path, typer.Argument(help="The new golden set: NAME.jsonl.", show_default=False)],
    version: Annotated[str | None, typer.Option(help="Of the new golden set. [default: the old one, raised]")] = None,
    corpus_version: Annotated[str | None, typer.Option(help="Of the corpus. [default: as it was]")] = None,
) -> None:
    """Write the golden set again, with a hash of the text of every labelled passage.

    Triage can then tell that a labelled passage was rewritten (`manual: stale_source`). Nothing is overwritten, and
    no judge is asked.

    Example:

    whichhalf golden freeze configs/demo.toml golden-2.jsonl
    """
    from whichhalf.core.ids import a_few
    from whichhalf.jobs.golden_freezing import freeze_golden
    from whichhalf.reporting.terminal_text import open_console, plain
    from whichhalf.running.config import read_config

    frozen = freeze_golden(read_config(config), out, version=version, corpus_version=corpus_version)
    labels, header = frozen.labels, frozen.header
    of_corpus = f", corpus version {header['corpus_version']}" if "corpus_version" in header else ""
    lines = [
        f"{out}: {header['golden_set']}, version {header['version']}{of_corpus}; {len(labels.questions)} questions, "
        f"the texts of {labels.passages} labelled passages frozen"
    ]
    if labels.changed:
        told = [f"{passage} ({', '.join(questions)})" for passage, questions in labels.changed.items()]
        lines.append(f"Rewritten since the last freeze, so look at the labels of: {a_few(told)}")
        if corpus_version is None:
            lines.append("The corpus changed: give it a version of its own with --corpus-version")
    console = open_console()
    for line in lines:
        console.print(plain(line), soft_wrap=True)
