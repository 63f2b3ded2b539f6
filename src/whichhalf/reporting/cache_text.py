"""A reply cache on the terminal."""

from rich import box
from rich.console import Console
from rich.table import Table

from whichhalf.judging.cache_contents import Contents, Damage
from whichhalf.reporting.terminal_text import plain


def print_contents(console: Console, contents: Contents) -> None:
    """A row for every model and version of a prompt, and the sums below."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("prompt")
    table.add_column("model")
    for name in ("replies", "bytes", "tokens in", "tokens out", "price"):
        table.add_column(name, justify="right")
    for one in contents.counts:
        tokens = (_whole(one.prompt_tokens), _whole(one.completion_tokens))
        price = in_dollars(one.usd, one.without_price)
        table.add_row(plain(one.prompt), plain(one.model), _whole(one.replies), _whole(one.bytes), *tokens, price)
    console.print(table)
    counts = contents.counts
    known = [one.usd for one in counts if one.usd is not None]
    price = in_dollars(sum(known) if known else None, sum(one.without_price for one in counts))
    replies, size = sum(one.replies for one in counts), sum(one.bytes for one in counts)
    console.print(f"{_whole(replies)} replies, {_whole(size)} bytes of text; price {price}", soft_wrap=True)
    if contents.damaged:
        console.print(f"{contents.damaged} row(s) cannot be read: see whichhalf cache verify", soft_wrap=True)


def print_damages(console: Console, damages: list[Damage]) -> None:
    """One line for each."""
    for one in damages:
        console.print(plain(f"{one.key or '(no readable key)'}: {one.problem}"), soft_wrap=True)


def in_dollars(usd: float | None, without_price: int) -> str:
    """A price, and for how many replies it is unknown; "unknown" where it is for all, never 0."""
    if usd is None:
        return "unknown"
    return f"{usd:.4f} USD" + (f" ({_whole(without_price)} unknown)" if without_price else "")


def _whole(number: int | None) -> str:
    return "–" if number is None else f"{number:,}"
