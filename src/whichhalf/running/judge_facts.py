"""What a run's manifest says of its judge, and what the reader should know of it."""

from pydantic import JsonValue

from whichhalf.judging.embedding import EmbedderIdentity
from whichhalf.judging.ledger import Ledger
from whichhalf.judging.offline import NOTICE
from whichhalf.judging.seam import JudgeIdentity


def judge_facts(identity: JudgeIdentity, ledger: Ledger, embedding: EmbedderIdentity | None) -> dict[str, JsonValue]:
    """`sampling` is what was asked for; `sent`, where a server was asked, what it took."""
    facts: dict[str, JsonValue] = {
        "model": identity.model,
        "returned": list[JsonValue](ledger.models_returned),
        "endpoint": identity.endpoint,
        "sampling": dict(identity.sampling),
        "is_baseline": identity.is_baseline,
    }
    if ledger.sent is not None:
        facts["sent"] = dict(ledger.sent)
    if embedding is not None:
        facts["embedding"] = {"model": embedding.model, "endpoint": embedding.endpoint}
    return facts


def judge_notices(identity: JudgeIdentity, ledger: Ledger) -> list[str]:
    """A baseline, a model that changed, settings that the judge's server does not take."""
    notices = [NOTICE] if identity.is_baseline else []
    notices += ledger.notices()
    if ledger.sent is not None:
        wanted = {name for name in ("temperature", "seed") if identity.sampling.get(name) is not None}
        refused = sorted(wanted - ledger.sent.keys())
        if refused:
            notices.append(
                f"the judge does not take {' and '.join(refused)}: it ran with its own default, and repeats differ more"
            )
        if "response_format" not in ledger.sent:
            notices.append("the judge takes no JSON schema: its replies were held to the wording of the prompts alone")
    return notices
