"""What the name of a model says: who is asked for it, if anybody."""

OFFLINE = "offline"
WORDLLAMA = "wordllama"
RECORDED = "recorded/"
OPENAI = "openai/"


def is_free(model: str) -> bool:
    """Whether a judge or an embedder of this name calls nobody."""
    return model in (OFFLINE, WORDLLAMA) or model.startswith(RECORDED)


def sdk_of(model: str) -> str:
    """The SDK that asks for a model that is not free."""
    return "openai" if model.startswith(OPENAI) else "litellm"
