"""One case on the terminal for an expert to read: what was asked, found and said, and how each claim was judged."""

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from whichhalf.core.case import Case, Passage
from whichhalf.core.claim import Label, Verdict
from whichhalf.core.outcome import Failed, Outcome, Scored
from whichhalf.core.run import CaseResult
from whichhalf.reporting.case_view import claim_tables
from whichhalf.reporting.reason_words import words_of
from whichhalf.reporting.terminal_text import number, plain
from whichhalf.triage.flagged import FlaggedAnswer

_MARK: dict[Label, tuple[str, str]] = {
    "supported": ("✓", "green"),
    "contradicted": ("✗", "red"),
    "not_mentioned": ("–", "yellow"),
    "unsure": ("?", "magenta"),
}


def print_case(console: Console, result: CaseResult, flagged: FlaggedAnswer | None = None) -> None:
    """Question, answers, passages, every metric with its claims, verdicts and quotes, and the label if it has one."""
    case = result.case
    _head(console, "Question", case.question.text, case.id)
    for reference in case.question.reference_answers:
        _head(console, "Reference answer", reference)
    _head(console, "Answer", case.answer or "(none)")
    _print_passages(console, case)
    console.print(_outcome_table(result.outcomes))
    for table in claim_tables(result.outcomes):
        console.print(Text(", ".join(table.metrics), style="bold cyan"))
        for verdict in table.verdicts:
            _print_verdict(console, verdict)
    if flagged is not None:
        console.print()
        _print_label(console, flagged)


def _print_label(console: Console, flagged: FlaggedAnswer) -> None:
    """The label with what later checks would have said, and what experts said of the answer."""
    diagnosis = flagged.diagnosis
    detail = words_of(diagnosis.detail).plain if diagnosis.detail else ""
    _head(console, f"Label: {diagnosis.half} · {diagnosis.reason}", f"{diagnosis.text} {detail}".rstrip())
    for one in diagnosis.also:
        _head(console, f"Also: {one.half} · {one.reason}", one.text)
    for flag in (flagged.flag, *flagged.others):
        said = "marked wrong" if flag.flagged_wrong else "found right"
        _head(console, f"{plain(flag.by) or 'An expert'}: {said}", flag.note or "(no note)")


def _head(console: Console, what: str, text: str, note: str = "") -> None:
    console.print(Text(what, style="bold"), Text(plain(note), style="dim"))
    console.print(Padding(Text(plain(text)), (0, 0, 1, 2)))


def _print_passages(console: Console, case: Case) -> None:
    relevant = {passage for passage, grade in case.question.relevant.items() if grade > 0}
    shown = case.context if case.context is not None else case.ranking(case.last_ranking)
    where = "the model saw" if case.context is not None else "retrieved; the context was not logged"
    console.print(Text(f"Passages {where}", style="bold"), Text("★ = labelled relevant", style="dim"))
    for rank, passage in enumerate(shown or (), start=1):
        console.print(Padding(_passage(rank, passage, passage.id in relevant), (0, 0, 0, 2)))
    reached = {passage.id for passage in shown or ()}
    if relevant - reached:
        missing = ", ".join(one for one in case.question.relevant if one in relevant - reached)
        console.print(Padding(Text(f"missing: {plain(missing)}", style="yellow"), (0, 0, 0, 2)))
    console.print()


def _passage(rank: int, passage: Passage, is_relevant: bool) -> Text:
    star = "★" if is_relevant else " "
    return Text.assemble(f"{rank}. {star} ", (plain(passage.id), "bold"), f"  {plain(passage.text or '(no text)')}")


def _outcome_table(outcomes: dict[str, Outcome]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("metric", "value", "notes"):
        table.add_column(column, justify="right" if column == "value" else "left")
    for name, outcome in outcomes.items():
        if isinstance(outcome, Scored):
            table.add_row(name, number(outcome.value), plain("; ".join(outcome.notes)))
        elif isinstance(outcome, Failed):
            table.add_row(name, "–", Text(plain(f"failed: {outcome.error}: {outcome.message}"), style="red"))
        else:
            table.add_row(name, "–", plain("; ".join([f"undefined: {outcome.because}", *outcome.notes])))
    return table


def _print_verdict(console: Console, verdict: Verdict) -> None:
    sign, style = _MARK[verdict.label]
    line = Text.assemble((f"{sign} ", style), plain(verdict.claim.text), (f"  {verdict.label}", style))
    console.print(Padding(line, (0, 0, 0, 2)))
    for place in verdict.evidence:
        console.print(Padding(Text(f"{plain(place.passage)}: “{plain(place.quote)}”", style="dim"), (0, 0, 0, 6)))
    if verdict.reason:
        console.print(Padding(Text(plain(verdict.reason), style="dim italic"), (0, 0, 0, 6)))
