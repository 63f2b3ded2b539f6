"""Two versions of a judge prompt on the terminal: scores, flips, what asking takes, and human labels."""

from collections import Counter
from collections.abc import Iterator

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from whichhalf.comparing.comparison import ClaimFlip
from whichhalf.comparing.labelled_claims import LabelComparison, LabelledReader
from whichhalf.comparing.prompt_versions import Asking, PromptComparison
from whichhalf.reporting import comparison_words as words
from whichhalf.reporting.comparison_text import metric_table
from whichhalf.reporting.run_words import counts_in_words
from whichhalf.reporting.terminal_text import number, plain
from whichhalf.statistics.agreement import Estimate

_MOST_SHOWN = 20
_UNREAD = "The offline judge does not read prompts: it answers the same under every version."


def print_prompt_comparison(console: Console, found: PromptComparison) -> None:
    """All of it; lists of flips are cut, and say so."""
    one = found.comparison
    before, after = (asking.version for asking in found.asking)
    console.print()
    console.print(Text(f"{found.prompt}: {before} (A) → {after} (B), {one.pairing.paired} questions", style="bold"))
    if not found.reads_prompts:
        console.print(Text(_UNREAD, style="red"))
    console.print(metric_table(one.metrics, one.rule.alpha))
    for names, reason in words.explanations(one.metrics).items():
        console.print(Padding(Text.assemble((names, "cyan"), f"  {plain(reason)}"), (0, 0, 0, 2)))
    _print_flips(console, found)
    console.print()
    console.print(_asking_table(found))
    if found.labels is not None:
        print_labels(console, found.labels)
    console.print()
    for line in one.rule_in_words:
        console.print(Text(f"• {line}", style="dim"))
    console.print(f"\nRun folders: {one.name_a}, {one.name_b}", soft_wrap=True)


def _print_flips(console: Console, found: PromptComparison) -> None:
    flips = [(case.question, flip) for case in found.flips for flip in case.flips]
    kinds = Counter(_kind(flip) for _, flip in flips)
    console.print()
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    console.print(Text(f"{len(flips)} verdicts flipped" + (f": {told}" if told else ""), style="bold"))
    for question, flip in flips[:_MOST_SHOWN]:
        line = f"{plain(question)}  {plain(words.claim_flip(flip))}  “{plain(flip.claim)}”"
        console.print(Padding(Text(line), (0, 0, 0, 2)))
    _say_more(console, len(flips))


def _kind(flip: ClaimFlip) -> str:
    return words.claim_flip(flip.model_copy(update={"before_passages": (), "after_passages": ()}))


def _say_more(console: Console, count: int) -> None:
    if count > _MOST_SHOWN:
        console.print(Text(f"  and {count - _MOST_SHOWN} more, all of them with --json", style="dim"))


def _asking_table(found: PromptComparison) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title="What asking takes", title_justify="left")
    for title in ("version", "asked", "kept", "lost", "tokens in", "tokens out", "USD"):
        table.add_column(title, justify="left" if title == "version" else "right")
    for one in found.asking:
        table.add_row(*_asking_row(one))
    return table


def _asking_row(one: Asking) -> Iterator[str]:
    yield one.version
    yield from (str(count) for count in (one.asked, one.kept, one.lost))
    yield from ("unknown" if count is None else str(count) for count in (one.prompt_tokens, one.completion_tokens))
    yield "unknown" if one.usd is None else f"{one.usd:.4f}"


def print_labels(console: Console, labels: LabelComparison) -> None:
    console.print()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=f"Beside {labels.labels} labels", title_justify="left")
    for title in ("reader", "sensitivity", "specificity", "balanced accuracy", "kappa", "lost"):
        table.add_column(title)
    for reader in (labels.a, labels.b, labels.overlap):
        table.add_row(*_reader_row(reader))
    console.print(table)
    found = labels.difference
    console.print(
        Text(
            f"B is right where A is wrong on {found.wins} claims, A where B is wrong on {found.losses}: "
            f"p {words.telling(found.p, 0.05)} ({found.test}), difference of right answers "
            f"{words.telling(found.difference, signed=True)} "
            f"({words.telling(found.low, signed=True)} to {words.telling(found.high, signed=True)})"
        )
    )
    console.print(Text("The cut of word overlap is the best one on these very labels, which flatters it.", style="dim"))
    for flip in labels.flips[:_MOST_SHOWN]:
        said = f"A {_called(flip.a)}, B {_called(flip.b)}, people {_called(flip.supported)}"
        console.print(Padding(Text(f"{plain(flip.id)}  {said}  “{plain(flip.claim)}”"), (0, 0, 0, 2)))
    _say_more(console, len(labels.flips))


def _called(supported: bool) -> str:
    return "supported" if supported else "not supported"


def _reader_row(reader: LabelledReader) -> list[str]:
    found = reader.found
    estimates = (found.sensitivity, found.specificity, found.balanced_accuracy, found.kappa)
    return [reader.name, *map(_estimate, estimates), counts_in_words(reader.lost)]


def _estimate(one: Estimate | None) -> str:
    return "–" if one is None else f"{number(one.value)} ({number(one.low)} to {number(one.high)})"
