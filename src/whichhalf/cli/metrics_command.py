"""whichhalf metrics [NAME]"""

from typing import Annotated

import typer


def metrics(
    name: Annotated[str | None, typer.Argument(help="A metric as in a config, such as ndcg@10.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Machine-readable result on stdout.")] = False,
) -> None:
    """Every metric with its contract: what the number means, down to the edge cases.

    Examples:

    whichhalf metrics

    whichhalf metrics 'ndcg(gain=linear)@10'
    """
    import json

    from rich.padding import Padding
    from rich.text import Text

    from whichhalf.catalogue import Choices, build_metric, example_names, source_of, trec_name_of
    from whichhalf.judged.claim_tables import ClaimTables
    from whichhalf.judging.offline import OfflineJudge
    from whichhalf.prompting.prompt_folder import PromptSet
    from whichhalf.reporting.terminal_text import open_console, write_json

    tables = ClaimTables(OfflineJudge(), PromptSet())
    cards = [build_metric(text, Choices(), tables).card for text in ([name] if name else example_names())]
    if as_json:
        rows = [
            {
                "metric": str(card.name),
                "half": card.half,
                "contract": card.contract,
                "source": source_of(card.name),
                "trec_eval": trec_name_of(card.name),
                "prompts": card.prompts,
            }
            for card in cards
        ]
        write_json(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    console = open_console()
    for card in cards:
        console.print(Text(str(card.name), style="bold cyan"), Text(f"({card.half})", style="dim"))
        prompts = f"\njudge prompts: {', '.join(card.prompts)}" if card.prompts else ""
        trec = trec_name_of(card.name)
        known_as = f"\ntrec_eval: {trec} (with linear gain and ties=trec)" if trec else ""
        about = f"{card.contract}\nsource: {source_of(card.name)}{known_as}{prompts}"
        console.print(Padding(Text(about), (0, 0, 0, 4)))
