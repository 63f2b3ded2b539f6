"""whichhalf triage RUN|CONFIG.toml --flags FILE"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from whichhalf.cli.asking import AsJson, Judge, Quiet, ReplayOnly, asking, config_with
from whichhalf.core.options import Rule

if TYPE_CHECKING:
    from whichhalf.triage.label_flagged import Triage


def triage(
    source: Annotated[
        Path, typer.Argument(help="A run folder, or a config: then the flagged answers are scored.", show_default=False)
    ],
    flags: Annotated[
        Path | None,
        typer.Option(help="What experts marked: CSV or JSON Lines with at least `id`. [default: the config's]"),
    ] = None,
    columns: Annotated[
        list[str] | None, typer.Option(metavar="OURS=THEIRS", help="A column of the flags file under its own name.")
    ] = None,
    verdicts: Annotated[
        Path | None, typer.Option(help="The expert's verdicts on the labels of a run: id, expert_half, expert_note.")
    ] = None,
    grow: Annotated[
        Path | None,
        typer.Option(help="With --verdicts: the next version of the golden set, with the confirmed failures."),
    ] = None,
    golden: Annotated[Path | None, typer.Option(help="The golden set to --grow. [default: the run's]")] = None,
    rule: Annotated[Rule | None, typer.Option(help="In place of the config's.")] = None,
    k: Annotated[int | None, typer.Option(min=1, help="How many passages the model sees.")] = None,
    repeats: Annotated[
        int | None, typer.Option(min=1, max=9, help="Judge replies to whatever a label rests on; needs a config.")
    ] = None,
    judge: Judge = None,
    replay_only: ReplayOnly = False,
    replay: Annotated[bool, typer.Option("--replay", help="Ask the assistant again with the needed passages.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Label every answer an expert marked wrong: retrieval, generation or manual, with the reason.

    Examples:

    whichhalf triage runs/demo-2026-11-30T06-00-00 --flags flags.csv

    whichhalf triage configs/demo.toml --flags flags.csv --columns id="Answer no." --repeats 3

    whichhalf triage runs/demo-2026-11-30T06-00-00 --verdicts triage.csv --grow golden-2.jsonl
    """
    from whichhalf.cli.replay_option import replayed
    from whichhalf.jobs.triage import triage_run

    if verdicts is not None:
        _review(source, verdicts, grow, golden, as_json=as_json, quiet=quiet)
        return
    _need({"--grow": grow, "--golden": golden}, "needs --verdicts: only what an expert confirmed is added")
    given = {"flags": flags, "columns": _pairs(columns or []), "rule": rule, "k": k, "repeats": repeats}
    overrides: dict[str, Any] = {name: value for name, value in given.items() if value not in (None, {})}
    if source.is_file():
        labelled, folder = _score_and_label(source, overrides, judge, replay_only, quiet, quiet or as_json)
    else:
        asking = {"--repeats": repeats, "--judge": judge, "--replay-only": replay_only}
        _need(
            asking,
            "needs a judge, and a finished run is labelled without one: whichhalf triage CONFIG.toml",
        )
        labelled, folder = triage_run(source, overrides), source
    if replay:
        labelled = replayed(folder, labelled, as_json or quiet)
    _show(labelled, folder, is_new=source.is_file(), as_json=as_json, quiet=quiet)


def _score_and_label(
    config: Path, overrides: dict[str, Any], judge: str | None, replay_only: bool, quiet: bool, silent: bool
) -> "tuple[Triage, Path]":
    settings = config_with(config, judge, asks=not replay_only)
    from whichhalf.jobs.triage import triage_config

    with asking("scoring", quiet, silent) as progress:
        finished = triage_config(settings, config.stem, overrides, replay_only=replay_only, progress=progress)
    assert finished.triage is not None
    return finished.triage, finished.folder


def _show(labelled: "Triage", folder: Path, *, is_new: bool, as_json: bool, quiet: bool) -> None:
    from whichhalf.reporting.run_json import triage_facts
    from whichhalf.reporting.run_reports import write_reports
    from whichhalf.reporting.strict_json import strict_json
    from whichhalf.reporting.terminal_text import open_console, write_json
    from whichhalf.reporting.triage_text import print_triage

    if as_json:
        write_json(strict_json(triage_facts(labelled)))
    elif not quiet:
        console = open_console()
        print_triage(console, labelled)
        if is_new:
            console.print(f"\nRun folder: {folder}", soft_wrap=True)
    write_reports(folder)


def _review(run: Path, verdicts: Path, grow: Path | None, golden: Path | None, *, as_json: bool, quiet: bool) -> None:
    from whichhalf.jobs.growing import grow_golden
    from whichhalf.reporting.growth_text import growth_facts, print_growth
    from whichhalf.reporting.review_text import print_review, review_facts
    from whichhalf.reporting.strict_json import strict_json
    from whichhalf.reporting.terminal_text import open_console, write_json
    from whichhalf.running.run_folder import read_triage
    from whichhalf.triage.expert_verdicts import read_verdicts, review_labels

    if grow is None:
        _need({"--golden": golden}, "is the golden set to grow: name the new file with --grow")
    said = read_verdicts(verdicts)
    review = review_labels(read_triage(run), said)
    grown = None if grow is None else grow_golden(run, said, grow, golden)
    if as_json:
        facts = review_facts(review)
        if grown is not None:
            facts["grown"] = growth_facts(grown.growth, grown.file, grown.header)
        write_json(strict_json(facts))
    elif not quiet:
        console = open_console()
        print_review(console, review)
        if grown is not None:
            print_growth(console, grown.growth, grown.file, grown.header)


def _pairs(columns: list[str]) -> dict[str, str]:
    from whichhalf.errors import Fault, InputError

    pairs = [one.partition("=") for one in columns]
    wrong = [one for one, (ours, _, theirs) in zip(columns, pairs, strict=True) if not (ours and theirs)]
    if wrong:
        raise InputError(Fault(f"{wrong[0]!r} is not of the form OURS=THEIRS", field="--columns"))
    return {ours.strip(): theirs for ours, _, theirs in pairs}


def _need(options: Mapping[str, object], what: str) -> None:
    """Raises InputError when an option is given that does nothing here."""
    from whichhalf.errors import InputError

    given = [name for name, value in options.items() if value]
    if given:
        raise InputError(f"{', '.join(given)} {what}")
