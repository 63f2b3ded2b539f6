"""A comparison on the terminal: what changed, which way each metric went, and the questions behind it."""

from collections.abc import Iterable, Sequence

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from whichhalf.comparing.comparison import Comparison, MetricComparison, Mover
from whichhalf.reporting import comparison_words as words
from whichhalf.reporting.summary_text import print_contracts
from whichhalf.reporting.terminal_text import plain

_STYLES = {"better": "bold green", "worse": "bold red", "equivalent": "cyan", "not enough data": "yellow"}
_FLIP_STYLES = {"supported": "green", "contradicted": "red", "not_mentioned": "yellow", "unsure": "magenta"}
_MOST_FLIPS = 8


def print_comparison(console: Console, one: Comparison) -> None:
    """Everything a person needs to believe, or doubt, each verdict word."""
    console.print()
    console.print(Text.assemble(("A ", "bold"), plain(one.name_a), "\n", ("B ", "bold"), plain(one.name_b)))
    console.print(Text(f"{one.pairing.paired} questions in both", style="dim"))
    _print_list(console, "Compared all the same, although", map(str, one.warnings), "red")
    changed = [words.change(each, one.pairing.paired) for each in one.changed] or ["nothing: the outputs are the same"]
    _print_list(console, "What changed", changed)
    console.print(metric_table(one.metrics, one.rule.alpha))
    for names, reason in words.explanations(one.metrics).items():
        console.print(Padding(Text.assemble((names, "cyan"), f"  {plain(reason)}"), (0, 0, 0, 2)))
    for tag, values in words.slices_that_differ(one):
        console.print()
        console.print(_slice_table(tag, values))
    _print_movers(console, one.movers)
    _print_list(console, "Cost and latency", words.spending(one))
    _print_list(console, "Good to know", [*one.notes, *words.unpaired(one)])
    _print_list(console, "What the words mean", one.rule_in_words)
    console.print()
    print_contracts(console, {metric.metric: metric.contract for metric in one.metrics})


def _print_list(console: Console, title: str, lines: Iterable[str], style: str = "") -> None:
    shown = list(lines)
    if not shown:
        return
    console.print()
    console.print(Text(title, style=f"bold {style}"))
    for line in shown:
        console.print(Padding(Text(f"• {plain(line)}", style=style), (0, 0, 0, 2)))


def metric_table(metrics: Sequence[MetricComparison], alpha: float) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("metric", overflow="fold")
    for title in ("A", "B", "B − A", f"{1 - alpha:.0%} interval", "p"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("verdict")
    table.add_column("↑ / = / ↓", justify="right", no_wrap=True)
    for half, title in words.HALF_TITLES.items():
        own = [one for one in metrics if one.half == half]
        if own:
            table.add_row(Text(title, style="dim italic"))
        for one in own:
            cells = [*words.means(one), words.interval(one), words.p_value(one, alpha)]
            table.add_row(f"  {one.metric}", *cells, _verdict(one), words.counts(one))
    return table


def _verdict(one: MetricComparison) -> Text:
    return Text(words.verdict(one), style=_STYLES.get(one.verdict or "", "dim"))


def _slice_table(tag: str, values: dict[str, tuple[MetricComparison, ...]]) -> Table:
    """B − A (pairs), and the word where there is one to say."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=f"B − A by {plain(tag)}", title_justify="left")
    table.add_column("metric")
    for value in values:
        table.add_column(plain(value), justify="right")
    for row in words.rows_that_differ(values):
        table.add_row(row[0].metric, *map(_slice_cell, row))
    return table


def _slice_cell(one: MetricComparison) -> Text:
    pairs = 0 if one.paired is None else one.paired.n
    word = one.verdict if one.verdict in ("better", "worse", "equivalent") else ""
    return Text(f"{words.means(one)[2]} ({pairs}) {word}".rstrip(), style=_STYLES.get(word or "", ""))


def _print_movers(console: Console, movers: Sequence[Mover]) -> None:
    heading = ("", "")
    for mover in movers:
        if (mover.half, mover.way) != heading:
            heading = (mover.half, mover.way)
            console.print()
            console.print(Text(f"Questions that moved most: {mover.half}, for the {mover.way}", style="bold"))
        _print_mover(console, mover)


def _print_mover(console: Console, mover: Mover) -> None:
    lines = [
        Text.assemble((plain(mover.question), "bold"), f"  {plain(mover.text)}"),
        Text(plain(" · ".join(map(words.metric_change, mover.changes))), style="cyan"),
        *(Text(plain(f"★ {words.passage_move(move)}")) for move in mover.passages),
    ]
    if mover.half != "retrieval" or not mover.passages:
        lines += _answers(mover)
    for flip in mover.claims[:_MOST_FLIPS]:
        style = _FLIP_STYLES.get(flip.after or flip.before or "", "")
        told = words.claim_flip(flip)
        lines.append(Text.assemble((f"{flip.metric}  ", "dim"), (plain(told), style), f"  “{plain(flip.claim)}”"))
    if len(mover.claims) > _MOST_FLIPS:
        lines.append(Text(f"and {len(mover.claims) - _MOST_FLIPS} more claims", style="dim"))
    console.print(Padding(lines[0], (0, 0, 0, 2)))
    for line in lines[1:]:
        console.print(Padding(line, (0, 0, 0, 6)))


def _answers(mover: Mover) -> list[Text]:
    if mover.answer_a == mover.answer_b:
        return [Text(f"A, B: {plain(mover.answer_a or '(none)')}", style="dim")]
    return [
        Text.assemble((f"{side}: ", "bold"), plain(answer or "(none)"))
        for side, answer in (("A", mover.answer_a), ("B", mover.answer_b))
    ]
