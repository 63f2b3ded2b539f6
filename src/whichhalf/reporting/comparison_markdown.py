"""A comparison for a pull request. Whatever stands in the data can neither break the tables nor mention anybody."""

import re
from collections.abc import Iterator, Sequence

from whichhalf.comparing.comparison import Comparison, MetricComparison, Mover
from whichhalf.reporting import comparison_words as words
from whichhalf.reporting.terminal_text import plain

_LONGEST = 600
_MARKUP = re.compile(r"""[\\`*_{}\[\]<>&|@#~!$:^"']|\.(?=\w)""")
"""What Markdown, HTML or a host of repositories could read as markup, a mention or a link."""
_MARKS = {"better": "🟢", "worse": "🔴", "equivalent": "⚪", "not enough data": "🟡"}


def comparison_as_markdown(one: Comparison) -> str:
    """GitHub's Markdown, which other hosts read as well."""
    return "\n".join(_lines(one)) + "\n"


def inert(text: str) -> str:
    """Text as code: marks are written as entities, and a name in code is never mentioned or linked."""
    short = plain(text)
    short = short if len(short) <= _LONGEST else f"{short[:_LONGEST]} …"
    return f"<code>{_MARKUP.sub(lambda mark: f'&#{ord(mark[0])};', short)}</code>"


def _lines(one: Comparison) -> Iterator[str]:
    yield f"### {inert(one.name_a)} (A) → {inert(one.name_b)} (B)"
    yield ""
    yield f"{one.pairing.paired} questions in both."
    yield from _list("⚠️ Compared all the same, although", [inert(str(each)) for each in one.warnings])
    changed = [inert(words.change(each, one.pairing.paired)) for each in one.changed]
    yield from _list("What changed", changed or ["nothing: the outputs are the same"])
    yield ""
    yield from _metric_table(one.metrics, one.rule.alpha)
    yield from _folded(
        "Why", [f"{inert(names)} {inert(why)}" for names, why in words.explanations(one.metrics).items()]
    )
    for tag, values in words.slices_that_differ(one):
        yield from _slice_table(tag, values)
    for mover in one.movers:
        yield from _folded(
            f"{mover.half}, for the {mover.way}: {inert(mover.question)} {inert(mover.text)}", list(_mover(mover))
        )
    yield from _list("Cost and latency", list(words.spending(one)))
    yield from _list("Good to know", [inert(note) for note in (*one.notes, *words.unpaired(one))])
    yield from _folded("What the words and numbers mean", [*map(inert, one.rule_in_words), *_contracts(one.metrics)])


def _list(title: str, lines: Sequence[str]) -> Iterator[str]:
    if lines:
        yield from ("", f"**{title}**", "", *(f"- {line}" for line in lines))


def _folded(title: str, lines: Sequence[str]) -> Iterator[str]:
    yield from ("", f"<details><summary>{title}</summary>", "", *(f"- {line}" for line in lines), "", "</details>")


def _metric_table(metrics: Sequence[MetricComparison], alpha: float) -> Iterator[str]:
    yield f"| metric | A | B | B − A | {1 - alpha:.0%} interval | p (Holm) | verdict | ↑ / = / ↓ |"
    yield "|---|--:|--:|--:|--:|--:|---|--:|"
    for half, title in words.HALF_TITLES.items():
        own = [one for one in metrics if one.half == half]
        if own:
            yield f"| *{title}* | | | | | | | |"
        for one in own:
            told = f"{_MARKS.get(one.verdict or '', '')} {words.verdict(one)}".strip()
            cells = [*words.means(one), words.interval(one), words.p_value(one, alpha), told, words.counts(one)]
            yield f"| {inert(one.metric)} | {' | '.join(cells)} |"


def _slice_table(tag: str, values: dict[str, tuple[MetricComparison, ...]]) -> Iterator[str]:
    yield from ("", f"<details><summary>B − A by {inert(tag)}</summary>", "")
    yield f"| metric | {' | '.join(map(inert, values))} |"
    yield f"|---|{'--:|' * len(values)}"
    for row in words.rows_that_differ(values):
        cells = [f"{words.means(one)[2]} ({0 if one.paired is None else one.paired.n})" for one in row]
        yield f"| {inert(row[0].metric)} | {' | '.join(cells)} |"
    yield from ("", "</details>")


def _mover(mover: Mover) -> Iterator[str]:
    yield from (inert(words.metric_change(one)) for one in mover.changes)
    yield from (f"★ {inert(words.passage_move(one))}" for one in mover.passages)
    if mover.answer_a == mover.answer_b:
        yield f"A, B: {inert(mover.answer_a or '(none)')}"
    else:
        yield f"A: {inert(mover.answer_a or '(none)')}"
        yield f"B: {inert(mover.answer_b or '(none)')}"
    yield from (f"{one.metric}: {inert(words.claim_flip(one))}: {inert(one.claim)}" for one in mover.claims)


def _contracts(metrics: Sequence[MetricComparison]) -> list[str]:
    return [f"{inert(one.metric)} {inert(one.contract)}" for one in metrics]
