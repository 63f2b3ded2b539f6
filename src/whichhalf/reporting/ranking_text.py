"""Retrieval scores on the terminal and as JSON."""

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from whichhalf.reporting.breakdown_text import print_curves
from whichhalf.reporting.strict_json import strict_json
from whichhalf.reporting.summary_text import metric_table, print_contracts, print_interval_methods
from whichhalf.reporting.terminal_text import number, plain
from whichhalf.running.evaluate_ranking import RankingScores


def print_ranking(console: Console, scores: RankingScores, *, per_question: bool = False, micro: bool = False) -> None:
    """Means with counts and contracts; one row a question on request."""
    if per_question:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        table.add_column("question", overflow="fold")
        for name in scores.summary:  # the stage stands in the table of means: here it would cost the name its cut
            table.add_column(name.partition("[")[0], justify="right", overflow="fold")
        for question, row in scores.per_question.items():
            table.add_row(Text(plain(question)), *(number(value) for value in row.values()))
        console.print(table)
    console.print(metric_table(scores.summary, micro=micro))
    if scores.curve:
        print_curves(console, {"retrieved": scores.curve})
        console.print()
    print_contracts(console, {name: one.contract for name, one in scores.summary.items()})
    print_interval_methods(console, scores.summary)
    for what, ids in _left_out(scores):
        console.print(Text(f"{len(ids)} {what}: {plain(', '.join(ids[:5]))}" + (" …" if len(ids) > 5 else "")))


def ranking_as_json(scores: RankingScores, per_question: bool) -> str:
    """One JSON object: means with counts, and the questions left out or counted as 0."""
    facts: dict[str, object] = {
        "metrics": {name: summary.model_dump(mode="json") for name, summary in scores.summary.items()},
        "curve": scores.curve.model_dump() if scores.curve else None,
        "without_output": list(scores.without_output),
        "without_labels": list(scores.without_labels),
        "repeating": list(scores.repeating),
    }
    if per_question:
        facts["per_question"] = scores.per_question
    return strict_json(facts)


def _left_out(scores: RankingScores) -> list[tuple[str, tuple[str, ...]]]:
    parts = [
        ("question(s) with labels are not in the run, counted as 0", scores.without_output),
        ("question(s) of the run have no labels, left out", scores.without_labels),
        ("question(s) of the run repeat a passage id", scores.repeating),
    ]
    return [(what, ids) for what, ids in parts if ids]
