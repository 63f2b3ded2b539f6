"""What an assistant answered, counted: on the terminal and as JSON."""

from rich.console import Console
from rich.text import Text

from whichhalf.reporting.run_words import counts_in_words
from whichhalf.reporting.strict_json import strict_json
from whichhalf.reporting.terminal_text import plain
from whichhalf.running.ask_assistant import Answered, ToAsk


def print_answered(console: Console, done: Answered) -> None:
    """Counts, failures by reason with the first of them, cost, and where the file is."""
    console.print(Text(plain(done.identity.in_words), style="bold"))
    before = done.questions - done.asked
    console.print(
        f"{done.answered} of {done.questions} questions answered; {done.asked} asked now, {before} answered before"
    )
    failed = next((row for row in done.rows if row.error is not None), None)
    if failed is not None:
        counts = counts_in_words(done.failures)
        console.print(Text(f"Failed: {counts}; first {plain(failed.id)}: {plain(failed.error or '')}", style="red"))
    for notice in done.notices:
        console.print(Text(f"Note: {plain(notice)}", style="dim"))
    price = "price unknown" if done.cost_usd is None else f"{done.cost_usd:.4f} USD"
    cost = "nothing, no model was asked" if done.identity.is_baseline else f"{done.calls} calls, {price}"
    console.print(f"Cost: {cost}")
    console.print(f"\nOutputs file: {done.file}", soft_wrap=True)


def print_to_ask(console: Console, plan: ToAsk) -> None:
    """What would be asked, and where the answers would go."""
    asked = f"{plan.identity.in_words} would be asked {plan.asked} of {plan.questions} questions"
    kept = f"{plan.questions - plan.asked} are answered in {plan.file}"
    console.print(plain(f"{asked}; {kept}"), soft_wrap=True)
    console.print(f"{plan.characters} characters of questions and passages; nothing was asked")


def to_ask_as_json(plan: ToAsk) -> str:
    """One JSON object, with the words of `answered_as_json`."""
    facts = {
        **_asked_of(plan),
        "to_ask": plan.asked,
        "characters": plan.characters,
    }
    return strict_json(facts)


def answered_as_json(done: Answered) -> str:
    """One JSON object."""
    facts = {
        **_asked_of(done),
        "answered": done.answered,
        "failed": done.failures,
        "asked": done.asked,
        "calls": done.calls,
        "cost_usd": done.cost_usd,
        "notices": done.notices,
    }
    return strict_json(facts)


def _asked_of(asking: ToAsk | Answered) -> dict[str, object]:
    identity = asking.identity
    assistant = {"kind": identity.kind, "name": identity.name, **identity.settings}
    return {"outputs": str(asking.file), "assistant": assistant, "questions": asking.questions}
