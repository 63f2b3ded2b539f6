"""Who the assistant of a config is."""

from whichhalf.prompting.prompt_folder import PromptSet
from whichhalf.running.config import Config


def assistant_named(config: Config) -> str:
    """The assistant of a config, in words. Raises InputError when it cannot be made; nothing is asked."""
    from whichhalf.assistants.opening import open_assistant  # loaded only where there is one

    prompts = PromptSet(config.prompts.versions, config.prompts.dir)
    with open_assistant(config.assistant, prompts) as assistant:
        return assistant.identity.in_words
