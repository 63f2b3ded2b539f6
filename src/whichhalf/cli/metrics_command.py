"""whichhalf metrics [NAME]"""

from typing import Annotated

import typer


def metrics(
    name: Annotated[str | None, typer.Argument(help="A metric as in a config, such as ndcg@10.")] = None,
) -> None:
    """Every metric with its contract: what the number means, down to the edge cases.

    Examples:

    whichhalf metrics

    whichhalf metrics 'ndcg(gain=linear)@10'
    """
    from rich.padding import Padding
    from rich.text import Text

    from whichhalf.catalogue import Choices, build_metric, example_names, source_of, trec_name_of
    from whichhalf.judged.claim_tables import ClaimTables
    from whichhalf.judging.offline import OfflineJudge
    from whichhalf.prompting.prompt_folder import PromptSet
    from whichhalf.reporting.terminal_text import open_console

    console = open_console()
    tables = ClaimTables(OfflineJudge(), PromptSet())
    for text in [name] if name else example_names():
        card = build_metric(text, Choices(), tables).card
        console.print(Text(str(card.name), style="bold cyan"), Text(f"({card.half})", style="dim"))
        prompts = f"\njudge prompts: {', '.join(card.prompts)}" if card.prompts else ""
        trec = trec_name_of(card.name)
        known_as = f"\ntrec_eval: {trec} (with linear gain and ties=trec)" if trec else ""
        about = f"{card.contract}\nsource: {source_of(card.name)}{known_as}{prompts}"
        console.print(Padding(Text(about), (0, 0, 0, 4)))
