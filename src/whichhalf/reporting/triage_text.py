"""Triage on the terminal: how many each half, then every answer with its reason."""

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from whichhalf.core.diagnosis import GuiltyHalf
from whichhalf.core.ids import a_few
from whichhalf.reporting.fixes import fails_both_ways, fix_rows
from whichhalf.reporting.terminal_text import plain
from whichhalf.triage.flagged import FlaggedAnswer, count_halves
from whichhalf.triage.label_flagged import Triage

_STYLE: dict[GuiltyHalf, str] = {"retrieval": "yellow", "generation": "magenta", "manual": "cyan"}
_WIDEST_ID = 24
"""Longer ids go on below: the reasons need the room."""
_MEANING = {
    "retrieval": "a needed passage did not reach the model",
    "generation": "the passages were there and the model misused them",
    "manual": "a person must look",
}


def print_triage(console: Console, triage: Triage) -> None:
    """The table of halves, the answers, and what was skipped."""
    answers = triage.answers
    console.print()
    fine = f", {triage.fine} checked and found right" if triage.fine else ""
    console.print(
        Text(
            f"Which half failed? {len(answers)} answer{'' if len(answers) == 1 else 's'} marked wrong{fine}",
            style="bold",
        )
    )
    console.print(_halves(answers))
    console.print(_table(answers))
    if answers:
        _print_fixes(console, answers)
        settings = ", ".join(f"{name} {value:g}" for name, value in answers[0].diagnosis.thresholds.items())
        console.print(Text(f"Rule: {answers[0].diagnosis.rule} ({settings}).", style="dim"))
    disputed = [answer.flag.id for answer in answers if answer.is_disputed]
    if disputed:
        many = "answer" if len(disputed) == 1 else "answers"
        console.print(Text(f"Experts disagree on {len(disputed)} {many}: {plain(a_few(disputed))}", style="yellow"))
    for skipped in dict.fromkeys(what for answer in answers for what in answer.diagnosis.skipped):
        console.print(Text(f"Check skipped: {skipped}.", style="dim"))
    for notice in triage.notices:
        console.print(Text(notice, style="yellow"))
    if triage.unknown:
        console.print(Text(f"Flagged, but not in the run: {plain(', '.join(triage.unknown))}", style="red"))


def _print_fixes(console: Console, answers: tuple[FlaggedAnswer, ...]) -> None:
    console.print(Text("What to fix first", style="bold"))
    for row in fix_rows(answers):
        also = f", and {row.also} more that fail elsewhere first" if row.also else ""
        watch = f"; watch {row.fix.watch}" if row.fix.watch else ""
        console.print(Padding(Text(f"{row.fix.name}: {row.labelled} of {len(answers)}{also}{watch}"), (0, 0, 0, 2)))
    both = [answer.flag.id for answer in answers if fails_both_ways(answer.diagnosis)]
    if both:
        console.print(
            Padding(Text(f"Failing both ways, counted once under their label: {plain(', '.join(both))}"), (0, 0, 0, 2))
        )
    console.print()


def _halves(answers: tuple[FlaggedAnswer, ...]) -> Table:
    table = Table.grid(padding=(0, 2))
    for half, count in count_halves(answers).items():
        style = _STYLE[half]  # type: ignore[index]
        bar = Text("█" * min(count, 40), style=style)
        table.add_row(
            Text(f"  {half}", style=style),
            Text(str(count), style="bold"),
            bar,
            Text(_MEANING[half], style="dim"),
        )
    return table


def _table(answers: tuple[FlaggedAnswer, ...]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, leading=1)
    table.add_column("id", overflow="fold", max_width=_WIDEST_ID)
    table.add_column("half")
    table.add_column("reason", no_wrap=True)
    table.add_column("why")
    for answer in answers:
        diagnosis = answer.diagnosis
        half = Text(diagnosis.half, style=_STYLE[diagnosis.half])
        table.add_row(Text(plain(answer.flag.id)), half, diagnosis.reason, _why(answer))
    return table


def _why(answer: FlaggedAnswer) -> Text:
    diagnosis = answer.diagnosis
    why = Text(plain(diagnosis.text))
    for one in diagnosis.also:
        why.append(f"\nalso {one.half}: {one.reason}. {plain(one.text)}", style="dim")
    for flag in (answer.flag, *answer.others):
        said = flag.note if flag.flagged_wrong else f"found it right: {flag.note}".removesuffix(": ")
        if said:
            colon = ": " if flag.flagged_wrong else " "
            why.append(f"\n{plain(flag.by) or 'note'}{colon}{plain(said)}", style="dim italic")
    return why
