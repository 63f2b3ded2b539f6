"""whichhalf prompts compare NAME V1 V2 -c CONFIG"""

from pathlib import Path
from typing import Annotated

import typer

from whichhalf.cli.exit_codes import INCOMPLETE
from whichhalf.cli.progress import progress_bar


def compare_versions(
    name: Annotated[str, typer.Argument(help="A judge prompt such as verify_claims, or answer.")],
    first: Annotated[str, typer.Argument(metavar="V1", help="The version it is compared with.")],
    second: Annotated[str, typer.Argument(metavar="V2", help="The version on trial.")],
    config: Annotated[Path, typer.Option("--config", "-c", help="Data, judge and metrics.")],
    labels: Annotated[
        Path | None, typer.Option(help="Claims that people checked: JSON Lines with id, claim, passages, supported.")
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option("--column", metavar="OURS=THEIRS", help="For labels of another shape: claim=answer."),
    ] = None,
    margin: Annotated[float, typer.Option(min=1e-6, max=1, help="Differences within ± this do not matter.")] = 0.02,
    limit: Annotated[int | None, typer.Option(min=1, help="Use a seeded sample of this many questions.")] = None,
    replay_only: Annotated[bool, typer.Option("--replay-only", help="Use kept replies only; call no judge.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable result on stdout.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
) -> None:
    """Try two versions of a prompt on the same cases.

    A judge prompt: which scores shift, which verdicts flip, what asking takes; with labels, how often each version
    agrees with people. The answer prompt (`answer`): the assistant answers with each version, and both are scored.

    Examples:

    whichhalf prompts compare verify_claims v1 v2 -c configs/nightly.toml

    whichhalf prompts compare verify_claims v1 v2 -c nightly.toml --labels checked.jsonl --column claim=answer

    whichhalf prompts compare answer v1 v2 -c configs/answer.toml
    """
    from whichhalf.assistants.prompted_model import ANSWER
    from whichhalf.comparing.compare_runs import Settings
    from whichhalf.comparing.comparison import Rule
    from whichhalf.datasets.claim_labels import read_claim_labels
    from whichhalf.errors import InputError, WhichHalfError
    from whichhalf.jobs.answer_prompt_comparison import compare_answer_prompts
    from whichhalf.jobs.prompt_comparison import compare_prompts
    from whichhalf.reporting.comparison_json import comparisons_as_json
    from whichhalf.reporting.comparison_text import print_comparison
    from whichhalf.reporting.prompt_comparison_text import print_prompt_comparison
    from whichhalf.reporting.terminal_text import open_console, write_json
    from whichhalf.running.config import read_config

    settings = read_config(config)
    rule = Rule(margin=margin, coverage_floor=settings.run.coverage_floor)
    versions, how = (first, second), Settings(rule)
    if name == ANSWER and (labels is not None or replay_only):
        raise InputError("--labels and --replay-only are for judge prompts, not for the answer prompt")
    claims = read_claim_labels(labels, _pairs(columns or [])) if labels is not None else ()
    try:
        with progress_bar("scoring", quiet or as_json) as progress:
            if name == ANSWER:
                compared = compare_answer_prompts(settings, config.stem, versions, how, limit=limit, progress=progress)
            else:
                found = compare_prompts(
                    settings,
                    name,
                    versions,
                    how,
                    labels=claims,
                    limit=limit,
                    replay_only=replay_only,
                    progress=progress,
                )
                compared = found.comparison
    except KeyboardInterrupt:  # see run_command
        message = "stopped; replies had so far are kept, and the same command goes on from there"
        raise WhichHalfError(message) from None
    if as_json:
        write_json(comparisons_as_json([compared]) if name == ANSWER else found.model_dump_json(indent=2))
    elif not quiet and name == ANSWER:
        print_comparison(open_console(), compared)
    elif not quiet:
        print_prompt_comparison(open_console(), found)
    if any(metric.coverage < rule.coverage_floor for metric in compared.metrics):
        raise typer.Exit(INCOMPLETE)


def _pairs(columns: list[str]) -> dict[str, str]:
    from whichhalf.errors import InputError

    pairs = {}
    for column in columns:
        ours, equals, theirs = column.partition("=")
        if not (ours and equals):
            raise InputError(f"--column looks like claim=answer, not {column!r}")
        pairs[ours] = theirs
    return pairs
