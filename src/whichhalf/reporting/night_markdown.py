"""A night in Markdown, for a chat or a pull request."""

import re
from collections.abc import Iterator

from whichhalf.core.run import MetricSummary, Run
from whichhalf.reporting.terminal_text import number, plain
from whichhalf.running.night import Night

_MARKS = {"passed": "passed", "failed": "**failed**", "incomplete": "incomplete", "not_compared": "not compared"}


def night_as_markdown(night: Night, run: Run, folder: str) -> str:
    """The verdict, the gates and the means, each with its counts."""
    return "\n".join(_lines(night, run, folder)) + "\n"


def _lines(night: Night, run: Run, folder: str) -> Iterator[str]:
    yield f"## {_safe(night.headline)}"
    yield ""
    yield "| gate | verdict | why |"
    yield "|---|---|---|"
    for one in night.gates:
        yield f"| {_safe(one.gate)} | {_MARKS[one.verdict]} | {_safe(one.sentence)} |"
    if night.canary is not None:
        yield f"| canary | {_MARKS[night.canary.word]} | {_safe(night.canary.sentence)} |"
    yield ""
    yield "| metric | mean | 95 % interval | scored | undefined | failed |"
    yield "|---|---:|---:|---:|---:|---:|"
    for name, summary in run.metrics.items():
        counts = (summary.scored, sum(summary.undefined.values()), sum(summary.failed.values()))
        yield f"| {_safe(name)} | {number(summary.mean)} | {_spread(summary)} | {' | '.join(map(str, counts))} |"
    yield ""
    yield f"{len(run.results)} questions, baseline: {_safe(night.baseline)}. Run folder: {_safe(folder)}"


def _safe(text: str) -> str:
    """One line that can neither break a table, nor be read as markup, nor mention anybody. Made of our own sentences,
    names of folders and values of tags, so it stays readable in a chat that shows it raw."""
    escaped = re.sub(
        r"[\\`*\[\]|~#]|<(?=\S)|(?<!\w)_|_(?!\w)|@(?=[^\W\d])", lambda mark: f"&#{ord(mark[0])};", plain(text)
    )
    return re.sub(r"(?i)\b(https?|www)(?=[:.])", r"\1&#8203;", escaped)


def _spread(one: MetricSummary) -> str:
    return "–" if one.low is None else f"{number(one.low)} to {number(one.high)}"
